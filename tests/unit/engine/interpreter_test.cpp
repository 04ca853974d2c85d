#include "engine/interpreter.h"

#include <gtest/gtest.h>

namespace skelgen::engine {
namespace {

struct OfNobody {
  struct Operation {};
  using Comm = Operation;
  using Collective = Operation;
  static constexpr bool kParts = false, kSizes = false;
};

/// One location's calls, of which nobody takes notice.
class Idle : public testing::Test, public NullSink<OfNobody> {
 protected:
  /// Arrays are {}, {0, 1}, {4, 5}. Whether nothing is open behind the call.
  bool after(const char* function, const std::vector<std::int64_t>& values) {
    interpreter_.call(call_.set(*mpi::find(function), arrays_, [&](std::size_t i) { return values.at(i); }), *this);
    return interpreter_.is_idle();
  }

 private:
  const std::vector<std::vector<std::int64_t>> arrays_{{}, {0, 1}, {4, 5}};
  NumberedCall call_;
  Interpreter<OfNobody> interpreter_;
};

TEST_F(Idle, NotWhileARequestIsActive) {
  EXPECT_TRUE(after("MPI_Send", {5, 1, 0, 1, 0, 0}));
  EXPECT_FALSE(after("MPI_Irecv", {5, 1, 0, 1, 0, 0, 4}));
  EXPECT_FALSE(after("MPI_Isend", {5, 1, 0, 1, 0, 0, 5}));
  EXPECT_FALSE(after("MPI_Test", {4, 0, 0}));
  EXPECT_FALSE(after("MPI_Wait", {4, 0}));
  EXPECT_TRUE(after("MPI_Waitall", {2, 2, 0}));
  EXPECT_TRUE(after("MPI_Recv_init", {5, 1, 0, 1, 0, 0, 4}));
  EXPECT_FALSE(after("MPI_Start", {4}));
  EXPECT_TRUE(after("MPI_Request_free", {4}));
}

TEST_F(Idle, NotWhileAMatchedMessageIsLeft) {
  EXPECT_TRUE(after("MPI_Improbe", {1, 0, 0, 0, 3, 0}));
  EXPECT_FALSE(after("MPI_Mprobe", {1, 0, 0, 3, 0}));
  EXPECT_TRUE(after("MPI_Mrecv", {5, 1, 0, 3, 0}));
}

TEST_F(Idle, NotInAnEpoch) {
  EXPECT_FALSE(after("MPI_Win_post", {1, 0, 2}));
  EXPECT_FALSE(after("MPI_Win_start", {1, 0, 2}));
  EXPECT_FALSE(after("MPI_Win_complete", {2}));
  EXPECT_TRUE(after("MPI_Win_wait", {2}));
  EXPECT_FALSE(after("MPI_Win_lock", {0, 1, 0, 2}));
  EXPECT_FALSE(after("MPI_Win_lock", {0, 0, 0, 2}));
  EXPECT_FALSE(after("MPI_Win_flush", {1, 2}));
  EXPECT_FALSE(after("MPI_Win_unlock", {1, 2}));
  EXPECT_TRUE(after("MPI_Win_unlock", {0, 2}));
  EXPECT_FALSE(after("MPI_Win_lock_all", {0, 2}));
  EXPECT_TRUE(after("MPI_Win_unlock_all", {2}));
}

}  // namespace
}  // namespace skelgen::engine
