// Canonical names of handles, buffers and statuses, call by call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "skt_format.h"
#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Text, SaysEveryArgument) {
  const auto run = normalized(2, [](Process& p) {
    p.isend(1 - p.rank(), 1);
    p.irecv(mpi::kAnySource, 2, 100, 4, mpi::kAnyTag);
    p.waitall({1, 2});
    p.send(mpi::kProcNull);
    p.call("MPI_Allreduce", {mpi::kInPlace, p.at(200), 1, p.doubles(), p.sum(), p.comm()});
  });
  EXPECT_THAT(
      texts(run),
      ElementsAre("MPI_Isend(buf=b0, count=4, datatype=MPI_DOUBLE, dest=1, tag=7, comm=MPI_COMM_WORLD, request=r0)",
                  "MPI_Irecv(buf=b1, count=4, datatype=MPI_DOUBLE, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, "
                  "comm=MPI_COMM_WORLD, "
                  "request=r1)",
                  "MPI_Waitall(count=2, array_of_requests=(r0, r1), array_of_statuses=())",
                  "MPI_Send(buf=b0, count=4, datatype=MPI_DOUBLE, dest=MPI_PROC_NULL, tag=7, comm=MPI_COMM_WORLD)",
                  "MPI_Allreduce(sendbuf=MPI_IN_PLACE, recvbuf=b2, count=1, datatype=MPI_DOUBLE, op=MPI_SUM, "
                  "comm=MPI_COMM_WORLD)"));
}

std::vector<std::int64_t> values_of(const normalize::Normalized& run, mpi::Role role, std::size_t location = 0) {
  std::vector<std::int64_t> values;
  for (const auto call : run.locations[location].calls) {
    const auto& record = run.records[call];
    const int at = run.symbols[record.symbol].function->find(role);
    if (at >= 0) values.push_back(record.values[static_cast<std::size_t>(at)]);
  }
  return values;
}

TEST(Requests, TakeTheLowestFreeSlot) {
  const auto run = normalized(1, [](Process& p) {
    p.irecv(0, 7, 0);
    p.irecv(0, 3, 100);
    p.isend(0, 9, 200);
    p.wait(3);
    p.isend(0, 4, 300);
    p.wait(0);
    p.wait(9);
    p.wait(4);
    p.wait(7);
  });
  EXPECT_THAT(values_of(run, mpi::Role::request), ElementsAre(0, 1, 2, 1, 1, -1, 2, 1, 0));
  EXPECT_TRUE(run.locations[0].shared_requests.empty());
}

TEST(Requests, OfOneHandleAreCompletedOldestFirst) {
  const auto run = normalized(1, [](Process& p) {
    p.isend(0, 1);
    p.isend(0, 1);
    p.isend(0, 1);
    p.wait(1);
    p.isend(0, 1);
    p.waitall({1, 1, 0, 1});
  });
  EXPECT_THAT(values_of(run, mpi::Role::request), ElementsAre(0, 1, 2, 0, 0));
  EXPECT_THAT(texts(run).back(), HasSubstr("array_of_requests=(r1, r2, MPI_REQUEST_NULL, r0)"));
  ASSERT_EQ(run.locations[0].shared_requests.size(), 3u);
  for (const auto& shared : run.locations[0].shared_requests) EXPECT_EQ(shared.first, 1u) << shared.call;
}

TEST(Requests, ThatNoCallNamesGiveTheirSlotsBackAtOnce) {
  const auto run = normalized(1, [](Process& p) {
    for (int i = 1; i < 4; ++i) p.isend(0, i);
    p.wait(3);
    p.irecv(0, 4);
    p.irecv(0, 5);
    p.call("MPI_Test", {p.request(5), 0, {}});
    p.irecv(0, 6);
    p.wait(6);
  });
  EXPECT_THAT(values_of(run, mpi::Role::request), ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 1)) << "5 is tested";
}

TEST(Requests, OfOneHandleThatNoCallNamesAreTheOldest) {
  const auto run = normalized(1, [](Process& p) {
    for (int i = 0; i < 3; ++i) {
      p.isend(0, 1);
      p.isend(0, 1);
      p.wait(1);
    }
  });
  EXPECT_THAT(values_of(run, mpi::Role::request), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0));
  ASSERT_EQ(run.locations[0].shared_requests.size(), 5u) << "verify takes any of them for the other";
  for (const auto& shared : run.locations[0].shared_requests) EXPECT_EQ(shared.first, 1u) << shared.call;
}

TEST(Requests, StayOpenWhenATestSaysNo) {
  const auto run = normalized(1, [](Process& p) {
    p.isend(0, 1);
    p.call("MPI_Test", {p.request(1), 0, {}});
    p.call("MPI_Test", {p.request(1), 1, {}});
    p.isend(0, 2);
    p.isend(0, 3);
    p.isend(0, 4);
    p.call("MPI_Waitany", {3, p.requests({2, 3, 4}), 1, {}});
    p.call("MPI_Testsome", {3, p.requests({2, 0, 4}), std::vector<std::int64_t>{2, 0}, {}});
    p.isend(0, 5);
    p.wait(5);
  });
  EXPECT_THAT(values_of(run, mpi::Role::request), ElementsAre(0, 0, 0, 1, 2, 0, 0));
  EXPECT_THAT(texts(run)[6], HasSubstr("(r0, MPI_REQUEST_NULL, r2)"));
}

TEST(Statuses, AreKeptForWildcardsOnly) {
  const auto run = normalized(2, [](Process& p) {
    p.recv(1, 0, 4, 7, {1, 7});
    p.recv(mpi::kAnySource, 0, 4, 7, {1, 7});
    p.recv(1, 0, 4, mpi::kAnyTag, {1, 9});
    p.irecv(1, 1);
    p.irecv(mpi::kAnySource, 2);
    p.waitall({1, 2}, {1, 7, 0, 7});
    p.irecv(mpi::kAnySource, 1);
    p.wait(1, {1, 7});
    p.isend(1, 1);
    p.wait(1, {55, 66});
  });
  const auto lines = texts(run);
  EXPECT_THAT(lines[0], HasSubstr("status=())"));
  EXPECT_THAT(lines[1], HasSubstr("status=(1, 7))"));
  EXPECT_THAT(lines[2], HasSubstr("status=(1, 9))"));
  EXPECT_THAT(lines[5], HasSubstr("statuses=(-2, -1, 0, 7))"));
  EXPECT_THAT(lines[7], HasSubstr("status=(1, 7))"));
  EXPECT_THAT(lines[9], HasSubstr("status=())"));
}

TEST(Communicators, TakeTheLowestFreeSlot) {
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Comm_dup", {p.comm(), p.comm(3)});
    p.define(3, 2, p.rank(), 0);
    p.call("MPI_Comm_dup", {p.comm(3), p.comm(4)});
    p.define(4, 2, p.rank(), 0);
    p.call("MPI_Comm_free", {p.comm(3)});
    p.call("MPI_Comm_split", {p.comm(4), p.rank() ? mpi::kUndefined : 5, 0, p.rank() ? 0 : p.comm(3)});
    if (p.rank() == 0) p.define(3, 1, 0, 0);
    p.barrier(4);
  });
  EXPECT_THAT(texts(run), ElementsAre("MPI_Comm_dup(comm=MPI_COMM_WORLD, newcomm=c2)",
                                      "MPI_Comm_dup(comm=c2, newcomm=c3)", "MPI_Comm_free(comm=c2)",
                                      "MPI_Comm_split(comm=c3, color=5, key=0, newcomm=c2)", "MPI_Barrier(comm=c3)"));
  EXPECT_THAT(texts(run, 1)[3], "MPI_Comm_split(comm=c3, color=MPI_UNDEFINED, key=0, newcomm=MPI_COMM_NULL)");
  ASSERT_EQ(run.locations[0].communicators.size(), 5u);
  ASSERT_EQ(run.locations[1].communicators.size(), 4u);
  EXPECT_EQ(run.locations[0].communicators[4].size, 1);
}

TEST(Communicators, HaveOneIdentityOnAllMembersAndNoOther) {
  const auto run = normalized(4, [](Process& p) {
    for (int i = 0; i < 2; ++i) {  // two rows of two ranks, then the same again
      p.call("MPI_Comm_split", {p.comm(), p.rank() / 2, 0, p.comm(3 + i)});
      p.define(3 + i, 2, p.rank() % 2, p.rank() / 2 * 2);
    }
    p.call("MPI_Comm_dup", {p.comm(3), p.comm(5)});
    p.define(5, 2, p.rank() % 2, p.rank() / 2 * 2);
  });
  std::map<std::uint64_t, std::vector<std::pair<std::size_t, std::size_t>>> members;
  for (std::size_t l = 0; l < 4; ++l)
    for (std::size_t c = 0; c < run.locations[l].communicators.size(); ++c)
      members[run.locations[l].communicators[c].identity].emplace_back(l, c);
  EXPECT_EQ(members.size(), 1u + 4u + 3u * 2u);  // WORLD, every SELF, three in each row
  for (const auto& [identity, all] : members) {
    const auto& first = run.locations[all[0].first].communicators[all[0].second];
    EXPECT_EQ(static_cast<int>(all.size()), first.size);
    for (const auto& [l, c] : all) EXPECT_EQ(c, all[0].second);
  }
}

TEST(Groups, AreSlotsAndReachCommCreateAsTheirMembers) {
  const auto run = normalized(4, [](Process& p) {
    p.call("MPI_Comm_group", {p.comm(), p.group(1)});
    p.define_group(1, {0, 1, 2, 3});
    p.call("MPI_Group_incl", {p.group(1), 2, std::vector<std::int64_t>{3, 1}, p.group(2)});
    p.define_group(2, {3, 1});
    const bool member = p.rank() == 3 || p.rank() == 1;
    p.call("MPI_Comm_create", {p.comm(), p.group(2), member ? p.comm(3) : 0});
    if (member) p.define(3, 2, p.rank() == 1, 3);
    p.call("MPI_Group_free", {p.group(1)});
    p.call("MPI_Group_free", {p.group(2)});
  });
  EXPECT_THAT(texts(run, 1), ElementsAre("MPI_Comm_group(comm=MPI_COMM_WORLD, group=g0)",
                                         "MPI_Group_incl(group=g0, n=2, ranks=(3, 1), newgroup=g1)",
                                         "MPI_Comm_create(comm=MPI_COMM_WORLD, group=(3, 1), newcomm=c2)",
                                         "MPI_Group_free(group=g0)", "MPI_Group_free(group=g1)"));
}

TEST(Groups, ReturnedTwiceWithOneHandleAreTwo) {
  const auto run = normalized(1, [](Process& p) {
    for (int i = 0; i < 2; ++i) {
      p.call("MPI_Comm_group", {p.comm(), p.group(1)});
      p.define_group(1, {0});
    }
    p.call("MPI_Group_free", {p.group(1)});
    p.call("MPI_Group_free", {p.group(1)});
  });
  EXPECT_THAT(texts(run), ElementsAre("MPI_Comm_group(comm=MPI_COMM_WORLD, group=g0)",
                                      "MPI_Comm_group(comm=MPI_COMM_WORLD, group=g1)", "MPI_Group_free(group=g0)",
                                      "MPI_Group_free(group=g1)"));
}

TEST(Groups, ThatNoReplayedCallMadeHaveNoSlot) {
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Comm_get_attr", {});
    p.define_group(1, {0, 1});
    p.call("MPI_Comm_create", {p.comm(), p.group(1), p.comm(3)});
    p.define(3, 2, p.rank(), 0);
    p.call("MPI_Group_free", {p.group(1)});
  });
  EXPECT_THAT(texts(run)[1], "MPI_Comm_create(comm=MPI_COMM_WORLD, group=(0, 1), newcomm=c2)");
  EXPECT_THAT(texts(run)[2], "MPI_Group_free(group=MPI_GROUP_NULL)");
  EXPECT_EQ(run.opaque.at("MPI_Comm_get_attr"), 2u);
}

TEST(Numbers, ThatNoProgramHasAreRefused) {
  const auto with = [](auto call) { return refusal(2, [=](Process& p) { call(p); }); };
  EXPECT_THAT(with([](Process& p) { p.send(2); }), HasSubstr("names rank 2 of 2"));
  EXPECT_THAT(with([](Process& p) { p.send(-1001); }), HasSubstr("names rank -1001 of 2"))
      << "inside, such a peer would be the answer to a message of MPI_ANY_SOURCE";
  const auto bcast = [&](std::int64_t root) {
    return with([=](Process& p) { p.call("MPI_Bcast", {p.at(0), 1, p.doubles(), root, p.comm()}); });
  };
  EXPECT_EQ(bcast(1), "");
  EXPECT_THAT(bcast(2), HasSubstr("names rank 2 of 2"));
  EXPECT_THAT(bcast(std::numeric_limits<std::int64_t>::min()), HasSubstr("names rank -9223372036854775808 of 2"));
  EXPECT_THAT(
      with([](Process& p) { p.send(1 - p.rank(), 0, -1); }),
      testing::AllOf(HasSubstr("has a count of -1, which MPI refuses"), HasSubstr("in which no MPI call fails")))
      << "a program may go on after that: another trace of it would be the same";
  const auto contiguous = [&](std::int64_t count) {
    return with([=](Process& p) { p.call("MPI_Type_contiguous", {count, p.doubles(), p.type(4)}); });
  };
  EXPECT_EQ(contiguous(1), "");
  EXPECT_THAT(contiguous(std::int64_t{1} << 62), HasSubstr("has a count of 4611686018427387904"));
}

TEST(CallsThatFailed, AreRefusedWhereTheSkeletonWouldDoOtherwise) {
  const auto failed = [](std::string_view function, const std::vector<trace::Argument>& arguments) {
    return refusal(1, [&](Process& p) {
      p.writer().record({SKT_TAG_FAILED, 6});
      p.call(function, arguments);
    });
  };
  EXPECT_THAT(failed("MPI_Group_free", {0}),
              HasSubstr("MPI_Group_free (rank 0, call 1) failed with error class 6; trace a run"));
  EXPECT_THAT(failed("MPI_Recv", {0, 1, 0, 0, 7, 0, std::vector<std::int64_t>{}}),
              HasSubstr("MPI_Recv (rank 0, call 1) failed with error class 6; trace a run"));
  EXPECT_THAT(failed("MPI_Wait", {0, std::vector<std::int64_t>{}}),
              HasSubstr("MPI_Wait (rank 0, call 1) failed with error class 6; trace a run"));
  EXPECT_THAT(failed("MPI_Barrier", {12345}), HasSubstr("failed with error class 6")) << "no communicator";
  EXPECT_EQ(failed("MPI_Error_class", {}), "") << "it is not replayed";
}

TEST(LargeCounts, AreTheCallsWithoutThem) {
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Send_c", {p.at(0), 4, p.doubles(), 1 - p.rank(), 7, p.comm()});
    p.call("MPI_Type_contiguous_c", {6, p.doubles(), p.type(9)});
    p.call("MPI_Allgatherv_c", {p.at(0), 1, p.doubles(), p.at(100), std::vector<std::int64_t>{1, 1},
                                std::vector<std::int64_t>{0, 5}, p.doubles(), p.comm()});
  });
  EXPECT_THAT(texts(run), ElementsAre(testing::StartsWith("MPI_Send(buf=b0, count=4,"),
                                      "MPI_Type_contiguous(count=6, oldtype=MPI_DOUBLE, newtype=t0)",
                                      testing::StartsWith("MPI_Allgatherv(sendbuf=b0, sendcount=1,")));
}

TEST(LargeCounts, ThatAreLargeAreRefusedByName) {
  for (const std::string call : {"MPI_Send_c", "MPI_Allgatherv_c"}) {
    try {
      normalized(2, [&](Process& p) {
        const std::int64_t large = std::int64_t{1} << 32;
        if (call == "MPI_Send_c") p.call(call, {p.at(0), large, p.doubles(), 1 - p.rank(), 7, p.comm()});
        p.call("MPI_Allgatherv_c", {p.at(0), 1, p.doubles(), p.at(100), std::vector<std::int64_t>{1, large},
                                    std::vector<std::int64_t>{0, 5}, p.doubles(), p.comm()});
      });
      FAIL() << call;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(call + " (rank 0, call 1) has a ")) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("that is no int"));
    }
  }
}

TEST(Exchanges, ThatDoNotWaitTellNobodyWhoseMessageTheyGot) {
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Isendrecv", {p.at(0), 4, p.doubles(), 1 - p.rank(), 7, p.at(100), 4, p.doubles(), mpi::kAnySource, 7,
                             p.comm(), p.request(1)});
    p.wait(1, {0, 0});
  });
  ASSERT_EQ(run.locations[0].matches.size(), 1u);
  EXPECT_EQ(run.locations[0].matches[0].source, mpi::kAnySource);
}

}  // namespace
}  // namespace skelgen::test
