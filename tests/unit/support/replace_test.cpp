// Directories and files take each other's place without a moment in which there is none.
#include "support/replace.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <string>

#include "support/error.h"

namespace skelgen {
namespace {

namespace fs = std::filesystem;

class InDirectory {
 protected:
  InDirectory() {
    std::string name = (fs::temp_directory_path() / "skelgen-replace-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~InDirectory() { fs::remove_all(root_); }

  fs::path at(const std::string& name) const { return root_ / name; }
  void make(const std::string& name) const {
    fs::create_directory(at(name));
    std::ofstream(at(name) / name) << name;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }

 private:
  fs::path root_;
};

class Replace : public InDirectory, public ::testing::TestWithParam<bool> {};
class WriteFile : public InDirectory, public ::testing::Test {};

TEST_P(Replace, TakesTheNameFromWhateverDirectoryHasIt) {
  make("new");
  replace_directory(at("new"), at("old"), GetParam());  // nobody
  EXPECT_TRUE(fs::exists(at("old/new")));
  make("newer");
  replace_directory(at("newer"), at("old"), GetParam());
  EXPECT_TRUE(fs::exists(at("old/newer")));
  EXPECT_FALSE(fs::exists(at("old/new")));
  EXPECT_EQ(entries(), 1u);
}

TEST_P(Replace, LeavesTheOldOneWhereItFails) {
  make("old");
  EXPECT_THROW(replace_directory(at("none"), at("old"), GetParam()), fs::filesystem_error);
  EXPECT_TRUE(fs::exists(at("old/old")));
  EXPECT_EQ(entries(), 1u);
  std::ofstream(at("file")) << "a file";
  make("new");
  EXPECT_THROW(replace_directory(at("new"), at("file"), GetParam()), fs::filesystem_error);
  EXPECT_TRUE(fs::exists(at("new/new")));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutExchange, Replace, ::testing::Bool());

TEST_F(WriteFile, ReplacesAFileAsAWhole) {
  std::ofstream(at("page")) << "old";
  write_file(at("page"), "new");
  std::ifstream in(at("page"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, LeavesWhatIsThereIfItFails) {
  std::ofstream(at("page")) << "old";
  EXPECT_THROW(write_file(at("page"), [](std::ostream& out) { out.setstate(std::ios::badbit); }), Error);
  std::ifstream in(at("page"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "old");
  EXPECT_EQ(entries(), 1u);
  make("directory");
  EXPECT_THROW(write_file(at("directory"), "new"), Error);
  EXPECT_THROW(write_file(at("no/where"), "new"), Error);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(WriteFile, IsRefusedBeforeTheWork) {
  std::ofstream(at("page")) << "old";
  require_writable_file(at("page"));
  require_writable_file(at("new"));
  EXPECT_EQ(entries(), 1u);
  make("directory");
  EXPECT_THROW(require_writable_file(at("directory")), Error);
  EXPECT_THROW(require_writable_file(at("no/where")), Error);
}

}  // namespace
}  // namespace skelgen
