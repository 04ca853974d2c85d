// What counts as the same run, and what does not.

#include "verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::HasSubstr;
using verify::compare;
using verify::Report;
using Ints = std::vector<std::int64_t>;

/// A ring step and a reduction, repeated; `count` of the message in the last step of rank 1.
Behaviour ring(std::int64_t count = 4, int steps = 3) {
  return [=](Process& p) {
    for (int i = 0; i < steps; ++i) {
      const bool last = i + 1 == steps && p.rank() == 1;
      p.irecv((p.rank() + p.ranks() - 1) % p.ranks(), 1, 100);
      p.isend((p.rank() + 1) % p.ranks(), 2, 0, last ? count : 4);
      p.waitall({1, 2});
      p.call("MPI_Allreduce", {p.at(400), p.at(500), 1, p.doubles(), p.sum(), p.comm()});
    }
  };
}

TEST(Lossless, SumsOfManyTimesMayLoseWhatTheirAdditionsDo) {
  const double one_s = 0.269406390327, other_s = 0.269406390738;
  EXPECT_TRUE(verify::same_sum(one_s, other_s, 88'230'932));
  EXPECT_FALSE(verify::same_sum(one_s, other_s, 1'000'000));
  EXPECT_TRUE(verify::same_sum(0, 0, 0));
}

TEST(Compare, ARunWithItself) {
  const auto report = compare(normalized(3, ring()), normalized(3, ring(), {4096, 99}));
  EXPECT_TRUE(report.identical);
  EXPECT_TRUE(report.bytes_matrix_identical);
  EXPECT_EQ(report.calls_checked, 3u * 14u);
  EXPECT_FALSE(report.first_difference);
}

TEST(Compare, ShowsTheFirstDifference) {
  const auto report = compare(normalized(3, ring(4)), normalized(3, ring(3)));
  EXPECT_FALSE(report.identical);
  EXPECT_FALSE(report.bytes_matrix_identical);
  ASSERT_TRUE(report.first_difference);
  EXPECT_EQ(report.first_difference->rank, 1);
  EXPECT_EQ(report.first_difference->index, 10u);
  EXPECT_THAT(report.first_difference->expected, HasSubstr("MPI_Isend(buf=b1, count=4"));
  EXPECT_THAT(report.first_difference->actual, HasSubstr("MPI_Isend(buf=b1, count=3"));
}

TEST(Compare, ShowsTheCallsAroundTheFirstDifference) {
  const auto run = [](std::int64_t third, int opaque) {
    return normalized(1, [=](Process& p) {
      for (std::int64_t tag = 0; tag < 9; ++tag) {
        for (int i = 0; i < opaque; ++i) p.call("MPI_Pcontrol", {});
        p.irecv(0, 1, 0, 4, tag == 2 ? third : tag);
        p.wait(1);
      }
    });
  };
  const auto report = compare(run(2, 1), run(20, 0));
  ASSERT_TRUE(report.first_difference);
  const auto& [rank, index, expected, actual, left, right, outcome_only] = *report.first_difference;
  EXPECT_EQ(index, left.index);
  EXPECT_FALSE(outcome_only);
  EXPECT_EQ(left.index, 8u);   // Init, (Pcontrol, Irecv, Wait) twice, Pcontrol
  EXPECT_EQ(right.index, 5u);  // Init, (Irecv, Wait) twice
  std::string before, after;
  for (const auto& call : left.before) before += std::to_string(call.index) + call.text.substr(0, 9) + " ";
  for (const auto& call : right.after) after += std::to_string(call.index) + call.text.substr(0, 9) + " ";
  EXPECT_EQ(before, "3MPI_Wait( 5MPI_Irecv 6MPI_Wait( ");
  EXPECT_EQ(after, "6MPI_Wait( 7MPI_Irecv 8MPI_Wait( ");
  EXPECT_THAT(right.after[1].text, HasSubstr("tag=3"));
  EXPECT_EQ(right.before.size(), verify::kContext);
  EXPECT_EQ(left.after.size(), verify::kContext);
}

TEST(Compare, KnowsWhetherOnlyAnOutcomeDiffers) {
  const auto run = [](std::int64_t index, std::int64_t tag) {
    return normalized(1, [=](Process& p) {
      for (const int request : {1, 2}) p.irecv(0, request);
      p.call("MPI_Waitany", {2, Ints{p.request(1), p.request(2)}, index, Ints{0, 1}});
      p.call("MPI_Iprobe", {0, tag, p.comm(), 1, Ints{0, tag}});
    });
  };
  const auto outcome = compare(run(0, 5), run(1, 5)), argument = compare(run(0, 5), run(0, 6));
  ASSERT_TRUE(outcome.first_difference && argument.first_difference);
  EXPECT_EQ(outcome.first_difference->index, 3u);
  EXPECT_TRUE(outcome.first_difference->outcome_only);
  EXPECT_EQ(argument.first_difference->index, 4u);
  EXPECT_FALSE(argument.first_difference->outcome_only);
}

TEST(Compare, RequestsThatAreNullOnNeitherSideAreNoOutcome) {
  const auto run = [](const std::vector<int>& requests, std::int64_t index) {
    return normalized(1, [=](Process& p) {
      for (const int request : {1, 2, 3, 4}) p.irecv(0, request);
      Ints handles;
      for (const int request : requests) handles.push_back(request ? p.request(request) : 0);
      p.call("MPI_Waitany", {std::ssize(handles), handles, index, Ints{0, 1}});
    });
  };
  const auto outcome_only = [](const auto& expected, const auto& actual) {
    const auto report = compare(expected, actual);
    return report.first_difference && report.first_difference->outcome_only;
  };
  EXPECT_FALSE(outcome_only(run({1, 2}, 0), run({3, 4}, 1)));
  EXPECT_FALSE(outcome_only(run({1, 2}, 0), run({3, 0}, 0)));
  EXPECT_FALSE(outcome_only(run({1, 2}, 0), run({0, 2, 3}, 1)));
  EXPECT_TRUE(outcome_only(run({1, 2}, 0), run({0, 2}, 1)));
  EXPECT_TRUE(outcome_only(run({1, 2}, 0), run({1, 2}, 1)));
}

TEST(Compare, SaysWhatTheHandlesOfTheFirstDifferenceAre) {
  const auto run = [](std::int64_t count) {
    return normalized(2, [=](Process& p) {
      p.call("MPI_Comm_split", {p.comm(), 0, -p.rank(), p.comm(5)});
      p.define(5, 2, 1 - p.rank(), 1);
      p.call("MPI_Win_create", {p.at(0), 80, 8, 0, p.comm(5), 77});
      p.call("MPI_Put", {p.at(400), count, p.doubles(), 1, 0, count, p.doubles(), 77});
      p.call("MPI_Allreduce", {p.at(400), p.at(500), 1, p.doubles(), p.sum(), p.comm(5)});
    });
  };
  const auto report = compare(run(1), run(2));
  ASSERT_TRUE(report.first_difference);
  EXPECT_THAT(report.first_difference->expected_context.handles,
              testing::ElementsAre("w0: MPI_Win_create of c2 (call 2), rank 1 of 2"));
  EXPECT_EQ(report.first_difference->actual_context.handles, report.first_difference->expected_context.handles);
}

/// The ring again, with `count` elements in all messages.
Behaviour ring_of(std::int64_t count) {
  return [=](Process& p) {
    for (int i = 0; i < 3; ++i) {
      p.irecv((p.rank() + p.ranks() - 1) % p.ranks(), 1, 100'000, count);
      p.isend((p.rank() + 1) % p.ranks(), 2, 0, count);
      p.waitall({1, 2});
    }
  };
}

TEST(Compare, CountsMayDifferByTheToleranceAndAreTold) {
  const auto report = compare(normalized(3, ring_of(1000)), normalized(3, ring_of(990)), {0.01});
  EXPECT_FALSE(report.identical);
  EXPECT_TRUE(report.within_tolerance());
  EXPECT_FALSE(report.bytes_matrix_identical);
  EXPECT_EQ(report.counts_changed, 18u);
  EXPECT_DOUBLE_EQ(report.largest_change, 0.01);
  const auto beyond = compare(normalized(3, ring_of(1000)), normalized(3, ring_of(989)), {0.01});
  EXPECT_FALSE(beyond.within_tolerance());
  EXPECT_THAT(beyond.first_difference->actual, HasSubstr("count=989"));
  EXPECT_FALSE(compare(normalized(3, ring_of(1000)), normalized(3, ring_of(999))).within_tolerance());
}

TEST(Compare, AToleranceIsForCountsOfMessagesOnly) {
  const auto one = [](int peer, std::int64_t count, std::int64_t tag, int requests) {
    return normalized(3, [=](Process& p) {
      p.isend(peer, 1, 0, count);
      p.call("MPI_Ssend", {p.at(0), count, p.doubles(), 1, tag, p.comm()});
      p.waitall(requests == 1 ? std::vector{1} : std::vector{1, 0});
    });
  };
  EXPECT_TRUE(compare(one(1, 100, 100, 1), one(1, 101, 100, 1), {0.5}).within_tolerance());
  EXPECT_FALSE(compare(one(1, 100, 100, 1), one(2, 100, 100, 1), {0.5}).within_tolerance());
  EXPECT_FALSE(compare(one(1, 100, 100, 1), one(1, 100, 101, 1), {0.5}).within_tolerance());
  EXPECT_FALSE(compare(one(1, 100, 100, 1), one(1, 100, 100, 2), {0.5}).within_tolerance());
  EXPECT_FALSE(compare(one(1, 0, 100, 1), one(1, 1, 100, 1), {0.5}).within_tolerance()) << "nothing is not something";
}

TEST(Compare, MemoryThatOverlappedMayBeSeveralBuffersWhereCountsAreSmaller) {
  const auto two = [](std::int64_t count, std::uint64_t second) {
    return normalized(2, [=](Process& p) { p.send(1, 0, count), p.send(1, 792, count), p.send(1, second, count); });
  };
  EXPECT_TRUE(compare(two(100, 792), two(99, 792), {0.02}).within_tolerance());
  EXPECT_FALSE(compare(two(100, 792), two(99, 784), {0.02}).within_tolerance()) << "another place";
}

TEST(Compare, BuffersMayBeOneWhereMemoryIsShared) {
  const auto three = [](std::uint64_t second, std::uint64_t third) {
    return normalized(2, [=](Process& p) { p.recv(1, 0, 10), p.recv(1, second, 10), p.recv(1, third, 10); });
  };
  EXPECT_FALSE(compare(three(800, 1600), three(0, 1600)).identical);
  EXPECT_TRUE(compare(three(800, 1600), three(0, 1600), {0, true}).identical);
  EXPECT_FALSE(compare(three(800, 800), three(800, 0), {0, true}).identical) << "one is not two";
}

TEST(Compare, BuffersThatAreReadStayApartWhereMemoryIsShared) {
  const auto mixed = [](std::uint64_t received, std::uint64_t sent, std::uint64_t kept) {
    return normalized(
        2, [=](Process& p) { p.recv(1, received, 10), p.send(1, sent, 10), p.recv(1, kept, 10), p.send(1, kept, 10); });
  };
  for (const double tolerance : {0.0, 0.1}) {
    const verify::Allowed shared{tolerance, true};
    EXPECT_TRUE(compare(mixed(0, 800, 1600), mixed(0, 800, 1600), shared).identical);
    EXPECT_FALSE(compare(mixed(0, 800, 1600), mixed(800, 800, 1600), shared).identical)
        << "received where is sent from";
    EXPECT_FALSE(compare(mixed(0, 800, 1600), mixed(0, 800, 800), shared).identical) << "sent from one place";
    EXPECT_FALSE(compare(mixed(0, 800, 1600), mixed(0, 800, 0), shared).identical)
        << "received and sent, not only received";
  }
}

TEST(Compare, EveryArgumentCounts) {
  const auto one = [](auto call) { return normalized(2, [=](Process& p) { p.send(1, 0, 50), call(p); }); };
  const auto base = [](Process& p) { p.send(1, 8, 2, 5); };
  EXPECT_TRUE(compare(one(base), one(base)).identical);
  const std::vector<Behaviour> others = {
      [](Process& p) { p.send(0, 8, 2, 5); },
      [](Process& p) { p.send(1, 16, 2, 5); },
      [](Process& p) { p.send(1, 8, 3, 5); },
      [](Process& p) { p.send(1, 8, 2, 6); },
      [](Process& p) {
        p.call("MPI_Send", {p.at(8), 2, p.ints(), 1, 5, p.comm()});
      },
      [](Process& p) {
        p.call("MPI_Ssend", {p.at(8), 2, p.doubles(), 1, 5, p.comm()});
      },
      [](Process& p) { p.barrier(); },
      [](Process&) {},
  };
  for (const auto& other : others) EXPECT_FALSE(compare(one(base), one(other)).identical);
}

TEST(Compare, ArraysAndNamesByContent) {
  using Ints = std::vector<std::int64_t>;
  const auto run = [](Ints counts, bool ints_first) {
    return normalized(2, [=](Process& p) {
      if (ints_first) {  // the same calls in the runs of both, with other numbers of arrays and names
        p.call("MPI_Type_size", {p.ints()});
        p.call("MPI_Dims_create", {4, 2, Ints{0, 0}});
      } else {
        p.call("MPI_Type_size", {p.doubles()});
        p.call("MPI_Dims_create", {4, 2, Ints{2, 0}});
      }
      p.call("MPI_Allgatherv", {p.at(0), 1, p.doubles(), p.at(64), counts, Ints{0, 4}, p.doubles(), p.comm()});
    });
  };
  const auto report = compare(run({1, 2}, true), run({1, 2}, false));
  ASSERT_TRUE(report.first_difference);
  EXPECT_EQ(report.first_difference->index, 1u);
  EXPECT_TRUE(report.bytes_matrix_identical);
  auto a = run({1, 2}, true), b = run({1, 2}, false);
  for (auto* each : {&a, &b})  // leave only the calls that are equal
    for (auto& location : each->locations) {
      std::vector<normalize::RecordId> calls(location.calls.begin(), location.calls.end());
      calls.erase(calls.begin() + 1, calls.begin() + 3);
      location.calls = std::span<const normalize::RecordId>(calls);
      location.gap_s.resize(location.calls.size());
    }
  EXPECT_TRUE(compare(a, b).identical);
  EXPECT_FALSE(compare(run({1, 2}, true), run({2, 1}, true)).identical);
}

TEST(Compare, ARunThatStopsEarlyOrGoesOn) {
  const auto shorter = compare(normalized(2, ring(4, 3)), normalized(2, ring(4, 2)));
  ASSERT_TRUE(shorter.first_difference);
  EXPECT_EQ(shorter.first_difference->index, 9u);
  EXPECT_THAT(shorter.first_difference->expected, HasSubstr("MPI_Irecv"));
  EXPECT_THAT(shorter.first_difference->actual, HasSubstr("MPI_Finalize"));
  auto cut = normalized(2, ring());
  cut.locations[1].calls.pop_back();
  const auto end = compare(normalized(2, ring()), cut);
  ASSERT_TRUE(end.first_difference);
  EXPECT_EQ(end.first_difference->rank, 1);
  EXPECT_EQ(end.first_difference->actual, "(no call)");
}

TEST(Compare, OtherRanks) {
  const auto report = compare(normalized(3, ring()), normalized(2, ring()));
  EXPECT_FALSE(report.identical);
  EXPECT_FALSE(report.bytes_matrix_identical);
  ASSERT_TRUE(report.first_difference);
  EXPECT_EQ(report.first_difference->expected, "3 locations");
  EXPECT_EQ(report.first_difference->actual, "2 locations");
}

TEST(Compare, LeavesOutCallsKnownByNameOnly) {
  const auto run = [](int opaque) {
    return normalized(1, [=](Process& p) {
      for (int i = 0; i < opaque; ++i) p.call("MPI_Pcontrol", {});
      p.barrier();
    });
  };
  const auto report = compare(run(3), run(0));
  EXPECT_TRUE(report.identical);
  EXPECT_EQ(report.opaque_skipped, 3u);
  EXPECT_EQ(report.calls_checked, 3u);
}

TEST(Compare, LeavesOutUnsuccessfulPolls) {
  const auto run = [](int polls, int flag) {
    return normalized(2, [=](Process& p) {
      p.irecv(1, 1);
      for (int i = 0; i < polls; ++i) {
        p.call("MPI_Test", {p.request(1), 0, {}});
        p.call("MPI_Iprobe", {0, 7, p.comm(), 0, {}});
        p.call("MPI_Testsome", {1, p.requests({1}), std::vector<std::int64_t>{}, {}});
      }
      if (flag)
        p.call("MPI_Test", {p.request(1), 1, {}});
      else
        p.wait(1);
    });
  };
  EXPECT_TRUE(compare(run(5, 1), run(2, 1)).identical);
  EXPECT_FALSE(compare(run(2, 1), run(2, 0)).identical);
}

TEST(Compare, LeavesOpenWhichMessageAWildcardMatched) {
  const auto run = [](std::int64_t source, std::int64_t wanted) {
    return normalized(3, [=](Process& p) { p.recv(static_cast<int>(wanted), 0, 4, 7, {source, 7}); });
  };
  EXPECT_TRUE(compare(run(1, mpi::kAnySource), run(2, mpi::kAnySource)).identical);
  // The replay may name the source that was matched, and no other.
  EXPECT_TRUE(compare(run(1, mpi::kAnySource), run(1, 1)).identical);
  EXPECT_FALSE(compare(run(1, mpi::kAnySource), run(2, 2)).identical);
  EXPECT_FALSE(compare(run(1, 1), run(1, mpi::kAnySource)).identical);
  EXPECT_EQ(compare(run(1, mpi::kAnySource), run(2, mpi::kAnySource)).matched_otherwise, 3u);
  EXPECT_EQ(compare(run(1, mpi::kAnySource), run(1, 1)).by_recorded_source, 3u);
}

TEST(Compare, FindsAThreadByWhatItDoes) {
  // Threads are numbered by their first calls, which another run makes in another order.
  const auto run = [](std::vector<std::int64_t> tags) {
    return normalized(
        2,
        [=](Process& p) {
          for (int thread = 1; thread <= 3; ++thread) {
            p.on(thread);
            p.send(1 - p.rank(), 0, 4, tags[static_cast<std::size_t>(thread) - 1]);
          }
        },
        {}, Level::multiple);
  };
  EXPECT_TRUE(compare(run({1, 2, 3}), run({1, 2, 3})).identical);
  EXPECT_TRUE(compare(run({1, 2, 3}), run({3, 1, 2})).identical);
  EXPECT_FALSE(compare(run({1, 2, 3}), run({1, 2, 2})).identical);
  EXPECT_FALSE(compare(run({1, 1, 3}), run({1, 3, 3})).identical);
}

TEST(Compare, RequestsThatACallDoesNotCompleteMayBeHidden) {
  // Two requests; `first` and what the call is given there; the other one completes next.
  const auto run = [](std::int64_t index, std::vector<int> given) {
    return normalized(1, [=](Process& p) {
      p.isend(0, 1, 0);
      p.isend(0, 2, 100);
      std::vector<std::int64_t> requests;
      for (const int n : given) requests.push_back(n == 0 ? 0 : p.request(n));
      p.call("MPI_Waitany", {2, requests, index, {}});
      p.wait(index == 0 ? 2 : 1);
    });
  };
  EXPECT_TRUE(compare(run(1, {1, 2}), run(1, {0, 2})).identical);
  EXPECT_TRUE(compare(run(0, {1, 2}), run(0, {1, 0})).identical);
  EXPECT_FALSE(compare(run(1, {0, 2}), run(1, {1, 2})).identical);
  EXPECT_FALSE(compare(run(1, {1, 2}), run(0, {1, 2})).identical);
}

/// Starts two sends and completes them in the given order; `alike`: the MPI returned one handle for both.
normalize::Normalized two_sends(std::vector<int> order, bool alike) {
  return normalized(1, [=](Process& p) {
    for (int i = 0; i < 2; ++i) {
      p.isend(0, 1, 0);
      p.isend(0, alike ? 1 : 2, 100);
      for (const int n : order) p.wait(alike ? 1 : n);
    }
  });
}

TEST(Compare, RequestsThatTheReplayCouldNotTellApart) {
  EXPECT_TRUE(compare(two_sends({1, 2}, false), two_sends({1, 2}, true)).identical);
  EXPECT_TRUE(compare(two_sends({2, 1}, false), two_sends({2, 1}, true)).identical);
  EXPECT_FALSE(compare(two_sends({2, 1}, false), two_sends({1, 2}, false)).identical);
}

TEST(Compare, RequestsOfOneHandleAreNotJustAnyRequest) {
  const auto run = [](int completed) {
    return normalized(1, [=](Process& p) {
      p.isend(0, 1, 0);
      p.isend(0, 1, 100);
      p.irecv(0, 2, 200);
      p.wait(completed);
    });
  };
  EXPECT_TRUE(compare(run(1), run(1)).identical);
  EXPECT_FALSE(compare(run(1), run(2)).identical);
}

TEST(Traffic, CountsWorldRanksInEveryCommunicator) {
  const auto run = normalized(4, [](Process& p) {
    p.call("MPI_Comm_split", {p.comm(), p.rank() % 2, -p.rank(), p.comm(3)});  // {2, 0} and {3, 1}
    p.define(3, 2, p.rank() < 2, p.rank() % 2 + 2);
    if (p.rank() == 3) p.send(1, 0, 10, 7, 3);  // world rank 1
    p.send(p.rank() ? 0 : static_cast<int>(mpi::kProcNull));
  });
  const std::map<std::pair<Rank, Rank>, verify::PairTraffic> expected{
      {{1, 0}, {1, 32}}, {{2, 0}, {1, 32}}, {{3, 0}, {1, 32}}, {{3, 1}, {1, 80}}};
  EXPECT_EQ(verify::traffic(run), expected);
}

TEST(Traffic, OfPersistentRequestsCountsEachStart) {
  const auto run = normalized(2, [](Process& p) {
    const int other = 1 - p.rank();
    p.call("MPI_Send_init", {p.at(0), 4, p.doubles(), other, 7, p.comm(), p.request(1)});
    p.call("MPI_Ssend_init", {p.at(0), 2, p.doubles(), other, 7, p.comm(), p.request(2)});
    p.call("MPI_Recv_init", {p.at(100), 4, p.doubles(), other, 7, p.comm(), p.request(3)});
    for (int i = 0; i < 3; ++i) {
      p.call("MPI_Startall", {3, p.requests({1, 2, 3})});
      p.waitall({1, 2, 3});
    }
    p.call("MPI_Start", {p.request(2)});
    p.wait(2);
  });
  const std::map<std::pair<Rank, Rank>, verify::PairTraffic> expected{{{0, 1}, {7, 3 * 32 + 4 * 16}},
                                                                      {{1, 0}, {7, 3 * 32 + 4 * 16}}};
  EXPECT_EQ(verify::traffic(run), expected);
}

TEST(Traffic, OfReductionsThatScatterIsAllThatTheCallerGives) {
  using Ints = std::vector<std::int64_t>;
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Reduce_scatter", {p.at(0), p.at(100), Ints{1, 2}, p.doubles(), p.sum(), p.comm()});
    p.call("MPI_Ireduce_scatter_block", {p.at(0), p.at(200), 5, p.doubles(), p.sum(), p.comm(), p.request(1)});
    p.wait(1);
  });
  const std::map<std::pair<Rank, Rank>, verify::PairTraffic> expected{{{0, 0}, {2, 24 + 80}}, {{1, 1}, {2, 24 + 80}}};
  EXPECT_EQ(verify::traffic(run), expected);
}

TEST(Traffic, OfADatatypePerRankSumsOverThem) {
  using Ints = std::vector<std::int64_t>;
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Type_contiguous", {3, p.ints(), p.type(4)});
    const Ints types{p.type(4), p.doubles()}, places{0, 200};
    p.call("MPI_Alltoallw", {p.at(0), Ints{2, 5}, places, types, p.at(400), Ints{2, 5}, places, types, p.comm()});
    p.call("MPI_Alltoallw", {mpi::kInPlace, Ints{}, Ints{}, Ints{}, p.at(400), Ints{2, 5}, places, types, p.comm()});
  });
  const std::map<std::pair<Rank, Rank>, verify::PairTraffic> expected{{{0, 0}, {2, 24 + 40}}, {{1, 1}, {2, 24 + 40}}};
  EXPECT_EQ(verify::traffic(run), expected);
}

TEST(Traffic, OfCollectivesIsWhatTheCallerContributes) {
  using Ints = std::vector<std::int64_t>;
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Bcast", {p.at(0), 3, p.ints(), 1, p.comm()});
    p.call("MPI_Scatter", {p.at(0), 2, p.ints(), p.at(50), 2, p.ints(), 1, p.comm()});
    p.call("MPI_Bcast_init", {p.at(0), 3, p.ints(), 1, p.comm(), Ints{}, p.request(1)});
    p.call("MPI_Start", {p.request(1)});
    p.wait(1);
    p.call("MPI_Alltoall", {p.at(100), 2, p.doubles(), p.at(200), 2, p.doubles(), p.comm()});
    p.call("MPI_Alltoallv", {p.at(1000), Ints{2, 1}, Ints{0, 5}, p.doubles(), p.at(2000), Ints{1, 1}, Ints{0, 3},
                             p.doubles(), p.comm()});
    p.barrier();
  });
  const std::map<std::pair<Rank, Rank>, verify::PairTraffic> expected{
      {{0, 0}, {3, 32 + 24}}, {{1, 0}, {3, 12 + 8 + 12}}, {{1, 1}, {3, 32 + 24}}};
  EXPECT_EQ(verify::traffic(run), expected);
}

TEST(Traffic, OfOneSidedCallsGoesWhereTheDataGoes) {
  const auto run = normalized(3, [](Process& p) {
    p.call("MPI_Comm_split", {p.comm(), p.rank() ? 0 : mpi::kUndefined, 0, p.rank() ? p.comm(3) : 0});  // {1, 2}
    if (p.rank() == 0) return;
    p.define(3, 2, p.rank() - 1, 1);
    const std::int64_t window = 500, request = p.request(1);
    p.call("MPI_Win_create", {p.at(1000), 256, 8, 0, p.comm(3), window});
    if (p.rank() == 1) {
      const int to = 1;  // world rank 2
      p.call("MPI_Put", {p.at(0), 3, p.doubles(), to, 0, 6, p.ints(), window});
      p.call("MPI_Put", {p.at(0), 3, p.doubles(), mpi::kProcNull, 0, 3, p.doubles(), window});
      p.call("MPI_Rget", {p.at(0), 5, p.ints(), to, 0, 5, p.ints(), window, request});
      p.wait(1);
      p.call("MPI_Accumulate", {p.at(0), 2, p.doubles(), to, 0, 2, p.doubles(), p.sum(), window});
      p.call("MPI_Get_accumulate",
             {p.at(0), 1, p.doubles(), p.at(80), 1, p.doubles(), to, 0, 1, p.doubles(), p.sum(), window});
      p.call("MPI_Fetch_and_op", {p.at(0), p.at(80), p.ints(), 0, 0, p.sum(), window});  // of its own window
    } else {
      p.writer().op({77, true, "MPI_NO_OP"}, 0);
      p.call("MPI_Fetch_and_op", {p.at(0), p.at(80), p.ints(), 0, 0, 77, window});
      p.call("MPI_Compare_and_swap", {p.at(0), p.at(40), p.at(80), p.doubles(), 0, 0, window});
    }
  });
  const std::map<std::pair<Rank, Rank>, verify::PairTraffic> expected{
      {{0, 0}, {}}, {{1, 1}, {2, 4 + 4}}, {{1, 2}, {3 + 2, 24 + 16 + 8 + 4 + 8}}, {{2, 1}, {2 + 1, 20 + 8 + 16}}};
  auto matrix = verify::traffic(run);
  matrix.try_emplace({0, 0});
  EXPECT_EQ(matrix, expected);
}

/// A column of `rows` doubles goes round, in a structure with a number.
Behaviour columns(std::int64_t rows, bool numbers_first = false) {
  return [=](Process& p) {
    if (numbers_first) p.call("MPI_Bcast", {p.at(900), 1, p.ints(), 0, p.comm()});
    if (!numbers_first) p.call("MPI_Bcast", {p.at(900), 2, p.doubles(), 0, p.comm()});
    for (int i = 0; i < 3; ++i) {
      const std::vector<std::int64_t> types{p.type(4), p.ints()};
      p.call("MPI_Type_vector", {rows, 1, 10, p.doubles(), p.type(4)});
      p.call("MPI_Type_create_struct",
             {2, std::vector<std::int64_t>{1, 1}, std::vector<std::int64_t>{0, 4096}, types, p.type(5)});
      p.call("MPI_Type_free", {p.type(4)});
      p.call("MPI_Send", {p.at(0), 2, p.type(5), (p.rank() + 1) % p.ranks(), 7, p.comm()});
      p.call("MPI_Type_free", {p.type(5)});
    }
  };
}

TEST(Traffic, CountsTheDataInDerivedDatatypes) {
  const auto matrix = verify::traffic(normalized(2, columns(5)));
  EXPECT_EQ(matrix.at({0, 1}).bytes, 3u * 2u * (5u * 8u + 4u) + 16u);  // and a broadcast
  EXPECT_EQ(matrix.at({0, 1}).messages, 3u + 1u);
}

TEST(Compare, DerivedDatatypesByTheirConstructors) {
  EXPECT_TRUE(compare(normalized(2, columns(5)), normalized(2, columns(5), {512, 3})).identical);
  const auto report = compare(normalized(2, columns(5)), normalized(2, columns(6)));
  EXPECT_FALSE(report.identical);
  EXPECT_FALSE(report.bytes_matrix_identical);
  EXPECT_THAT(report.first_difference->expected, HasSubstr("MPI_Type_vector(count=5,"));
}

TEST(Compare, ListsOfDatatypesByWhatTheyName) {
  const auto with = [](bool ints, bool early = false) {
    return normalized(2, [=](Process& p) {
      if (early && p.rank() == 0) p.call("MPI_Type_size", {p.ints()});  // numbers the names differently
      const std::vector<std::int64_t> types{p.doubles(), ints ? p.ints() : p.doubles()};
      p.call("MPI_Type_create_struct",
             {2, std::vector<std::int64_t>{1, 1}, std::vector<std::int64_t>{0, 8}, types, p.type(4)});
    });
  };
  EXPECT_TRUE(compare(with(true), with(true)).identical);
  const auto report = compare(with(true), with(false));
  ASSERT_TRUE(report.first_difference);
  EXPECT_THAT(report.first_difference->expected, HasSubstr("array_of_types=(MPI_DOUBLE, MPI_INT)"));
  EXPECT_THAT(report.first_difference->actual, HasSubstr("array_of_types=(MPI_DOUBLE, MPI_DOUBLE)"));
  // Rank 0 stops at its second call; all three calls of rank 1 are looked at, so they are equal.
  EXPECT_EQ(compare(with(true, true), with(true)).calls_checked, 2u + 3u);
}

}  // namespace
}  // namespace skelgen::test
