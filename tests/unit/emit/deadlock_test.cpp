#include <gmock/gmock.h>

#include "emit/emit.h"
#include "support/error.h"
#include "text/text.h"
#include "unit/emit/programs.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;

Arguments message(Builder& b, const char* peer_name, const Argument& peer, std::int64_t tag) {
  return {{"count", constant(1)}, {"datatype", constant(b.name("MPI_INT"))}, {peer_name, peer}, {"tag", constant(tag)}};
}

TEST(Deadlock, RingWithOneSenderFirstIsSafe) {
  const auto result = check_deadlock(ring(4, 10));
  EXPECT_TRUE(result.safe) << result.explanation;
  EXPECT_EQ(result.explanation, "");
}

TEST(Deadlock, NonblockingExchangeIsSafe) { EXPECT_TRUE(check_deadlock(halo(5, 7)).safe); }

TEST(Deadlock, SendsHeadToHeadAreUnsafe) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", each({1, 0}), 5)));
  m.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), 5)));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_EQ(result.explanation,
            "rank 0 waits in MPI_Send for rank 1 (tag 5); rank 1 waits in MPI_Send for rank 0 (tag 5)");
}

/// Both ranks send, test, receive: the test found the send complete.
Skeleton tested_ring(const Argument& tag) {
  Builder b(2);
  Block m;
  auto sent = message(b, "dest", each({1, 0}), 5), received = message(b, "source", each({1, 0}), 5);
  sent["request"] = constant(0);
  received["tag"] = tag;
  m.push_back(b.call("MPI_Isend", sent));
  m.push_back(b.call("MPI_Test", {{"request", constant(0)}, {"flag", constant(1)}}));
  m.push_back(b.call("MPI_Recv", received));
  return b.finish(std::move(m));
}

TEST(Deadlock, TestsOfSendsGoOnWhereTheyWouldWaitForEver) {
  const auto safe = check_deadlock(tested_ring(constant(5)));
  EXPECT_TRUE(safe.safe) << safe.explanation;
  EXPECT_TRUE(safe.tests_go_on);
  EXPECT_FALSE(check_deadlock(halo(5, 7)).tests_go_on);
}

TEST(Deadlock, TestsDoNotGoOnWhereThatDoesNotHelp) {
  const auto unsafe = check_deadlock(tested_ring(constant(6)));
  EXPECT_FALSE(unsafe.safe);
  EXPECT_FALSE(unsafe.tests_go_on);
  EXPECT_THAT(unsafe.explanation, HasSubstr("rank 0 waits in MPI_Recv for rank 1 (tag 6)"));
}

TEST(Deadlock, APersistentSendWhoseTestIsDeferredIsStillActive) {
  for (const bool waits : {true, false}) {
    Builder b(2);
    Block m;
    auto sent = message(b, "dest", each({1, 0}), 5);
    sent["request"] = constant(0);
    const Arguments request{{"request", constant(0)}};
    m.push_back(b.call("MPI_Send_init", sent));
    m.push_back(b.call("MPI_Start", request));
    m.push_back(b.call("MPI_Test", {{"request", constant(0)}, {"flag", constant(1)}}));
    if (waits) m.push_back(b.call("MPI_Wait", request));
    m.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), 5)));
    if (!waits) m.push_back(b.call("MPI_Wait", request));
    m.push_back(b.call("MPI_Start", request));
    m.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), 5)));
    m.push_back(b.call("MPI_Wait", request));
    m.push_back(b.call("MPI_Request_free", request));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, !waits) << result.explanation;
    EXPECT_EQ(result.tests_go_on, !waits);
  }
}

/// A persistent receive that is cancelled again and again.
TEST(Deadlock, CallsThatAreLookedAtForCancelledRequestsAreCounted) {
  auto skeleton = text::parse(
      "skeleton 1\nranks 1\nprogram {\nMPI_Init()\n"
      "MPI_Recv_init(count=1, datatype=MPI_INT, source=0, request=r0)\nloop 200000000000 {\nMPI_Start(request=r0)\n"
      "MPI_Cancel(request=r0, outcome=1)\nMPI_Wait(request=r0)\n}\nMPI_Request_free(request=r0)\nMPI_Finalize()\n}\n",
      "f");
  for (const auto& [most, reason] : {std::pair(ExecutionLimits{.calls = 10000}, "too many calls"),
                                     std::pair(ExecutionLimits{.messages = 10000}, "cancels too many")}) {
    const auto result = check_deadlock(skeleton, nullptr, most);
    EXPECT_FALSE(result.safe);
    EXPECT_FALSE(result.checked);
    EXPECT_THAT(result.explanation, testing::HasSubstr(reason));
  }
}

TEST(Deadlock, ManyDeferredTestsCostLittle) {
  // Each rank tests its sends at once and has them received at the end: all tests stay open, restarted requests among
  // them.
  constexpr std::int64_t kMany = 30000;
  Builder b(2);
  Block m, sends, receives;
  auto sent = message(b, "dest", each({1, 0}), 5), again = message(b, "dest", constant(mpi::kProcNull), 5);
  sent["request"] = constant(0);
  again["request"] = constant(1);
  m.push_back(b.call("MPI_Send_init", again));
  sends.push_back(b.call("MPI_Isend", sent));
  sends.push_back(b.call("MPI_Test", {{"request", constant(0)}, {"flag", constant(1)}}));
  sends.push_back(b.call("MPI_Start", {{"request", constant(1)}}));
  sends.push_back(b.call("MPI_Test", {{"request", constant(1)}, {"flag", constant(1)}}));
  m.push_back(b.loop(constant(kMany), std::move(sends)));
  receives.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), 5)));
  m.push_back(b.loop(constant(kMany), std::move(receives)));
  m.push_back(b.call("MPI_Request_free", {{"request", constant(1)}}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_TRUE(result.safe) << result.explanation;
  EXPECT_TRUE(result.tests_go_on);
}

TEST(Deadlock, TestedSendsMustBeReceivedAtLast) {
  Builder b(2);
  Block m;
  auto sent = message(b, "dest", each({1, 0}), 5);
  sent["request"] = constant(0);
  m.push_back(b.call("MPI_Isend", sent));
  m.push_back(b.call("MPI_Test", {{"request", constant(0)}, {"flag", constant(1)}}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_THAT(result.explanation, HasSubstr("rank 0 waits in MPI_Test for rank 1 (tag 5)"));
}

TEST(Deadlock, CancelledReceivesTakeNoMessage) {
  for (const auto outcome : {mpi::CancelOutcome::cancelled, mpi::CancelOutcome::received}) {
    Builder b(2);
    Block m;
    const auto message_of = [&](const char* peer, std::int64_t who) { return message(b, peer, constant(who), 5); };
    auto pending = message_of("source", 0);
    pending["request"] = constant(0);
    m.push_back(b.call("MPI_Irecv", pending, Where{1}));
    m.push_back(
        b.call("MPI_Cancel", {{"request", constant(0)}, {"outcome", constant(mpi::value_of(outcome))}}, Where{1}));
    m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}, Where{1}));
    m.push_back(b.call("MPI_Ssend", message_of("dest", 1), Where{0}));
    if (outcome == mpi::CancelOutcome::cancelled) m.push_back(b.call("MPI_Recv", message_of("source", 0), Where{1}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_TRUE(result.safe) << result.explanation;
  }
}

TEST(Deadlock, WhatHangsHoweverManyMessagesAreBufferedIsCertain) {
  for (const std::int64_t tag : {1, 2}) {
    Builder b(2);
    Block m;
    m.push_back(b.call("MPI_Send", message(b, "dest", each({1, 0}), 1)));
    m.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), tag)));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_FALSE(result.safe);
    EXPECT_EQ(result.certain, tag == 2);
    EXPECT_THAT(result.explanation, HasSubstr(tag == 2 ? "rank 0 waits in MPI_Recv for rank 1 (tag 2)"
                                                       : "rank 0 waits in MPI_Send for rank 1 (tag 1)"));
  }
  // Synchronous sends wait with every MPI.
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Ssend", message(b, "dest", each({1, 0}), 1)));
  m.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), 1)));
  EXPECT_TRUE(check_deadlock(b.finish(std::move(m))).certain);
}

TEST(Deadlock, CollectiveCallsWaitAtLeastForWhatTheyGet) {
  // One of four ranks calls the function and then receives what the other ones send before they call it.
  const auto certain = [](const std::string& function, std::uint32_t early) {
    Builder b(4);
    Block m;
    Where others = b.everybody;
    std::erase(others, early);
    const Arguments collective{{"count", constant(1)}, {"root", constant(0)}, {"request", constant(0)}};
    const auto call = [&](const Where& where) {
      m.push_back(b.call(function, collective, where));
      if (function.starts_with("MPI_I")) m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}, where));
    };
    call({early});
    m.push_back(b.call("MPI_Send", message(b, "dest", constant(others[0]), 1), Where{early}));
    m.push_back(b.call("MPI_Recv", message(b, "source", constant(early), 1), Where{others[0]}));
    call(others);
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_FALSE(result.safe) << function;
    return result.certain;
  };
  for (const char* function : {"MPI_Barrier", "MPI_Allreduce", "MPI_Ibarrier", "MPI_Ialltoall", "MPI_Reduce_scatter"})
    EXPECT_TRUE(certain(function, 0) && certain(function, 1)) << function;
  for (const char* function : {"MPI_Bcast", "MPI_Scatter", "MPI_Ibcast"}) {
    EXPECT_FALSE(certain(function, 0)) << function;
    EXPECT_TRUE(certain(function, 1)) << function;
  }
  for (const char* function : {"MPI_Reduce", "MPI_Gatherv", "MPI_Ireduce"}) {
    EXPECT_TRUE(certain(function, 0)) << function;
    EXPECT_FALSE(certain(function, 1)) << function;
  }
  EXPECT_FALSE(certain("MPI_Scan", 1));
}

TEST(Deadlock, WhoGotWhichMessageOfAnySourceIsNotCertain) {
  Builder b(3);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(0), 1), Where{1, 2}));
  m.push_back(b.call("MPI_Recv", message(b, "source", constant(mpi::kAnySource), 1), Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", constant(1), 1), Where{0}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_FALSE(result.certain);
}

TEST(Deadlock, MessagesFitIntoTheReceivesOfATextThatWasEdited) {
  const auto said = [](const std::string& statements, bool edited = true) -> std::string {
    skeleton::Places places;
    auto skeleton = text::parse("skeleton 1\nranks 2\nprogram {\nMPI_Init()\n" + statements + "\nMPI_Finalize()\n}\n",
                                "f", {}, &places);
    skeleton.edited = edited;
    try {
      check_deadlock(skeleton, &places);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  const auto send = [](int count) {
    return "[0] MPI_Send(count=" + std::to_string(count) + ", datatype=MPI_DOUBLE, dest=1)\n";
  };
  const std::string receive = "(count=512, datatype=MPI_DOUBLE, source=";
  const std::string too_small = " takes 4096 bytes, but MPI_Send in line 5 sends it 4800; make the receive larger";
  EXPECT_EQ(said(send(600) + "[1] MPI_Recv" + receive + "0)"), "f:6: MPI_Recv" + too_small);
  EXPECT_EQ(said(send(600) + "[1] MPI_Irecv" + receive + "0, request=r0)\n[1] MPI_Wait(request=r0)"),
            "f:6: MPI_Irecv" + too_small);
  EXPECT_EQ(
      said(send(600) + "[1] MPI_Recv_init" + receive +
           "0, request=r0)\n[1] MPI_Start(request=r0)\n[1] MPI_Wait(request=r0)\n[1] MPI_Request_free(request=r0)"),
      "f:6: MPI_Recv_init" + too_small);
  EXPECT_EQ(said(send(512) + "[1] MPI_Recv" + receive + "0)"), "nothing");
  EXPECT_EQ(said(send(600) + "[1] MPI_Recv" + receive + "MPI_ANY_SOURCE)"), "nothing");
  EXPECT_EQ(said(send(600) + "[1] MPI_Recv" + receive + "0)", false), "nothing");
  EXPECT_EQ(
      said("MPI_Sendrecv(sendcount=2, sendtype=MPI_INT, dest=rank^1, recvcount=1, recvtype=MPI_INT, source=rank^1)"),
      "f:5: MPI_Sendrecv takes 4 bytes, but MPI_Sendrecv in line 5 sends it 8; make the receive larger");
}

TEST(Deadlock, RanksThatDoNotComeAreNamed) {
  const auto waits = [](int ranks, const Where& come) {
    Builder b(ranks);
    Block m;
    m.push_back(b.call("MPI_Barrier", {}, come));
    return check_deadlock(b.finish(std::move(m))).explanation;
  };
  EXPECT_THAT(waits(4, {0, 1, 3}),
              testing::StartsWith("rank 0 waits in MPI_Barrier for rank 2 of a communicator of 4;"));
  EXPECT_EQ(waits(8, {1}), "rank 1 waits in MPI_Barrier for ranks 0, 2, 3, 4 and 3 more of a communicator of 8");
}

TEST(Deadlock, BufferedSendsDoNotWait) {
  Builder b(2);
  Block m;
  auto later = message(b, "dest", each({1, 0}), 5);
  later["request"] = constant(0);
  m.push_back(b.call("MPI_Bsend", message(b, "dest", each({1, 0}), 5)));
  m.push_back(b.call("MPI_Ibsend", later));
  m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}));
  m.push_back(b.call("MPI_Bsend_init", later));
  m.push_back(b.call("MPI_Start", {{"request", constant(0)}}));
  m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}));
  for (int i = 0; i < 3; ++i) m.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), 5)));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_TRUE(result.safe) << result.explanation;
}

TEST(Deadlock, PersistentRequestsWaitEachTime) {
  for (const bool both : {true, false}) {
    Builder b(2);
    Block m, body;
    auto send = message(b, "dest", each({1, 0}), 5), receive = message(b, "source", each({1, 0}), 5);
    send["request"] = constant(0);
    receive["request"] = constant(1);
    m.push_back(b.call("MPI_Send_init", send));
    m.push_back(b.call("MPI_Recv_init", receive));
    body.push_back(b.call("MPI_Start", {{"request", constant(0)}}));
    if (both) body.push_back(b.call("MPI_Start", {{"request", constant(1)}}));
    body.push_back(b.call("MPI_Wait", {{"request", constant(0)}}));
    body.push_back(b.call("MPI_Wait", {{"request", constant(1)}}));
    m.push_back(b.loop(constant(3), std::move(body)));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, both) << result.explanation;
  }
}

TEST(Deadlock, AMatchedMessageMustBeReceivedBeforeItsSendEnds) {
  for (const bool receives_first : {true, false}) {
    Builder b(2);
    Block m;
    auto send = message(b, "dest", each({1, 0}), 5), probe = message(b, "source", each({1, 0}), 5);
    send["request"] = constant(0);
    probe["message"] = constant(0);
    m.push_back(b.call("MPI_Isend", send));
    m.push_back(b.call("MPI_Mprobe", probe));
    auto receive = b.call("MPI_Mrecv", {{"message", constant(0)}});
    auto wait = b.call("MPI_Wait", {{"request", constant(0)}});
    m.push_back(receives_first ? receive : wait);
    m.push_back(receives_first ? wait : receive);
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, receives_first) << result.explanation;
  }
}

TEST(Deadlock, CollectivesThatCompleteLaterWaitForAll) {
  for (const bool all : {true, false}) {
    Builder b(2);
    Block m;
    m.push_back(b.call("MPI_Ibarrier", {{"request", constant(0)}}, all ? Where{0, 1} : Where{0}));
    m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}, all ? Where{0, 1} : Where{0}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, all) << result.explanation;
  }
}

TEST(Deadlock, AGroupMakesItsCommunicatorWithoutTheOthers) {
  Builder b(3);
  b.skeleton.locations[1].communicators.push_back({2, 2, 0, 9});
  b.skeleton.locations[2].communicators.push_back({2, 2, 1, 9});
  Block m;
  m.push_back(
      b.call("MPI_Comm_create_group", {{"group", constant(b.array({1, 2}))}, {"newcomm", constant(2)}}, Where{1, 2}));
  m.push_back(b.call("MPI_Barrier", {{"comm", constant(2)}}, Where{1, 2}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_TRUE(result.safe) << result.explanation;
}

TEST(Deadlock, AGroupIsKnownByItsMembers) {
  for (const bool alike : {true, false}) {
    Builder b(2);
    for (int r = 0; r < 2; ++r) b.skeleton.locations[static_cast<std::size_t>(r)].communicators.push_back({2, 2, r, 9});
    const auto one = b.array({0, 1}),
               other = b.array(alike ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{1, 0});
    Block m;
    m.push_back(b.call("MPI_Comm_create_group", {{"group", each({one, other})}, {"newcomm", constant(2)}}));
    EXPECT_EQ(check_deadlock(b.finish(std::move(m))).safe, alike);
  }
}

TEST(Deadlock, SendrecvHeadToHeadIsSafe) {
  Builder b(2);
  Block m;
  auto both = message(b, "dest", each({1, 0}), 5);
  both["source"] = each({1, 0});
  both["sendtag"] = both["recvtag"] = constant(3);
  m.push_back(b.call("MPI_Sendrecv", both));
  EXPECT_TRUE(check_deadlock(b.finish(std::move(m))).safe);
}

TEST(Deadlock, WaitingForTheSendBeforeReceivingIsUnsafe) {
  Builder b(2);
  Block m;
  auto send = message(b, "dest", each({1, 0}), 1);
  send["request"] = constant(0);
  m.push_back(b.call("MPI_Isend", send));
  m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}));
  m.push_back(b.call("MPI_Recv", message(b, "source", each({1, 0}), 1)));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_THAT(result.explanation, HasSubstr("rank 0 waits in MPI_Wait for rank 1 (tag 1)"));
}

TEST(Deadlock, AnotherTagNeverArrives) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(1), 1), Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", constant(0), 2), Where{1}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_THAT(result.explanation, HasSubstr("rank 1 waits in MPI_Recv for rank 0 (tag 2)"));
}

TEST(Deadlock, CollectiveBetweenSendAndReceiveIsUnsafe) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(1), 1), Where{0}));
  m.push_back(b.call("MPI_Barrier"));
  m.push_back(b.call("MPI_Recv", message(b, "source", constant(0), 1), Where{1}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_THAT(result.explanation, HasSubstr("rank 1 waits in MPI_Barrier for rank 0 of a communicator of 2"));
}

TEST(Deadlock, WildcardTakesTheSourceThatWasRecorded) {
  // Rank 0 receives from 2 first although 1 sent as well; then from 1. With the first sender instead, tags would not
  // fit.
  Builder b(3);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(0), 1), Where{1, 2}));
  auto first = message(b, "source", constant(mpi::kAnySource), 1), second = first;
  first["status"] = constant(b.array({2, 1}));
  second["status"] = constant(b.array({1, 1}));
  m.push_back(b.call("MPI_Recv", first, Where{0}));
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(2), 4), Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", constant(0), 4), Where{2}));
  m.push_back(b.call("MPI_Recv", second, Where{0}));
  EXPECT_TRUE(check_deadlock(b.finish(std::move(m))).safe);
}

TEST(Deadlock, CommunicatorsAreToldApartByIdentityNotBySlot) {
  // Both ranks use slot 2, but for different communicators (each of one rank).
  Builder b(2);
  for (std::uint32_t l = 0; l < 2; ++l) b.skeleton.locations[l].communicators.push_back({2, 1, 0, 7 + l});
  Block m;
  m.push_back(b.call("MPI_Comm_split", {{"color", each({0, 1})}, {"newcomm", constant(2)}}));
  m.push_back(b.call("MPI_Barrier", {{"comm", constant(2)}}, Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", constant(0), 1), Where{1}));
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(1), 1), Where{0}));
  m.push_back(b.call("MPI_Barrier", {{"comm", constant(2)}}, Where{1}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_TRUE(result.safe) << result.explanation;
}

TEST(Deadlock, ManyBlockedRanksAreCounted) {
  Builder b(8);
  std::vector<std::int64_t> right;
  for (int r = 0; r < 8; ++r) right.push_back((r + 1) % 8);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", each(right), 1)));
  EXPECT_THAT(check_deadlock(b.finish(std::move(m))).explanation, HasSubstr("; 4 more ranks wait"));
}

TEST(Deadlock, PersistentCollectivesAreMatchedByTheirMakingNotTheirStart) {
  for (const bool both : {true, false}) {
    Builder b(2);
    Block m;
    for (const std::int64_t request : {0, 1}) m.push_back(b.call("MPI_Barrier_init", {{"request", constant(request)}}));
    m.push_back(b.call("MPI_Start", {{"request", each({0, 1})}}));
    if (both) m.push_back(b.call("MPI_Start", {{"request", each({1, 0})}}));
    m.push_back(b.call("MPI_Wait", {{"request", each({0, 1})}}));
    EXPECT_EQ(check_deadlock(b.finish(std::move(m))).safe, both);
  }
}

/// Two ranks on one side of an intercommunicator (slot 2), one on the other.
Builder two_groups() {
  Builder b(3);
  for (std::uint32_t l = 0; l < 3; ++l)
    b.skeleton.locations[l].communicators.push_back(l < 2 ? mpi::Communicator{2, 2, static_cast<int>(l), 50, 60, 1}
                                                          : mpi::Communicator{2, 1, 0, 60, 50, 2});
  return b;
}

TEST(Deadlock, PeersInAnIntercommunicatorAreOfTheOtherGroup) {
  // Rank 1 of the first group is asked for by its number there, which nobody has in the second group.
  for (const bool right : {true, false}) {
    Builder b = two_groups();
    Block m;
    m.push_back(b.call("MPI_Intercomm_create", {{"newintercomm", constant(2)}}));
    auto to = message(b, "dest", constant(0), 3), from = message(b, "source", constant(right ? 1 : 0), 3);
    to["comm"] = from["comm"] = constant(2);
    m.push_back(b.call("MPI_Send", to, Where{1}));
    m.push_back(b.call("MPI_Recv", from, Where{2}));
    m.push_back(b.call("MPI_Barrier", {{"comm", constant(2)}}));
    EXPECT_EQ(check_deadlock(b.finish(std::move(m))).safe, right);
  }
}

TEST(Deadlock, AllOfBothGroupsMakeAnIntercommunicator) {
  Builder b = two_groups();
  Block m;
  m.push_back(b.call("MPI_Intercomm_create", {{"newintercomm", constant(2)}}, Where{0, 1}));
  EXPECT_THAT(check_deadlock(b.finish(std::move(m))).explanation, HasSubstr("rank 0 waits in MPI_Intercomm_create"));
}

TEST(Deadlock, AGroupOfWhichNobodyIsKnownIsWaitedFor) {
  Builder b(1);
  b.skeleton.locations[0].communicators.push_back({2, 1, 0, 50, 60, 3});
  Block m;
  m.push_back(b.call("MPI_Comm_dup", {{"newcomm", constant(2)}}));
  auto from = message(b, "source", constant(1), 3);
  from["comm"] = constant(2);
  m.push_back(b.call("MPI_Recv", from));
  EXPECT_EQ(check_deadlock(b.finish(std::move(m))).explanation,
            "rank 0 waits in MPI_Recv for rank 1 of a communicator (tag 3)");
}

/// A window (slot 0) of all ranks.
Block with_window(Builder& b) {
  for (auto& location : b.skeleton.locations) {
    auto window = location.communicators[0];
    window.identity = 70;
    location.windows.push_back(window);
  }
  Block m;
  m.push_back(b.call("MPI_Win_create", {{"win", constant(0)}}));
  return m;
}

TEST(Deadlock, AnEpochWaitsForThoseThatUseTheWindow) {
  for (const bool completed : {true, false}) {
    Builder b(2);
    Block m = with_window(b);
    m.push_back(b.call("MPI_Win_post", {{"group", constant(b.array({1}))}}, Where{0}));
    if (completed) {
      m.push_back(b.call("MPI_Win_start", {{"group", constant(b.array({0}))}}, Where{1}));
      m.push_back(b.call("MPI_Win_complete", {}, Where{1}));
    }
    m.push_back(b.call("MPI_Win_wait", {}, Where{0}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, completed);
    if (!completed) EXPECT_THAT(result.explanation, HasSubstr("rank 0 waits in MPI_Win_wait for rank 1"));
  }
}

TEST(Deadlock, AllOfAWindowMeetAtAFence) {
  for (const bool all : {true, false}) {
    Builder b(2);
    Block m = with_window(b);
    m.push_back(b.call("MPI_Win_fence", {}, all ? Where{0, 1} : Where{1}));
    EXPECT_EQ(check_deadlock(b.finish(std::move(m))).safe, all);
  }
}

TEST(Deadlock, AllThatOpenedAFileMeetInItsCollectives) {
  for (const bool all : {true, false}) {
    Builder b(2);
    for (auto& location : b.skeleton.locations) {
      auto file = location.communicators[0];
      file.identity = 71;
      location.files.push_back(file);
    }
    Block m;
    m.push_back(b.call("MPI_File_open", {{"fh", constant(0)}}));
    m.push_back(b.call("MPI_File_write_at", {}, Where{1}));
    m.push_back(b.call("MPI_File_sync", {}, all ? Where{0, 1} : Where{1}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, all);
    if (!all) EXPECT_THAT(result.explanation, HasSubstr("rank 1 waits in MPI_File_sync"));
  }
}

TEST(Deadlock, AskingUntilARequestIsOverWaitsForIt) {
  for (const bool sent : {true, false}) {
    Builder b(2);
    Block m;
    m.push_back(b.call("MPI_Irecv", {{"source", constant(0)}, {"request", constant(0)}}, Where{1}));
    if (sent) m.push_back(b.call("MPI_Ssend", {{"dest", constant(1)}}, Where{0}));
    m.push_back(b.call("MPI_Request_get_status", {{"request", constant(0)}, {"flag", constant(1)}}, Where{1}));
    m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}, Where{1}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, sent);
    if (!sent) EXPECT_THAT(result.explanation, HasSubstr("rank 1 waits in MPI_Request_get_status for rank 0"));
  }
}

TEST(Deadlock, AnExchangeThatDoesNotWaitIsOverWhenBothMessagesAre) {
  for (const bool both : {true, false}) {
    Builder b(2);
    Block m;
    m.push_back(
        b.call("MPI_Isendrecv", {{"dest", constant(1)}, {"source", constant(1)}, {"request", constant(0)}}, Where{0}));
    m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}, Where{0}));
    m.push_back(b.call("MPI_Recv", {{"source", constant(0)}}, Where{1}));
    if (both) m.push_back(b.call("MPI_Send", {{"dest", constant(0)}}, Where{1}));
    EXPECT_EQ(check_deadlock(b.finish(std::move(m))).safe, both);
  }
}

TEST(Deadlock, AQueryOfAnExchangeWaitsForItsSend) {
  Builder b(2);
  Block m;
  m.push_back(b.call(
      "MPI_Isendrecv",
      {{"dest", constant(1)}, {"sendtag", constant(1)}, {"source", constant(1)}, {"recvtag", constant(2)}}, Where{0}));
  m.push_back(b.call("MPI_Request_get_status", {{"flag", constant(1)}}, Where{0}));
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(1), 5), Where{0}));
  m.push_back(b.call("MPI_Wait", {}, Where{0}));
  for (const std::int64_t tag : {2, 5, 1})
    m.push_back(tag == 2 ? b.call("MPI_Send", message(b, "dest", constant(0), tag), Where{1})
                         : b.call("MPI_Recv", message(b, "source", constant(0), tag), Where{1}));
  const auto result = check_deadlock(b.finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_THAT(result.explanation, HasSubstr("rank 0 waits in MPI_Request_get_status for rank 1"));
}

TEST(Deadlock, AMatchedProbeOfNobodyLeavesNothing) {
  Builder b(1);
  Block m, body;
  const auto none = constant(mpi::kMessageNoProc);
  body.push_back(b.call("MPI_Mprobe", {{"source", constant(mpi::kProcNull)}, {"message", none}}));
  body.push_back(b.call("MPI_Mrecv", {{"message", none}}));
  m.push_back(b.loop(constant(20'000), std::move(body)));
  EXPECT_EQ(check_deadlock(b.finish(std::move(m)), nullptr, {.messages = 10'000}).explanation, "");
}

TEST(Deadlock, CollectivesOfAnotherOrderAreUnsafe) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Bcast", {}, Where{0}));
  m.push_back(b.call("MPI_Barrier"));
  m.push_back(b.call("MPI_Bcast", {}, Where{1}));
  const auto skeleton = b.finish(std::move(m));
  const auto result = check_deadlock(skeleton);
  EXPECT_FALSE(result.safe);
  EXPECT_TRUE(result.clash);
  EXPECT_EQ(result.explanation, "rank 1 calls MPI_Barrier where rank 0 calls MPI_Bcast");
  EXPECT_THAT(result.calls, testing::ElementsAre(&skeleton.program[1].call(), &skeleton.program[2].call()));
}

TEST(Deadlock, CollectivesHaveOneRootAndOneOperation) {
  Builder b(2);
  const auto sum = b.name("MPI_SUM"), max = b.name("MPI_MAX");
  const auto explanation = [&](const Arguments& arguments) {
    Builder own(2);
    own.skeleton.names = b.skeleton.names;
    Block m;
    m.push_back(own.call("MPI_Reduce", arguments));
    return check_deadlock(own.finish(std::move(m))).explanation;
  };
  EXPECT_EQ(explanation({{"root", constant(1)}, {"op", constant(max)}, {"count", each({1, 2})}}), "");
  EXPECT_EQ(explanation({{"root", each({0, 1})}, {"op", constant(max)}}),
            "rank 1 calls MPI_Reduce of root 1 where rank 0 calls MPI_Reduce of root 0");
  EXPECT_EQ(explanation({{"op", each({max, sum})}}),
            "rank 1 calls MPI_Reduce with MPI_SUM where rank 0 calls MPI_Reduce with MPI_MAX");
  EXPECT_EQ(explanation({{"op", each({mpi::kMade, mpi::kMade + 1})}}), "");  // the same one in another slot
  EXPECT_EQ(explanation({{"op", each({max, mpi::kMade})}}),
            "rank 1 calls MPI_Reduce with an operation of its own where rank 0 calls MPI_Reduce with MPI_MAX");
}

TEST(Deadlock, OperationsThatDifferInALateIterationAreFound) {
  Builder b(2);
  const auto sum = b.name("MPI_SUM"), max = b.name("MPI_MAX");
  std::vector<std::int64_t> operations(1000, sum);
  operations[700] = max;
  auto op = sequence(operations);
  op.choices.push_back({Sequence::Kind::constant, {sum}});
  op.choice = {0, 1};
  Block m, body;
  body.push_back(b.call("MPI_Allreduce", {{"op", op}}));
  m.push_back(b.loop(constant(1000), std::move(body)));
  EXPECT_FALSE(check_deadlock(b.finish(std::move(m))).safe);
}

TEST(Deadlock, CollectivesThatDoNotWaitMeetTheirLikeOnly) {
  for (const bool alike : {true, false}) {
    Builder b(2);
    Block m;
    m.push_back(b.call("MPI_Ibcast", {{"request", constant(0)}}, alike ? Where{0, 1} : Where{0}));
    if (!alike) m.push_back(b.call("MPI_Bcast", {}, Where{1}));
    m.push_back(b.call("MPI_Barrier"));
    m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}, alike ? Where{0, 1} : Where{0}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, alike) << result.explanation;
  }
}

TEST(Deadlock, PersistentCollectivesAreTheSameOnAllRanks) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Bcast_init", {{"root", each({0, 1})}, {"request", constant(0)}}));
  m.push_back(b.call("MPI_Start", {{"request", constant(0)}}));
  m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}));
  EXPECT_EQ(check_deadlock(b.finish(std::move(m))).explanation,
            "rank 1 calls MPI_Bcast_init of root 1 where rank 0 calls MPI_Bcast_init of root 0");
}

TEST(Deadlock, LargeCountsAreNoOtherCollective) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Bcast", {}, Where{0}));
  m.push_back(b.call("MPI_Bcast_c", {}, Where{1}));
  EXPECT_EQ(check_deadlock(b.finish(std::move(m))).explanation, "");
}

TEST(Deadlock, ARootOfAnotherGroupHasManyNames) {
  Builder b = two_groups();
  Block m;
  m.push_back(b.call("MPI_Intercomm_create", {{"newintercomm", constant(2)}}));
  m.push_back(b.call("MPI_Reduce", {{"root", each({mpi::kRoot, mpi::kProcNull, 0})},
                                    {"op", each({b.name("MPI_SUM"), b.name("MPI_MAX"), b.name("MPI_SUM")})},
                                    {"comm", constant(2)}}));
  EXPECT_EQ(check_deadlock(b.finish(std::move(m))).explanation, "");
}

TEST(Deadlock, WindowsAndFilesAreUsedTogetherByTheSameCalls) {
  for (const bool file : {true, false}) {
    Builder b(2);
    for (auto& location : b.skeleton.locations) {
      location.windows.push_back({0, 2, location.where.rank, 70});
      location.files.push_back({0, 2, location.where.rank, 71});
    }
    Block m;
    m.push_back(b.call("MPI_Win_create"));
    m.push_back(b.call("MPI_File_open"));
    m.push_back(b.call(file ? "MPI_File_write_all" : "MPI_Win_fence", {}, Where{0}));
    m.push_back(b.call(file ? "MPI_File_sync" : "MPI_Win_free", {}, Where{1}));
    EXPECT_TRUE(check_deadlock(b.finish(std::move(m))).clash);
  }
}

TEST(Deadlock, TooMuchToLookAtIsSaid) {
  const auto loop = [](std::vector<const char*> calls) {
    Builder b(1);
    Block m, body;
    for (const char* call : calls) body.push_back(b.call(call));
    m.push_back(b.loop(constant(1'000'000'000'000), std::move(body)));
    return check_deadlock(b.finish(std::move(m)), nullptr, {.calls = 100'000, .messages = 10'000});
  };
  const auto long_one = loop({"MPI_Bsend", "MPI_Probe", "MPI_Recv"});
  EXPECT_FALSE(long_one.checked);
  EXPECT_FALSE(long_one.safe);
  EXPECT_THAT(long_one.explanation, HasSubstr("too many calls"));
  const auto wide_one = loop({"MPI_Bsend"});
  EXPECT_FALSE(wide_one.checked);
  EXPECT_THAT(wide_one.explanation, HasSubstr("too many messages"));
}

TEST(Deadlock, ABufferIsGivenBackWhenItsMessagesAreReceived) {
  for (const bool received_first : {true, false}) {
    Builder b(2);
    Block m;
    m.push_back(b.call("MPI_Bsend", message(b, "dest", constant(1), 5), Where{0}));
    if (received_first) m.push_back(b.call("MPI_Recv", message(b, "source", constant(0), 5), Where{1}));
    m.push_back(b.call("MPI_Buffer_detach", {}, Where{0}));
    m.push_back(b.call("MPI_Recv", message(b, "source", constant(1), 5), Where{0}));
    m.push_back(b.call("MPI_Send", message(b, "dest", constant(0), 5), Where{1}));
    if (!received_first) m.push_back(b.call("MPI_Recv", message(b, "source", constant(0), 5), Where{1}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, received_first);
    if (!received_first)
      EXPECT_THAT(result.explanation, HasSubstr("rank 0 waits in MPI_Buffer_detach for its buffered messages to be "));
  }
}

TEST(Deadlock, AProbeDoesNotSeeWhatAReceiveTakes) {
  for (const bool second : {true, false}) {
    Builder b(2);
    Block m;
    auto receive = message(b, "source", constant(1), 5);
    receive["request"] = constant(0);
    m.push_back(b.call("MPI_Irecv", receive, Where{0}));
    m.push_back(b.call("MPI_Probe", message(b, "source", constant(1), 5), Where{0}));
    m.push_back(b.call("MPI_Wait", {{"request", constant(0)}}, Where{0}));
    m.push_back(b.call("MPI_Send", message(b, "dest", constant(0), 5), Where{1}));
    if (second) {
      m.push_back(b.call("MPI_Send", message(b, "dest", constant(0), 5), Where{1}));
      m.push_back(b.call("MPI_Recv", message(b, "source", constant(1), 5), Where{0}));
    }
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, second) << result.explanation;
  }
}

/// Rank 0 sends rank 1 a message (tag 5, request 0 on both) in so many parts.
Block partitioned(Builder& b, std::int64_t parts) {
  auto send = message(b, "dest", constant(1), 5), receive = message(b, "source", constant(0), 5);
  send["partitions"] = receive["partitions"] = constant(parts);
  Block m;
  m.push_back(b.call("MPI_Psend_init", send, Where{0}));
  m.push_back(b.call("MPI_Precv_init", receive, Where{1}));
  return m;
}

TEST(Deadlock, APartitionedMessageIsNoOtherOfItsTag) {
  Builder b(2);
  Block m = partitioned(b, 1);
  m.push_back(b.call("MPI_Start", {}, Where{0}));
  m.push_back(b.call("MPI_Pready", {}, Where{0}));
  auto any = message(b, "source", constant(0), 5);
  any["tag"] = constant(mpi::kAnyTag);
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(1), 5), Where{0}));
  m.push_back(b.call("MPI_Recv", any, Where{1}));
  m.push_back(b.call("MPI_Recv", message(b, "source", constant(1), 5), Where{0}));
  m.push_back(b.call("MPI_Send", message(b, "dest", constant(0), 5), Where{1}));
  m.push_back(b.call("MPI_Start", {}, Where{1}));
  m.push_back(b.call("MPI_Wait"));
  EXPECT_EQ(check_deadlock(b.finish(std::move(m))).explanation, "");
}

TEST(Deadlock, APartitionedMessageIsThereWhenItsLastPartIsReady) {
  // Rank 1 waits for the message, or for its first part, before it says what rank 0 waits for between its two parts.
  for (const bool first_part : {true, false}) {
    Builder b(2);
    Block m = partitioned(b, 2);
    m.push_back(b.call("MPI_Start"));
    m.push_back(b.call("MPI_Pready", {}, Where{0}));
    m.push_back(b.call("MPI_Recv", message(b, "source", constant(1), 5), Where{0}));
    m.push_back(b.call("MPI_Pready", {{"partition", constant(1)}}, Where{0}));
    m.push_back(first_part ? b.call("MPI_Parrived", {{"flag", constant(1)}}, Where{1})
                           : b.call("MPI_Wait", {}, Where{1}));
    m.push_back(b.call("MPI_Send", message(b, "dest", constant(0), 5), Where{1}));
    m.push_back(b.call("MPI_Wait", {}, first_part ? Where{0, 1} : Where{0}));
    const auto result = check_deadlock(b.finish(std::move(m)));
    EXPECT_EQ(result.safe, first_part) << result.explanation;
    if (!first_part) EXPECT_THAT(result.explanation, HasSubstr("rank 1 waits in MPI_Wait for rank 0 (tag 5)"));
  }
}

TEST(Deadlock, PartsThatAreReadyAreOfTheRequestThatHasTheSlotNow) {
  const auto said = [](const std::string& again) {
    return check_deadlock(
               text::parse("skeleton 1\nranks 1\nprogram {\nMPI_Init()\n"
                           "MPI_Psend_init(partitions=1, count=1, datatype=MPI_INT, dest=0, request=r0)\n"
                           "MPI_Start(request=r0)\n" +
                               again + "MPI_Pready(partition=0, request=r0)\nMPI_Wait(request=r0)\nMPI_Finalize()\n}\n",
                           "f"))
        .explanation;
  };
  EXPECT_THAT(said("MPI_Precv_init(partitions=1, count=1, datatype=MPI_INT, source=0, request=r0)\n"
                   "MPI_Start(request=r0)\n"),
              HasSubstr("rank 0 waits in MPI_Wait for rank 0"));
  EXPECT_EQ(said("MPI_Isendrecv(sendcount=1, sendtype=MPI_INT, dest=0, recvcount=1, recvtype=MPI_INT, source=0, "
                 "request=r0)\n"),
            "");
}

TEST(Deadlock, PartsAreReadyInAnyNumberAtATime) {
  Builder b(2);
  Block m = partitioned(b, 6), body;
  body.push_back(b.call("MPI_Start"));
  body.push_back(
      b.call("MPI_Pready_range", {{"partition_low", constant(1)}, {"partition_high", constant(3)}}, Where{0}));
  body.push_back(b.call("MPI_Pready_list",
                        {{"length", constant(2)}, {"array_of_partitions", constant(b.array({0, 4}))}}, Where{0}));
  body.push_back(b.call("MPI_Pready", {{"partition", constant(5)}}, Where{0}));
  body.push_back(b.call("MPI_Wait"));
  m.push_back(b.loop(constant(3), std::move(body)));
  EXPECT_EQ(check_deadlock(b.finish(std::move(m))).explanation, "");
}

}  // namespace
}  // namespace skelgen::emit
