// Programs of which it is known whether they finish when every send waits for its receiver: the checker must say so.

#include <gmock/gmock.h>

#include <random>

#include "emit/emit.h"
#include "unit/emit/programs.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;

/// Adds communication to a program that can be carried out one message after the other in the order in which it is
/// added: so it finishes. Every message has a tag of its own, so it does not matter when a receive is posted.
class Writer {
 public:
  Writer(int ranks, unsigned seed) : ranks_(ranks), random_(seed), builder_(ranks), pending_(ranks), slots_(ranks, 0) {}

  int pick(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }
  int tag() { return tag_++; }

  Node call(const char* name, int rank, Arguments arguments) {
    arguments["count"] = constant(pick(5));
    arguments["datatype"] = arguments["sendtype"] = arguments["recvtype"] = constant(builder_.name("MPI_INT"));
    return builder_.call(name, arguments, Where{static_cast<std::uint32_t>(rank)});
  }
  void add(const char* name, int rank, Arguments arguments) {
    block_.push_back(call(name, rank, std::move(arguments)));
  }
  void send(int from, int to, int tag) { add("MPI_Send", from, {{"dest", constant(to)}, {"tag", constant(tag)}}); }
  void receive(int at, int from, int tag) { add("MPI_Recv", at, {{"source", constant(from)}, {"tag", constant(tag)}}); }
  void barrier() { block_.push_back(builder_.call("MPI_Barrier")); }
  void barrier(int rank) { add("MPI_Barrier", rank, {}); }
  void wait(int rank, std::int64_t slot) { add("MPI_Wait", rank, {{"request", constant(slot)}}); }
  std::int64_t start(const char* name, int rank, Arguments arguments) {
    const std::int64_t slot = slots_[static_cast<std::size_t>(rank)]++;
    arguments["request"] = constant(slot);
    add(name, rank, std::move(arguments));
    return slot;
  }
  std::int64_t start(const char* name, int rank, const char* peer_name, int peer, int tag) {
    return start(name, rank, {{peer_name, constant(peer)}, {"tag", constant(tag)}});
  }
  Argument name(const char* text) { return constant(builder_.name(text)); }

  /// A message or a meeting.
  void event() {
    const int from = pick(ranks_), to = pick(ranks_), number = tag();
    switch (from == to ? 4 : pick(6)) {
      case 0:
        send(from, to, number);
        return receive(to, from, number);
      case 1:  // the sender goes on
        later(from, start("MPI_Isend", from, "dest", to, number));
        return receive(to, from, number);
      case 2: {  // the receive is posted first, and completed some time later
        const auto request = start("MPI_Irecv", to, "source", from, number);
        send(from, to, number);
        return later(to, request);
      }
      case 3:  // each to the other at the same time
        for (const auto [rank, peer] : {std::pair(from, to), {to, from}})
          add("MPI_Sendrecv", rank,
              {{"dest", constant(peer)},
               {"source", constant(peer)},
               {"sendtag", constant(number)},
               {"recvtag", constant(number)}});
        return;
      case 4:
        return pick(2) ? barrier() : meeting();
      default:
        if (auto& open = pending_[static_cast<std::size_t>(to)]; !open.empty()) wait(to, take(open));
    }
  }
  /// All make the same collective call, with their own counts, each in a statement of its own: the same root and
  /// operation for all.
  void meeting() {
    static constexpr const char* kCalls[] = {"MPI_Bcast",
                                             "MPI_Reduce",
                                             "MPI_Allreduce",
                                             "MPI_Allgather",
                                             "MPI_Gather",
                                             "MPI_Neighbor_alltoall",
                                             "MPI_Ibcast",
                                             "MPI_Ireduce",
                                             "MPI_Ialltoall",
                                             "MPI_Comm_dup",
                                             "MPI_Ineighbor_allgather"};
    const char* function = kCalls[pick(std::size(kCalls))];
    const Argument root = constant(pick(ranks_)), op = name(pick(2) ? "MPI_SUM" : "MPI_MAX");
    for (int rank = 0; rank < ranks_; ++rank) {
      const Arguments arguments{{"root", root}, {"op", op}};
      if (mpi::find(function)->nonblocking)
        later(rank, start(function, rank, arguments));
      else
        add(function, rank, arguments);
    }
  }
  /// Events that leave no request open, perhaps repeated.
  void part() {
    Block before = std::move(block_);
    block_.clear();
    for (int events = 1 + pick(12); events > 0; --events) event();
    for (int rank = 0; rank < ranks_; ++rank)
      for (auto& open = pending_[static_cast<std::size_t>(rank)]; !open.empty();) wait(rank, take(open));
    Block made = std::move(block_);
    block_ = std::move(before);
    if (pick(2))
      block_.push_back(builder_.loop(constant(1 + pick(5)), std::move(made)));
    else
      for (auto& node : made) block_.push_back(std::move(node));
  }
  Skeleton finish() { return builder_.finish(std::move(block_)); }

 private:
  void later(int rank, std::int64_t slot) { pending_[static_cast<std::size_t>(rank)].push_back(slot); }
  std::int64_t take(std::vector<std::int64_t>& open) {
    std::swap(open[static_cast<std::size_t>(pick(static_cast<int>(open.size())))], open.back());
    const std::int64_t slot = open.back();
    open.pop_back();
    return slot;
  }

  const int ranks_;
  std::mt19937 random_;
  Builder builder_;
  Block block_;
  int tag_ = 1;
  std::vector<std::vector<std::int64_t>> pending_;  ///< by rank: what has its message, or whose receiver has it
  std::vector<std::int64_t> slots_;
};

/// Distinct ranks.
std::vector<int> some_of(Writer& writer, int ranks, int n) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  for (int i = 0; i < n; ++i)
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + writer.pick(ranks - i))]);
  all.resize(static_cast<std::size_t>(n));
  return all;
}

/// Adds calls that wait for each other. Returns the ranks that never leave them.
std::vector<int> knot(Writer& writer, int ranks) {
  const int kind = writer.pick(6), tag = writer.tag();
  auto circle = some_of(writer, ranks, kind == 5 ? 1 : kind == 3 || kind == 4 ? 2 : 2 + writer.pick(ranks - 1));
  const std::size_t n = circle.size();
  for (std::size_t i = 0; i < n; ++i) {
    const int rank = circle[i], next = circle[(i + 1) % n], last = circle[(i + n - 1) % n];
    switch (kind) {
      case 0:  // all receive first
        writer.receive(rank, last, tag);
        writer.send(rank, next, tag);
        break;
      case 1:  // all send first
        writer.send(rank, next, tag);
        writer.receive(rank, last, tag);
        break;
      case 2:  // all wait for what others send afterwards
        writer.wait(rank, writer.start("MPI_Irecv", rank, "source", last, tag));
        writer.send(rank, next, tag);
        break;
      case 3:  // one sends before a barrier, the other receives behind it
        if (i == 0) writer.send(rank, next, tag);
        writer.barrier(rank);
        if (i == 1) writer.receive(rank, last, tag);
        break;
      case 4:  // one receives what nobody sends
        if (i == 0) writer.receive(rank, next, tag);
        break;
      default:  // to itself
        writer.send(rank, rank, tag);
        writer.receive(rank, rank, tag);
    }
  }
  if (kind == 3)
    for (int rank = 0; rank < ranks; ++rank)
      if (std::ranges::find(circle, rank) == circle.end()) writer.barrier(rank);
  if (kind == 4) circle.resize(1);
  return circle;
}

/// Adds collective calls that are not the same on two ranks, which are returned.
std::vector<int> clash(Writer& writer, int ranks) {
  const auto odd = some_of(writer, ranks, 2);
  const int kind = writer.pick(4), others = writer.pick(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const bool other = rank == odd[0];
    switch (kind) {
      case 0:  // another order
        for (const bool first : {true, false})
          first == other ? writer.barrier(rank) : writer.add("MPI_Bcast", rank, {{"root", constant(others)}});
        break;
      case 1:  // another root
        writer.add("MPI_Gather", rank, {{"root", constant(other ? (others + 1) % ranks : others)}});
        break;
      case 2:  // one waits and the others do not
        if (other)
          writer.barrier(rank);
        else
          writer.wait(rank, writer.start("MPI_Ibarrier", rank, {}));
        break;
      default:  // another operation
        writer.add("MPI_Allreduce", rank, {{"op", writer.name(other ? "MPI_MIN" : "MPI_SUM")}});
    }
  }
  return odd;
}

TEST(Deadlock, AThousandProgramsThatFinishAreSafe) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Writer writer(2 + static_cast<int>(seed % 5), seed);
    for (int parts = 1 + writer.pick(5); parts > 0; --parts) writer.part();
    const auto skeleton = writer.finish();
    const auto result = check_deadlock(skeleton);
    ASSERT_TRUE(result.safe) << "seed " << seed << ": " << result.explanation;
  }
}

TEST(Deadlock, TwoHundredProgramsThatHangAreReportedWithRanksAndCalls) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 3);
    Writer writer(ranks, seed);
    for (int parts = writer.pick(3); parts > 0; --parts) writer.part();
    const auto stuck = knot(writer, ranks);
    for (int parts = writer.pick(3); parts > 0; --parts) writer.part();
    const auto result = check_deadlock(writer.finish());
    ASSERT_FALSE(result.safe) << "seed " << seed;
    for (const int rank : stuck)
      EXPECT_THAT(result.explanation, HasSubstr("rank " + std::to_string(rank) + " waits in MPI_")) << "seed " << seed;
  }
}

TEST(Deadlock, TwoHundredProgramsWhoseCollectivesDifferAreReported) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 3);
    Writer writer(ranks, seed);
    for (int parts = writer.pick(3); parts > 0; --parts) writer.part();
    const auto odd = clash(writer, ranks);
    for (int parts = writer.pick(3); parts > 0; --parts) writer.part();
    const auto result = check_deadlock(writer.finish());
    ASSERT_FALSE(result.safe) << "seed " << seed;
    EXPECT_TRUE(result.clash);
    EXPECT_THAT(result.explanation, HasSubstr("rank " + std::to_string(odd[0]) + " calls MPI_")) << "seed " << seed;
  }
}

}  // namespace
}  // namespace skelgen::emit
