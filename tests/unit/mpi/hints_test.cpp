#include "mpi/hints.h"

#include <gtest/gtest.h>

namespace skelgen::mpi {
namespace {

TEST(Hints, ThatChangeWhatMpiDoesMayBeInASkeleton) {
  EXPECT_TRUE(is_portable_hint("no_locks", "true"));
  EXPECT_TRUE(is_portable_hint("accumulate_ordering", "rar,waw"));
  EXPECT_TRUE(is_portable_hint("mpi_assert_no_any_tag", "false"));
  EXPECT_TRUE(is_portable_hint("cb_nodes", "4"));
  EXPECT_TRUE(is_portable_hint("romio_ds_write", "disable"));
}

TEST(Hints, ThatNameFilesOrHostsMayNot) {
  EXPECT_FALSE(is_portable_hint("io_node_list", "a,b"));
  EXPECT_FALSE(is_portable_hint("cb_config_list", "*:1"));
  EXPECT_FALSE(is_portable_hint("filename", "x"));
  EXPECT_FALSE(is_portable_hint("wdir", "x"));
  EXPECT_FALSE(is_portable_hint("of_the_program", "1"));
  EXPECT_FALSE(is_portable_hint("romio_x", "/tmp/x"));
  EXPECT_FALSE(is_portable_hint("romio_x", "node1.example"));
  EXPECT_FALSE(is_portable_hint("romio_x\"", "1"));
  EXPECT_FALSE(is_portable_hint("cb_nodes", ""));
  EXPECT_FALSE(is_portable_hint("cb_nodes", std::string(65, '1')));
}

TEST(Hints, AreListedWithSemicolons) {
  EXPECT_TRUE(are_hints("no_locks=true"));
  EXPECT_TRUE(are_hints("cb_nodes=4;no_locks=true"));
  for (const char* wrong :
       {"", "no_locks", "no_locks=", "no_locks=true;", ";no_locks=true", "secret=1", "no_locks=a b"})
    EXPECT_FALSE(are_hints(wrong)) << wrong;
}

}  // namespace
}  // namespace skelgen::mpi
