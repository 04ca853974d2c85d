// A call that MPI would refuse is refused before, by name, rank and rule.

#include <gtest/gtest.h>

#include "support/error.h"
#include "text/text.h"
#include "unit/emit/programs.h"

namespace skelgen::text {
namespace {

using emit::programs::Arguments;
using emit::programs::buffer;
using emit::programs::Builder;
using emit::programs::constant;
using emit::programs::each;
using emit::programs::sequence;

/// A program of two ranks, or of two groups of one and two ranks.
class Calls : public testing::Test {
 protected:
  Calls() : b_(3) {
    memory_ = buffer(b_.memory(4096), 0);
    other_ = buffer(b_.memory(4096), 0);
    for (int r = 0; r < 3; ++r)  // {0} and {1, 2}
      b_.skeleton.locations[static_cast<std::size_t>(r)].communicators.push_back(
          r == 0 ? mpi::Communicator{2, 1, 0, 50, 51, 2} : mpi::Communicator{2, 2, r - 1, 51, 50, 1});
  }
  Node make(const char* function, Arguments arguments, const std::vector<std::uint32_t>& where = {0, 1, 2}) {
    arguments.try_emplace("datatype", constant(b_.name("MPI_INT")));
    arguments.try_emplace("op", constant(b_.name("MPI_SUM")));
    return b_.call(function, arguments, where);
  }
  Node intercommunicator() {
    return make("MPI_Intercomm_create", {{"newintercomm", constant(2)}, {"peer_comm", constant(0)}});
  }
  /// "" if MPI takes all calls.
  std::string refusal(Block middle) {
    Builder b = b_;
    const Skeleton skeleton = b.finish(std::move(middle));
    check(skeleton);
    try {
      check_calls(skeleton);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported);
      return error.text();
    }
    return {};
  }
  std::string refusal(Node node) {
    Block all;
    all.push_back(std::move(node));
    return refusal(std::move(all));
  }
  std::string refusal(Node first, Node second) {
    Block all;
    all.push_back(std::move(first));
    all.push_back(std::move(second));
    return refusal(std::move(all));
  }
  Arguments reduction(std::int64_t in, std::int64_t out, std::int64_t count) {
    return {{"sendbuf", constant(in)}, {"recvbuf", constant(out)}, {"count", constant(count)}};
  }
  Arguments scattered(std::vector<std::int64_t> first, std::vector<std::int64_t> others) {
    const std::int64_t a = b_.array(first), b = b_.array(others);
    return {{"sendbuf", constant(memory_)},
            {"recvbuf", constant(other_)},
            {"recvcounts", each({a, b, b})},
            {"comm", constant(2)}};
  }

  Builder b_;
  std::int64_t memory_, other_;
};

TEST_F(Calls, UseHandlesThatAreAlive) {
  EXPECT_EQ(refusal(make("MPI_Barrier", {{"comm", constant(3)}})),
            "MPI_Barrier of rank 0: comm: c3 was not made before, which MPI forbids");
  EXPECT_EQ(refusal(intercommunicator(), make("MPI_Barrier", {{"comm", constant(2)}})), "");
  Block freed;
  freed.push_back(intercommunicator());
  freed.push_back(make("MPI_Comm_free", {{"comm", constant(2)}}));
  freed.push_back(make("MPI_Barrier", {{"comm", constant(2)}}, {1, 2}));
  EXPECT_EQ(refusal(std::move(freed)), "MPI_Barrier of rank 1: comm: c2 was freed before, which MPI forbids");
}

TEST_F(Calls, NameRanksOfTheGroup) {
  const auto to = [&](std::int64_t rank, std::int64_t comm) {
    return make("MPI_Send", {{"buf", constant(memory_)}, {"dest", constant(rank)}, {"comm", constant(comm)}}, {1});
  };
  EXPECT_EQ(refusal(to(2, 0)), "");
  EXPECT_EQ(refusal(to(3, 0)),
            "MPI_Send of rank 1: dest: there is no rank 3 in its communicator or window, which MPI forbids");
  EXPECT_EQ(refusal(intercommunicator(), to(0, 2)), "");
  EXPECT_EQ(refusal(intercommunicator(), to(1, 2)),
            "MPI_Send of rank 1: dest: there is no rank 1 in its communicator or window, which MPI forbids");
}

TEST_F(Calls, GetArraysAsLongAsTheyReadThem) {
  const auto gathered = [&](std::vector<std::int64_t> counts) {
    return make("MPI_Allgatherv", {{"recvbuf", constant(memory_)},
                                   {"sendtype", constant(b_.name("MPI_INT"))},
                                   {"recvtype", constant(b_.name("MPI_INT"))},
                                   {"recvcounts", constant(b_.array(counts))},
                                   {"displs", constant(b_.array({0, 1, 2}))}});
  };
  EXPECT_EQ(refusal(gathered({1, 1, 1})), "");
  EXPECT_EQ(refusal(gathered({1, 1})),
            "MPI_Allgatherv of rank 0: recvcounts: 2 elements for 3 ranks, which MPI forbids");
  EXPECT_EQ(refusal(gathered({1, 1, -1})), "MPI_Allgatherv of rank 0: recvcounts: -1 elements, which MPI forbids");
}

TEST_F(Calls, OfTwoGroupsHaveSharesForTheirOwn) {
  EXPECT_EQ(refusal(intercommunicator(), make("MPI_Reduce_scatter", scattered({4}, {2, 2}))), "");
  EXPECT_EQ(refusal(intercommunicator(), make("MPI_Reduce_scatter", scattered({2, 2}, {2, 2}))),
            "MPI_Reduce_scatter of rank 0: recvcounts: 2 elements for 1 ranks, which MPI forbids");
  EXPECT_EQ(refusal(intercommunicator(), make("MPI_Ireduce_scatter", scattered({4}, {4}))),
            "MPI_Ireduce_scatter of rank 1: recvcounts: 1 elements for 2 ranks, which MPI forbids");
}

TEST_F(Calls, HaveMemoryForTheirElements) {
  EXPECT_EQ(refusal(make("MPI_Bcast", {{"count", constant(3)}})),
            "MPI_Bcast of rank 0: buffer is NULL, but count is 3, which MPI forbids");
  EXPECT_EQ(refusal(make("MPI_Bcast", {{"count", constant(0)}})), "");
  // Only the root has the other buffer.
  EXPECT_EQ(refusal(make("MPI_Reduce", {{"sendbuf", constant(memory_)},
                                        {"recvbuf", each({other_, 0, 0})},
                                        {"count", constant(3)},
                                        {"root", constant(0)}})),
            "");
  EXPECT_EQ(refusal(make("MPI_Send", {{"count", constant(3)}, {"dest", constant(mpi::kProcNull)}})), "");
  // Rank 0 gets nothing of a scan that leaves out the own share.
  for (const char* scan : {"MPI_Exscan", "MPI_Iexscan", "MPI_Exscan_init"}) {
    const auto scanned = [&](std::vector<std::int64_t> results) {
      return refusal(make(scan, {{"sendbuf", constant(memory_)}, {"recvbuf", each(results)}, {"count", constant(3)}}));
    };
    EXPECT_EQ(scanned({0, other_, other_}), "") << scan;
    EXPECT_EQ(scanned({memory_, other_, other_}), "") << scan;
    EXPECT_EQ(scanned({0, 0, other_}),
              std::string(scan) + " of rank 1: recvbuf is NULL, but count is 3, which MPI forbids");
    EXPECT_EQ(refusal(make(scan, {{"sendbuf", constant(mpi::kInPlace)},
                                  {"recvbuf", each({0, other_, other_})},
                                  {"count", constant(3)}})),
              std::string(scan) + " of rank 0: recvbuf is NULL, but count is 3, which MPI forbids");
  }
}

TEST_F(Calls, HaveMemoryForWhatTheyExchangeWithSomebody) {
  const auto exchange = [&](std::int64_t dest, std::int64_t source) {
    return refusal(make("MPI_Sendrecv", {{"sendbuf", constant(memory_)},
                                         {"sendcount", constant(3)},
                                         {"sendtype", constant(b_.name("MPI_INT"))},
                                         {"dest", constant(dest)},
                                         {"recvcount", constant(3)},
                                         {"recvtype", constant(b_.name("MPI_INT"))},
                                         {"source", constant(source)}}));
  };
  EXPECT_EQ(exchange(1, mpi::kProcNull), "");
  EXPECT_EQ(exchange(mpi::kProcNull, 1),
            "MPI_Sendrecv of rank 0: recvbuf is NULL, but recvcount is 3, which MPI forbids");
  // Of messages in turn, those to nobody need no memory.
  const auto sent = [&](std::vector<std::int64_t> to) {
    Block body, all;
    body.push_back(make("MPI_Send",
                        {{"count", constant(3)}, {"buf", sequence({0, memory_, 0, memory_})}, {"dest", sequence(to)}}));
    all.push_back(b_.loop(constant(4), std::move(body)));
    return refusal(std::move(all));
  };
  EXPECT_EQ(sent({mpi::kProcNull, 1, mpi::kProcNull, 2}), "");
  EXPECT_EQ(sent({1, mpi::kProcNull, 1, mpi::kProcNull}),
            "MPI_Send of rank 0: buf is NULL, but count is 3, which MPI forbids");
}

TEST_F(Calls, CancelReceivesOnly) {
  const auto cancelled = [&](const char* function, std::int64_t outcome) {
    return refusal(make(function, {{"buf", constant(memory_)}, {"count", constant(1)}, {"request", constant(0)}}),
                   make("MPI_Cancel", {{"request", constant(0)}, {"outcome", constant(outcome)}}));
  };
  for (const std::int64_t outcome : {0, 1, 2}) {
    EXPECT_EQ(cancelled("MPI_Irecv", outcome), "");
    EXPECT_EQ(cancelled("MPI_Recv_init", outcome), "");
    EXPECT_EQ(cancelled("MPI_Isend", outcome), outcome == 0
                                                   ? ""
                                                   : "MPI_Cancel of rank 0: outcome: " + std::to_string(outcome) +
                                                         " is the outcome of receives only, which MPI forbids");
  }
  EXPECT_EQ(cancelled("MPI_Irecv", 3), "MPI_Cancel of rank 0: outcome: 3 is no outcome, which MPI forbids");
}

TEST_F(Calls, GetTwoBuffersThatAreNotOne) {
  EXPECT_EQ(refusal(make("MPI_Allreduce", reduction(memory_, other_, 3))), "");
  EXPECT_EQ(refusal(make("MPI_Allreduce", reduction(0, 0, 0))), "");
  EXPECT_EQ(refusal(make("MPI_Allreduce", reduction(memory_, memory_, 0))), "");
  EXPECT_EQ(refusal(make("MPI_Allreduce", reduction(mpi::kInPlace, memory_, 3))), "");
  EXPECT_EQ(refusal(make("MPI_Allreduce", reduction(memory_, memory_, 3))),
            "MPI_Allreduce of rank 0: sendbuf and recvbuf are the same buffer, which MPI forbids");
}

}  // namespace
}  // namespace skelgen::text
