// skeleton::closed and skeleton::check on merged programs: they need whole programs, which merge makes best.

#include <gtest/gtest.h>

#include <sstream>

#include "merge/merge.h"
#include "merge/sources.h"
#include "support/error.h"
#include "text/text.h"
#include "unit/merge/run.h"

namespace skelgen {
namespace {

using run::always;
using run::call;
using run::loop;
using run::only;

skeleton::Skeleton merged(
    int ranks, const run::Program& program, const std::function<void(normalize::Normalized&)>& change = [](auto&) {}) {
  run::Runner runner(ranks);
  change(runner.normalized());
  const run::Run r = runner.run(program);
  return merge::into_spmd(r.normalized, r.programs);
}

// Whether the first loop of this program is closed.
bool first_loop_closed(
    int ranks, const run::Program& program, const std::function<void(normalize::Normalized&)>& change = [](auto&) {}) {
  const skeleton::Skeleton skeleton = merged(ranks, program, change);
  check(skeleton);
  for (const skeleton::Node& node : skeleton.program)
    if (node.is_loop()) return static_cast<bool>(closed(skeleton, node));
  ADD_FAILURE() << "no loop";
  return false;
}

run::Number shifted(int by, int ranks) {
  return [=](int r, std::uint64_t) { return (r + by + ranks) % ranks; };
}
run::Statement send(run::Number dest, run::Number tag = always(0)) {
  return call("MPI_Send", {{"dest", std::move(dest)}, {"tag", std::move(tag)}});
}
run::Statement recv(run::Number source, run::Number tag = always(0)) {
  return call("MPI_Recv", {{"source", std::move(source)}, {"tag", std::move(tag)}});
}
bool first(int r) { return r == 0; }
bool not_first(int r) { return r != 0; }

TEST(Closed, AMessageThatIsReceivedInTheSameIteration) {
  EXPECT_TRUE(first_loop_closed(3, {loop(5, {send(shifted(1, 3)), recv(shifted(-1, 3))})}));
  EXPECT_FALSE(first_loop_closed(3, {loop(5, {send(shifted(1, 3)), recv(shifted(1, 3))})}));
  EXPECT_FALSE(first_loop_closed(3, {loop(5, {send(shifted(1, 3))}), loop(5, {recv(shifted(-1, 3))})}));
  EXPECT_TRUE(
      first_loop_closed(2, {loop(5, {call("MPI_Sendrecv", {{"dest", shifted(1, 2)}, {"source", shifted(1, 2)}})})}));
  EXPECT_FALSE(first_loop_closed(
      2,
      {loop(5, {call("MPI_Sendrecv", {{"dest", shifted(1, 2)}, {"source", shifted(1, 2)}, {"sendtag", always(4)}})})}));
}

TEST(Closed, IterationsThatAreAllDifferentAreNotLookedAtForever) {
  const run::Number own = [](int r, std::uint64_t) { return r; };
  const run::Number number = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k); };
  for (const auto& skeleton :
       {merged(1, {loop(50, {send(own, number), recv(own, number)})}),
        // Those that ask for the time are not looked at.
        merged(1, {loop(50, {loop(7, {call("MPI_Wtime")}), send(own, number), call("MPI_Wtime"), recv(own, number)})})})
    for (const skeleton::Node& node : skeleton.program) {
      if (!node.is_loop()) continue;
      EXPECT_EQ(closed(skeleton, node, skeleton::Wildcards::recorded, 100).cycle, 50u);
      EXPECT_EQ(closed(skeleton, node, skeleton::Wildcards::recorded, 99).cycle, 0u);
    }
}

TEST(Closed, AStepOfNothingIsNoStep) {
  const run::Number own = [](int r, std::uint64_t) { return r; };
  auto skeleton = merged(1, {loop(50, {send(own), recv(own)})});
  for (skeleton::Node& node : skeleton.program) {
    if (!node.is_loop()) continue;
    for (skeleton::Node& inner : node.loop().body) {
      const int tag = inner.call().function->find(mpi::Role::tag);
      auto& tags = inner.call().arguments[static_cast<std::size_t>(tag)].choices[0];
      tags = {skeleton::Sequence::Kind::arithmetic, {0, 0}};
    }
    EXPECT_EQ(closed(skeleton, node).cycle, 1u);
  }
}

TEST(Closed, NothingIsSentToNobody) {
  const run::Number right = [](int r, std::uint64_t) { return r < 2 ? r + 1 : mpi::kProcNull; };
  const run::Number left = [](int r, std::uint64_t) { return r > 0 ? r - 1 : mpi::kProcNull; };
  EXPECT_TRUE(first_loop_closed(3, {loop(5, {send(right), recv(left)})}));
}

TEST(Closed, TagsMustAgreeInEveryIteration) {
  const run::Number growing = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k); };
  const run::Number wrong_later = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k == 8 ? 0 : k); };
  EXPECT_TRUE(first_loop_closed(3, {loop(9, {send(shifted(1, 3), growing), recv(shifted(-1, 3), growing)})}));
  EXPECT_FALSE(first_loop_closed(3, {loop(9, {send(shifted(1, 3), growing), recv(shifted(-1, 3), wrong_later)})}));
  const run::Number swapped = [](int, std::uint64_t k) { return static_cast<std::int64_t>(1 - k % 2); };
  const run::Number alternating = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k % 2); };
  EXPECT_TRUE(first_loop_closed(2, {loop(8, {send(shifted(1, 2), swapped), recv(shifted(1, 2), swapped)})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(8, {send(shifted(1, 2), swapped), recv(shifted(1, 2), alternating)})}));
  EXPECT_TRUE(first_loop_closed(
      2, {loop(8, {loop(2, {send(shifted(1, 2), swapped)}), loop(2, {recv(shifted(1, 2), alternating)})})}))
      << "both tags in each iteration, in another order";
}

TEST(Closed, WhatHappensInSomeIterationsIsLookedAtInAllThatDiffer) {
  // In every third iteration a message; its tags alternate, the receiver's do not.
  const auto third = [](int, std::uint64_t k) { return static_cast<std::uint64_t>(k % 3 == 2); };
  const run::Number alternating = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k % 2); };
  const auto sometimes = [&](run::Statement s) { return run::varying_loop(third, {std::move(s)}); };
  const auto barrier = call("MPI_Barrier");
  const auto program = [&](const run::Number& tag) {
    return run::Program{
        loop(12, {barrier, sometimes(send(shifted(1, 2), alternating)), sometimes(recv(shifted(1, 2), tag)), barrier})};
  };
  EXPECT_TRUE(first_loop_closed(2, program(alternating)));
  EXPECT_FALSE(first_loop_closed(2, program(always(0))));
  // Two or one message in an iteration: tags of period 2 repeat after four iterations.
  const auto two_or_one = [](int, std::uint64_t k) { return 2 - k % 2; };
  const run::Number swapped = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k % 4 == 1 ? 7 : 0); };
  EXPECT_FALSE(first_loop_closed(
      2, {loop(12, {barrier, run::varying_loop(two_or_one, {send(shifted(1, 2), swapped), recv(shifted(1, 2))})})}));
}

TEST(Closed, WildcardsTakeWhatIsLeft) {
  const auto any = always(mpi::kAnySource);
  const run::Statement gather = only(not_first, send(always(0)));
  EXPECT_TRUE(first_loop_closed(3, {loop(4, {gather, only(first, recv(any)), only(first, recv(any))})}));
  EXPECT_TRUE(first_loop_closed(3, {loop(4, {gather, only(first, recv(any)), only(first, recv(always(2)))})}));
  EXPECT_TRUE(first_loop_closed(
      3, {loop(4, {gather, only(first, recv(any, always(mpi::kAnyTag))), only(first, recv(always(1)))})}));
  EXPECT_FALSE(first_loop_closed(3, {loop(4, {gather, only(first, recv(any))})}));
  EXPECT_FALSE(first_loop_closed(3, {loop(4, {gather, only(first, recv(any)), only(first, recv(any, always(1)))})}));
}

/// The first loop of `program`, where the n-th wildcard statement got its messages from the n-th sequence of senders;
/// the n-th send of rank 0 answers who wrote answers[n] wildcards before.
struct Heard {
  skeleton::Skeleton skeleton;
  bool closed(skeleton::Wildcards wildcards) const {
    check(skeleton);
    for (const auto& node : skeleton.program)
      if (node.is_loop()) return static_cast<bool>(skeleton::closed(skeleton, node, wildcards));
    return false;
  }
};
/// Rank 0 got its messages from `from`, the others whom they named.
skeleton::Argument each_of(const skeleton::Node& node, int source, skeleton::Sequence from) {
  skeleton::Argument matched{{std::move(from)}, {}, {}};
  for (std::size_t at = 1; at < node.where.size(); ++at) {
    matched.choice = {0};
    matched.choices.push_back(node.call().arguments[static_cast<std::size_t>(source)].of(at));
  }
  for (std::size_t at = 1; at < node.where.size(); ++at) matched.choice.push_back(static_cast<std::uint32_t>(at));
  return matched;
}

Heard heard(int ranks, const run::Program& program, const std::vector<std::vector<std::int64_t>>& from,
            const std::vector<std::uint8_t>& answers = {}) {
  Heard result{merged(ranks, program)};
  std::size_t receives = 0, sends = 0;
  for (auto& top : result.skeleton.program) {
    if (!top.is_loop()) continue;
    for (auto& node : top.loop().body) {
      auto& call = node.call();
      const int source = call.function->source();
      if (source >= 0 && call.arguments[static_cast<std::size_t>(source)].of(0).at(0) == mpi::kAnySource)
        call.matched = each_of(node, source, skeleton::Sequence::of(from.at(receives++)));
      if (call.function->name == "MPI_Send" && node.where[0] == 0 && sends < answers.size()) {
        call.answers.assign(node.where.size(), 0);
        call.answers[0] = answers[sends++];
      }
    }
  }
  return result;
}

TEST(Closed, SendersThatWereRecordedBelongToTheirIterations) {
  const auto any = always(mpi::kAnySource);
  const run::Program gather{
      loop(4, {only(not_first, send(always(0))), only(first, recv(any)), only(first, recv(any))})};
  using skeleton::Wildcards;
  EXPECT_TRUE(heard(3, gather, {{1, 1, 1, 1}, {2, 2, 2, 2}}).closed(Wildcards::recorded));
  EXPECT_TRUE(heard(3, gather, {{1, 2, 1, 1}, {2, 1, 2, 2}}).closed(Wildcards::recorded));
  const Heard ahead = heard(3, gather, {{1, 2, 1, 1}, {1, 2, 2, 2}});  // rank 1 was an iteration ahead
  EXPECT_FALSE(ahead.closed(Wildcards::recorded));
  EXPECT_TRUE(ahead.closed(Wildcards::anybody));
  // Who names a sender as well may have lost its message to a wildcard.
  const run::Program named{
      loop(4, {only(not_first, send(always(0))), only(first, recv(any)), only(first, recv(always(2)))})};
  EXPECT_TRUE(heard(3, named, {{1, 1, 1, 1}}).closed(Wildcards::recorded));
  EXPECT_FALSE(heard(3, named, {{1, 1, 1, 1}}).closed(Wildcards::anybody));
}

TEST(Closed, ReceivesWithWildcardsTakeMessagesInOrder) {
  const auto to = [](std::int64_t tag) { return only(not_first, send(always(0), always(tag))); };
  const auto from = [](std::int64_t source, std::int64_t tag) {
    return only(first, recv(always(source), always(tag)));
  };
  const run::Program two{loop(4, {to(1), to(2), from(mpi::kAnySource, 1), from(1, mpi::kAnyTag)})};
  EXPECT_TRUE(heard(2, two, {{1, 1, 1, 1}}).closed(skeleton::Wildcards::recorded));
  // Who names a sender may have lost its message to a wildcard, whatever tag it asks for.
  EXPECT_FALSE(heard(2, two, {{1, 1, 1, 1}}).closed(skeleton::Wildcards::anybody));
  for (const int named : {1, 3}) {
    const run::Program three{
        loop(4, {to(1), from(mpi::kAnySource, 1), from(mpi::kAnySource, 1), from(named, mpi::kAnyTag)})};
    const std::vector<std::int64_t> first(4, named == 1 ? 2 : 1), second(4, named == 1 ? 3 : 2);
    const auto all = heard(4, three, {first, second});
    EXPECT_TRUE(all.closed(skeleton::Wildcards::recorded)) << named;
    EXPECT_FALSE(all.closed(skeleton::Wildcards::anybody)) << named;
  }
  // Receives that all name their senders lose nothing.
  const run::Program tags{loop(4, {to(1), from(1, mpi::kAnyTag)})};
  EXPECT_TRUE(heard(2, tags, {}).closed(skeleton::Wildcards::anybody));
}

TEST(Closed, WhatIsReplayedByRecordedSourcesIsNotCutBecauseAnybodyMayComeFirst) {
  const auto any = always(mpi::kAnySource);
  const run::Program gather{
      loop(4, {only(not_first, send(always(0))), only(first, recv(any)), only(first, recv(any))})};
  using skeleton::Wildcards;
  Heard ahead = heard(3, gather, {{1, 2, 1, 1}, {1, 2, 2, 2}});
  merge::keep_wildcards(ahead.skeleton);
  EXPECT_TRUE(ahead.closed(Wildcards::recorded));
  merge::record_wildcards(ahead.skeleton);
  EXPECT_FALSE(ahead.closed(Wildcards::recorded));
  // What is not cut in any case, like the loops of a pool, may still ask the run.
  Heard open =
      heard(3, {loop(4, {only(first, recv(any))}), loop(4, {only(not_first, send(always(0)))})}, {{1, 2, 1, 2}});
  merge::keep_wildcards(open.skeleton);
  merge::record_wildcards(open.skeleton);
  std::ostringstream text;
  text::print(text, open.skeleton);
  EXPECT_NE(text.str().find("in any order"), std::string::npos) << text.str();
}

TEST(Closed, AnybodyMayComeFirstUnlessWhatFollowsNamesWhoCame) {
  const auto any = always(mpi::kAnySource);
  const auto gather = [&](const char* datatype, std::int64_t tag) {
    const run::Number type = always(datatype == std::string("MPI_INT"));
    return std::vector{
        only(not_first, call("MPI_Send", {{"dest", always(0)}, {"tag", always(tag)}, {"datatype", type}})),
        only(first, call("MPI_Recv", {{"source", any}, {"tag", always(tag)}, {"datatype", type}})),
        only(first, call("MPI_Recv", {{"source", any}, {"tag", always(tag)}, {"datatype", type}}))};
  };
  // Rank 1 is ahead in the loop; what follows is received once.
  const auto freed = [&](const run::Program& behind, std::uint64_t calls_between) {
    run::Program program{loop(4, gather("MPI_DOUBLE", 0))};
    program.insert(program.end(), behind.begin(), behind.end());
    const auto skeleton = merged(3, program, [&](normalize::Normalized& run) {
      auto& matches = run.locations[0].matches;
      for (const std::int64_t from : {1, 1, 2, 2, 1, 2, 1, 2}) matches.push_back({matches.size(), from});
      for (const std::int64_t from : {2, 1}) matches.push_back({matches.size() + calls_between, from});
    });
    return skeleton.program[0].is_loop() && closed(skeleton, skeleton.program[0]);
  };
  const auto barrier = call("MPI_Barrier");
  run::Program same = gather("MPI_INT", 0), apart = same;
  apart.insert(apart.begin(), barrier);
  EXPECT_FALSE(freed(same, 0));
  EXPECT_TRUE(freed(gather("MPI_INT", 1), 0));
  EXPECT_TRUE(freed(apart, 1));
  EXPECT_TRUE(freed({loop(1, {barrier}), same[0], same[1], same[2]}, 1));
  // At first nobody waits there.
  const auto later = run::varying_loop([](int, std::uint64_t k) { return k; }, {barrier});
  EXPECT_FALSE(freed({loop(2, {later, same[0], same[1], same[2]})}, 0));
}

TEST(Closed, AnswersStayInTheirIteration) {
  const auto any = always(mpi::kAnySource);
  const run::Statement ask = only(not_first, send(always(0))), hear = only(first, recv(any)),
                       answer = only(first, send(always(1))), get = only(not_first, recv(always(0)));
  using skeleton::Wildcards;
  const run::Program later{loop(4, {ask, hear, answer, get})}, before{loop(4, {answer, get, ask, hear})};
  EXPECT_TRUE(heard(2, later, {{1, 1, 1, 1}}, {1}).closed(Wildcards::recorded));
  EXPECT_FALSE(heard(2, later, {{1, 1, 1, 1}}, {2}).closed(Wildcards::recorded));
  EXPECT_FALSE(heard(2, later, {{1, 1, 1, 1}}, {1}).closed(Wildcards::anybody));
  EXPECT_FALSE(heard(2, before, {{1, 1, 1, 1}}, {1}).closed(Wildcards::recorded));
  // Whom a probe finds that does not wait is nobody who is answered.
  const run::Statement look = only(first, call("MPI_Iprobe", {{"source", any}, {"flag", always(1)}}));
  const run::Program looked{loop(4, {ask, look, answer, get, hear})};
  EXPECT_FALSE(heard(2, looked, {{1, 1, 1, 1}, {1, 1, 1, 1}}, {1}).closed(Wildcards::recorded));
}

TEST(Closed, RequestsAreCompleted) {
  const auto irecv = [](std::int64_t r) {
    return call("MPI_Irecv", {{"source", shifted(-1, 2)}, {"request", always(r)}});
  };
  const auto wait = [](std::int64_t r) { return call("MPI_Wait", {{"request", always(r)}}); };
  const run::Statement to = send(shifted(1, 2));
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {irecv(0), to, wait(0)})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {to, wait(0), irecv(1)}), wait(1)}));
  EXPECT_TRUE(first_loop_closed(2, {irecv(0), loop(5, {to, wait(0), irecv(0)}), to, wait(0)}))
      << "each iteration completes what the one before started";
  EXPECT_FALSE(first_loop_closed(2, {irecv(0), loop(5, {to, wait(0), irecv(1)})}));
  const auto test = [](std::int64_t flag) {
    return call("MPI_Test", {{"request", always(0)}, {"flag", always(flag)}});
  };
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {irecv(0), to, test(0), test(1)})}));
  const auto init = call("MPI_Recv_init", {{"source", shifted(-1, 2)}, {"request", always(0)}});
  const auto start = call("MPI_Start", {{"request", always(0)}});
  EXPECT_TRUE(first_loop_closed(2, {init, loop(5, {start, to, test(0), test(1)})}));
  EXPECT_FALSE(first_loop_closed(2, {init, loop(5, {start, to, test(0)})}));
}

TEST(Closed, RequestsThatAreForgottenAreStartedAgainInTheNextIteration) {
  const auto isend = [](run::Number r) {
    return call("MPI_Isend", {{"dest", shifted(1, 2)}, {"request", std::move(r)}});
  };
  const auto wait = [](run::Number r) { return call("MPI_Wait", {{"request", std::move(r)}}); };
  const run::Statement from = recv(shifted(-1, 2));
  const run::Number zero = always(0), turn = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k % 2); };
  EXPECT_TRUE(first_loop_closed(2, {loop(6, {isend(zero), from})}));
  EXPECT_TRUE(first_loop_closed(2, {loop(6, {isend(zero), from, isend(zero), from})}));
  EXPECT_TRUE(first_loop_closed(2, {loop(6, {isend(zero), from}), wait(zero)})) << "but for the last one";
  EXPECT_TRUE(first_loop_closed(2, {loop(6, {isend(zero), from, wait(zero), isend(zero), from})}));
  EXPECT_TRUE(first_loop_closed(2, {loop(6, {isend(turn), from})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(6, {isend(zero)}), loop(6, {from})})) << "messages stay in it all the same";
  EXPECT_TRUE(first_loop_closed(2, {loop(6, {isend(turn), from, wait(zero)})})) << "some are waited for later";
}

TEST(Closed, WhatIsCancelledIsTheRequestThatHasTheSlotNow) {
  const auto on = [](const char* name) { return call(name, {{"request", always(0)}}); };
  const auto cancel = call("MPI_Cancel", {{"request", always(0)}, {"outcome", always(1)}});
  const auto receive = [](const char* name) {
    return call(name, {{"source", shifted(-1, 2)}, {"request", always(0)}});
  };
  const run::Statement to = send(shifted(1, 2));
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {receive("MPI_Irecv"), cancel, on("MPI_Wait")})}));
  // Persistent ones, too, whatever had the slot before.
  const auto started = [&](const run::Statement& sent) {
    return first_loop_closed(2, {loop(5, {receive("MPI_Irecv"), sent, on("MPI_Wait"), receive("MPI_Recv_init"),
                                          on("MPI_Start"), cancel, on("MPI_Wait"), on("MPI_Request_free")})});
  };
  EXPECT_TRUE(started(to));
  EXPECT_FALSE(started(on("MPI_Wait")));
  // Whatever is called before.
  const auto type = call("MPI_Type_contiguous", {{"newtype", always(0)}});
  const auto free = call("MPI_Type_free", {{"datatype", always(mpi::kMade)}});
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {type, receive("MPI_Irecv"), cancel, on("MPI_Wait"), free})}));
}

TEST(Closed, PartitionedMessagesAreNoOthersOfTheirTag) {
  const auto init = [](const char* name, const char* peer) {
    return call(name, {{peer, shifted(1, 2)}, {"request", always(0)}, {"partitions", always(1)}});
  };
  const auto on = [](const char* name) { return call(name, {{"request", always(0)}}); };
  const auto sends = only(first, init("MPI_Psend_init", "dest")), start = only(first, on("MPI_Start"));
  const auto ready = only(first, on("MPI_Pready")), wait = only(first, on("MPI_Wait"));
  EXPECT_FALSE(first_loop_closed(2, {sends, loop(5, {start, ready, only(not_first, recv(shifted(1, 2))), wait})}));
  EXPECT_TRUE(first_loop_closed(2, {sends, only(not_first, init("MPI_Precv_init", "source")),
                                    loop(5, {on("MPI_Start"), ready, on("MPI_Wait")})}));
}

TEST(Closed, PersistentRequestsMadeBeforeTheLoop) {
  const auto init = [](const char* name, const char* peer, std::int64_t r, std::int64_t tag = 0) {
    return call(name, {{peer, shifted(1, 2)}, {"request", always(r)}, {"tag", always(tag)}});
  };
  const auto on = [](const char* name, std::int64_t r) { return call(name, {{"request", always(r)}}); };
  const auto sends = init("MPI_Send_init", "dest", 0), receives = init("MPI_Recv_init", "source", 1);
  const auto start = [&](std::int64_t r) { return on("MPI_Start", r); };
  const auto wait = [&](std::int64_t r) { return on("MPI_Wait", r); };
  EXPECT_TRUE(first_loop_closed(2, {sends, receives, loop(5, {start(0), start(1), wait(0), wait(1)})}));
  EXPECT_TRUE(first_loop_closed(2, {sends, receives, loop(5, {start(0), start(1), wait(0), wait(0), wait(1)})}))
      << "a request that is inactive is complete";
  EXPECT_FALSE(first_loop_closed(2, {sends, receives, loop(5, {start(0), start(1), wait(0)})}));
  EXPECT_FALSE(first_loop_closed(2, {sends, receives, loop(5, {start(0), wait(0)}), start(1), wait(1)}))
      << "what is sent is not received";
  EXPECT_FALSE(first_loop_closed(
      2, {sends, init("MPI_Recv_init", "source", 1, 3), loop(5, {start(0), start(1), wait(0), wait(1)})}));
  EXPECT_TRUE(first_loop_closed(
      2, {sends, receives, start(0), start(1), loop(5, {wait(0), wait(1), start(1), start(0)}), wait(0), wait(1)}))
      << "each iteration completes what the one before started";
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {start(0), wait(0)})})) << "what it starts is not known";
  const auto free = [&](std::int64_t r) { return on("MPI_Request_free", r); };
  EXPECT_TRUE(
      first_loop_closed(2, {loop(5, {sends, receives, start(0), start(1), wait(0), wait(1), free(0), free(1)})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {sends, receives, start(0), start(1), wait(0), wait(1), free(0)})}));
  EXPECT_FALSE(
      first_loop_closed(2, {sends, receives, loop(5, {start(0), start(1), wait(0), wait(1), free(1), receives})}));
}

TEST(Closed, MatchedMessagesAreReceived) {
  const auto probe = call("MPI_Mprobe", {{"source", shifted(-1, 2)}, {"message", always(0)}});
  const auto receive = call("MPI_Mrecv", {{"message", always(0)}});
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {send(shifted(1, 2)), probe, receive})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {send(shifted(1, 2)), probe})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {send(shifted(1, 2)), receive})}));
}

TEST(Closed, MemoryForBufferedSendsIsGivenBack) {
  const auto attach = call("MPI_Buffer_attach"), detach = call("MPI_Buffer_detach");
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {attach, detach})}));
  EXPECT_FALSE(first_loop_closed(2, {attach, loop(5, {detach, attach})}));
}

TEST(Closed, MemoryOfAWindowIsDetachedInTheSameIteration) {
  const auto window = [](normalize::Normalized& run) {
    for (auto& location : run.locations) location.windows.push_back(location.communicators[0]);
  };
  const auto on = [](const char* name, run::Number slot) {
    return call(name, {{"base", [=](int r, std::uint64_t k) { return run::buffer(slot(r, k)); }}});
  };
  const auto create = call("MPI_Win_create_dynamic");
  const auto attach = on("MPI_Win_attach", always(0)), detach = on("MPI_Win_detach", always(0));
  EXPECT_TRUE(first_loop_closed(2, {create, loop(5, {attach, detach})}, window));
  EXPECT_FALSE(first_loop_closed(2, {create, loop(5, {attach})}, window));
  EXPECT_FALSE(first_loop_closed(2, {create, attach, loop(5, {detach, attach})}, window));
  const run::Number alternating = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k % 2); };
  EXPECT_TRUE(first_loop_closed(
      2, {create, loop(6, {on("MPI_Win_attach", alternating), on("MPI_Win_detach", alternating)})}, window));
  EXPECT_FALSE(first_loop_closed(2, {create, loop(6, {on("MPI_Win_attach", alternating), detach})}, window));
}

TEST(Closed, RequestArrays) {
  const auto init = [](std::int64_t r) {
    return call("MPI_Recv_init", {{"source", shifted(-1, 2)}, {"request", always(r)}});
  };
  const auto start = [](std::int64_t r) { return call("MPI_Start", {{"request", always(r)}}); };
  const run::Statement to = send(shifted(1, 2));
  const auto with = [](normalize::Normalized& n) { n.arrays = {{}, {0, 1}, {0}, {1}}; };
  const auto some = [](const char* name, std::map<std::string, run::Number> more) {
    more["array_of_requests"] = always(1);
    return call(name, std::move(more));
  };
  const auto body = [&](std::vector<run::Statement> ends) {
    run::Program b{start(0), start(1), to, to};
    b.insert(b.end(), ends.begin(), ends.end());
    return run::Program{init(0), init(1), loop(5, b)};
  };
  EXPECT_TRUE(first_loop_closed(2, body({some("MPI_Waitall", {})}), with));
  EXPECT_TRUE(first_loop_closed(
      2, body({some("MPI_Waitany", {{"index", always(0)}}), some("MPI_Waitany", {{"index", always(1)}})}), with));
  EXPECT_FALSE(first_loop_closed(2, body({some("MPI_Waitany", {{"index", always(0)}})}), with));
  EXPECT_TRUE(first_loop_closed(2,
                                body({some("MPI_Waitsome", {{"array_of_indices", always(2)}}),
                                      some("MPI_Waitsome", {{"array_of_indices", always(3)}})}),
                                with));
  EXPECT_FALSE(first_loop_closed(2, body({some("MPI_Testsome", {{"array_of_indices", always(2)}})}), with));
}

TEST(Closed, CollectivesNeedAllMembers) {
  const run::Statement barrier = call("MPI_Barrier"), sum = call("MPI_Allreduce", {{"op", always(2)}});
  EXPECT_TRUE(first_loop_closed(3, {loop(4, {barrier, sum})}));
  EXPECT_FALSE(first_loop_closed(3, {loop(4, {barrier, only(not_first, sum)})}));
  const run::Statement root = call("MPI_Bcast", {{"root", [](int r, std::uint64_t) { return r == 1; }}});
  EXPECT_FALSE(first_loop_closed(3, {loop(4, {root})}));
  const run::Statement in_row = call("MPI_Barrier", {{"comm", always(2)}});
  const auto rows = [](normalize::Normalized& n) {
    for (int r = 0; r < 4; ++r)
      n.locations[static_cast<std::size_t>(r)].communicators.push_back(
          {2, 2, r % 2, 7 + static_cast<std::uint64_t>(r / 2)});
  };
  EXPECT_TRUE(first_loop_closed(4, {loop(3, {in_row})}, rows));
  EXPECT_TRUE(first_loop_closed(4, {only([](int r) { return r < 2; }, loop(3, {in_row}))}, rows));
  EXPECT_FALSE(first_loop_closed(4, {only([](int r) { return r < 3; }, loop(3, {in_row}))}, rows));
  const auto reused = [&](normalize::Normalized& n) {
    rows(n);
    n.locations[0].communicators.push_back({2, 4, 0, 9});
  };
  EXPECT_FALSE(first_loop_closed(4, {loop(3, {in_row})}, reused)) << "which communicator it is cannot be told";
}

TEST(Closed, PersistentCollectivesThatAllStartInWhateverOrder) {
  const auto init = [](std::int64_t request) { return call("MPI_Barrier_init", {{"request", always(request)}}); };
  const auto start = [](run::Number request) { return call("MPI_Start", {{"request", request}}); };
  const auto wait = [](run::Number request) { return call("MPI_Wait", {{"request", request}}); };
  const run::Number one = [](int r, std::uint64_t) { return r % 2; },
                    other = [](int r, std::uint64_t) { return 1 - r % 2; };
  EXPECT_TRUE(first_loop_closed(2, {init(0), init(1), loop(4, {start(one), start(other), wait(one), wait(other)})}));
  EXPECT_FALSE(first_loop_closed(2, {init(0), init(1), loop(4, {start(one), wait(one)})}));
}

TEST(Closed, OneSidedEpochs) {
  const auto with = [](normalize::Normalized& n) {
    n.arrays.push_back({0});
    n.arrays.push_back({1});
    for (auto& location : n.locations) {
      location.windows.push_back(location.communicators[0]);
      location.windows.back().identity = 70;
    }
  };
  const run::Statement fence = call("MPI_Win_fence"), put = call("MPI_Put", {{"target_rank", shifted(1, 2)}});
  EXPECT_TRUE(first_loop_closed(2, {loop(4, {put, fence})}, with));
  EXPECT_FALSE(first_loop_closed(2, {loop(4, {put, only(first, fence)})}, with));
  const run::Number group = [](int r, std::uint64_t) { return r == 0 ? 2 : 1; };  // the other rank
  const run::Statement post = call("MPI_Win_post", {{"group", group}}),
                       started = call("MPI_Win_start", {{"group", group}}), complete = call("MPI_Win_complete"),
                       wait = call("MPI_Win_wait");
  EXPECT_TRUE(first_loop_closed(2, {loop(4, {post, started, put, complete, wait})}, with));
  EXPECT_FALSE(first_loop_closed(2, {loop(4, {post, only(first, started), only(first, complete), wait})}, with));
}

TEST(Closed, AllLocationsRunItEquallyOften) {
  EXPECT_FALSE(first_loop_closed(2, {loop([](int r) { return 4 + r; }, {call("MPI_Wtime")})}));
  EXPECT_TRUE(first_loop_closed(2, {loop(4, {call("MPI_Wtime")})}));
}

TEST(Closed, CommunicatorsAreNotMadeInside) {
  EXPECT_FALSE(first_loop_closed(2, {loop(4, {call("MPI_Comm_dup", {{"newcomm", always(2)}})})}));
}

TEST(Closed, ANestedLoop) {
  const skeleton::Skeleton skeleton =
      merged(3, {loop(3, {call("MPI_Barrier"), loop(5, {send(shifted(1, 3)), recv(shifted(-1, 3))})})});
  EXPECT_TRUE(closed(skeleton, skeleton.program[0].loop().body[1]));
  EXPECT_FALSE(closed(skeleton, skeleton.program[0].loop().body[0])) << "no loop at all";
}

TEST(Closed, WhatAnIterationMakesItFrees) {
  const auto dup = call("MPI_Comm_dup", {{"newcomm", always(2)}}), free = call("MPI_Comm_free", {{"comm", always(2)}});
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {dup, free})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {free, dup})}));
  EXPECT_FALSE(first_loop_closed(2, {dup, loop(5, {free, dup}), free}));
}

TEST(Closed, FirstAndLastIterationsNeedNotBeClosedToBeCut) {
  const run::Statement to = send(shifted(1, 2)), from = recv(shifted(-1, 2));
  const auto once = [](std::uint64_t when, run::Statement what) {
    return run::varying_loop([=](int, std::uint64_t k) { return k == when ? 1u : 0u; }, {std::move(what)});
  };
  const auto dup = call("MPI_Comm_dup", {{"newcomm", always(2)}});
  const auto cut = [](const run::Program& program) {
    const auto skeleton = merged(2, program);
    return cuttable(skeleton, skeleton.program[0]);
  };
  EXPECT_TRUE(cut({loop(6, {to, from})}));
  EXPECT_EQ(cut({loop(6, {to, from})}).ends, (std::vector<skeleton::Ends>{{1, 0}}));
  EXPECT_TRUE(cut({loop(6, {once(0, dup), to, from})}));
  EXPECT_EQ(cut({loop(6, {once(0, dup), to, from})}).ends, (std::vector<skeleton::Ends>{{1, 0}}));
  EXPECT_TRUE(cut({loop(6, {to, from, once(5, dup)})}));
  EXPECT_EQ(cut({loop(6, {to, from, once(5, dup)})}).ends, (std::vector<skeleton::Ends>{{1, 1}}));
  EXPECT_FALSE(cut({loop(6, {once(0, to), from, to}), from})) << "a message is under way all the time";
  EXPECT_FALSE(cut({loop(6, {to, from, once(3, dup)})}));
  EXPECT_EQ(cut({loop(6, {to, from, once(3, dup)})}).obstacle, skeleton::Obstacle::objects);
  EXPECT_FALSE(first_loop_closed(2, {loop(6, {to, from, once(5, dup)})}));
}

TEST(Closed, RanksThatRunALoopDifferentlyOftenAreAlignedByWhatTheyExchange) {
  const run::Statement to = send(shifted(1, 2)), from = recv(shifted(-1, 2));
  const auto both = call("MPI_Sendrecv", {{"dest", shifted(1, 2)}, {"source", shifted(1, 2)}});
  const auto cut = [](const run::Program& program) {
    const auto skeleton = merged(2, program);
    for (const skeleton::Node& node : skeleton.program)
      if (node.is_loop()) return cuttable(skeleton, node);
    return skeleton::Cuttable();
  };
  const auto trips = [](int of_first, int of_other, run::Program body) {
    return run::varying_loop([=](int r, std::uint64_t) { return r == 0 ? of_first : of_other; }, std::move(body));
  };
  using All = std::vector<skeleton::Ends>;
  EXPECT_EQ(cut({only(first, both), trips(5, 6, {to, from})}).ends, (All{{1, 0}, {2, 0}}));
  EXPECT_EQ(cut({trips(5, 6, {to, from}), only(first, both)}).ends, (All{{1, 0}, {1, 1}}));
  EXPECT_EQ(cut({only(first, both), only(first, both), trips(8, 9, {to, from}), only(not_first, both)}).ends,
            (All{{1, 1}, {3, 0}}));
  // A message is under way all the time.
  EXPECT_FALSE(cut({only(first, to), trips(5, 6, {from, to}), only(first, from)}));
}

TEST(Closed, FirstIterationsMayPrepareWhatTheOthersUse) {
  const run::Statement to = send(shifted(1, 2)), from = recv(shifted(-1, 2));
  // Iterations 0, 2, 4, ... below `end` make a communicator that stays.
  const auto prepares = [](std::uint64_t end) {
    return run::varying_loop(
        [=](int, std::uint64_t k) { return k < end && k % 2 == 0 ? 1u : 0u; },
        {call("MPI_Comm_dup",
              {{"newcomm", run::Number([](int, std::uint64_t k) { return static_cast<std::int64_t>(2 + k); })}})});
  };
  const auto cut = [](const run::Program& program) {
    const auto skeleton = merged(2, program);
    for (const skeleton::Node& node : skeleton.program)
      if (node.is_loop()) return cuttable(skeleton, node);
    return skeleton::Cuttable();
  };
  using All = std::vector<skeleton::Ends>;
  EXPECT_EQ(cut({loop(40, {to, from, prepares(5)})}).ends, (All{{5, 0}}));
  EXPECT_FALSE(cut({loop(40, {to, from, prepares(39)})})) << "more than a quarter prepares";
  EXPECT_EQ(cut({loop(40, {to, from, prepares(39)})}).obstacle, skeleton::Obstacle::objects);
  // So do persistent requests, windows and files.
  const auto made_in = [&](run::Statement what) {
    return cut({loop(40,
                     {to, from,
                      run::varying_loop([](int, std::uint64_t k) { return k == 3 ? 1u : 0u; }, {std::move(what)})})})
        .ends;
  };
  EXPECT_EQ(made_in(call("MPI_Send_init", {{"dest", shifted(1, 2)}, {"request", always(0)}})), (All{{4, 0}}));
  EXPECT_EQ(made_in(call("MPI_Win_create", {{"win", always(0)}})), (All{{4, 0}}));
  EXPECT_EQ(made_in(call("MPI_File_open", {{"fh", always(0)}})), (All{{4, 0}}));
  // Rank 0 prepares in an iteration more, in which it exchanges nothing.
  const auto trips = run::varying_loop(
      [](int r, std::uint64_t) { return r == 0 ? 41 : 40; },
      {run::varying_loop([](int r, std::uint64_t k) { return r == 0 && k == 3 ? 0u : 1u; }, {to, from}),
       call("MPI_Wtime"), prepares(5)});
  EXPECT_EQ(cut({trips}).ends, (All{{6, 0}, {5, 0}}));
}

TEST(Closed, SendsMayBeWaitedForInALaterIteration) {
  // Every other iteration waits for the send that the one before left open.
  const auto start = [](const char* function, const char* peer, int by) {
    return call(function, {{peer, shifted(by, 2)}, {"request", always(0)}});
  };
  const auto wait =
      run::varying_loop([](int, std::uint64_t k) { return k % 2; }, {call("MPI_Wait", {{"request", always(0)}})});
  const auto other = run::varying_loop([](int, std::uint64_t k) { return 1 - k % 2; },
                                       {start("MPI_Isend", "dest", 1), recv(shifted(-1, 2))});
  const auto received = run::varying_loop([](int, std::uint64_t k) { return 1 - k % 2; },
                                          {start("MPI_Irecv", "source", -1), send(shifted(1, 2))});
  const auto cut = [](const run::Program& program) {
    const auto skeleton = merged(2, program);
    return static_cast<bool>(cuttable(skeleton, skeleton.program[0]));
  };
  EXPECT_TRUE(cut({loop(8, {wait, call("MPI_Barrier"), other})}));
  EXPECT_FALSE(cut({loop(8, {wait, call("MPI_Barrier"), received})})) << "what was not received is not there";
}

TEST(Closed, SaysWhatTheObstacleIs) {
  const auto obstacle = [](const run::Program& program) {
    const auto skeleton = merged(3, program);
    return closed(skeleton, skeleton.program[0]).obstacle;
  };
  EXPECT_EQ(obstacle({loop(5, {send(shifted(1, 3)), recv(shifted(-1, 3))})}), skeleton::Obstacle::none);
  EXPECT_EQ(obstacle({loop(5, {send(shifted(1, 3))}), loop(5, {recv(shifted(-1, 3))})}), skeleton::Obstacle::messages);
  const auto irecv = call("MPI_Irecv", {{"source", shifted(-1, 3)}, {"request", always(1)}});
  EXPECT_EQ(obstacle({loop(5, {irecv, send(shifted(1, 3)), call("MPI_Wait", {{"request", always(0)}})})}),
            skeleton::Obstacle::requests);
}

TEST(Check, NamesTheNodeThatIsWrong) {
  const skeleton::Skeleton good =
      merged(3, {call("MPI_Barrier"), loop(3, {send(shifted(1, 3)), recv(shifted(-1, 3))})});
  check(good);
  const auto expect_wrong = [&](const char* text, const std::function<void(skeleton::Skeleton&)>& change) {
    skeleton::Skeleton bad = good;
    change(bad);
    try {
      check(bad);
      ADD_FAILURE() << "no error for: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), std::string(text));
    }
  };
  expect_wrong("node 0: executed by nobody", [](auto& s) { s.program[0].where.clear(); });
  expect_wrong("node 0: locations not ascending", [](auto& s) { s.program[0].where = {1, 0}; });
  expect_wrong("node 0: location 3 of 3", [](auto& s) { s.program[0].where = {3}; });
  expect_wrong("node 0: a call of no function", [](auto& s) { s.program[0].call().function = nullptr; });
  expect_wrong("node 0: MPI_Barrier with 0 arguments", [](auto& s) { s.program[0].call().arguments.clear(); });
  expect_wrong("node 1 (loop): a loop over nothing", [](auto& s) { s.program[1].loop().body.clear(); });
  expect_wrong("node 1 (loop): a loop of no trips", [](auto& s) { s.program[1].loop().trips.choices[0].values = {0}; });
  expect_wrong("node 1 (loop).0: location 0 does not execute the enclosing loop", [](auto& s) {
    s.program[1].where = {1, 2};
  });
  expect_wrong("node 1 (loop).0: computation before the first node of a loop's body on location 1", [](auto& s) {
    s.program[1].loop().body[0].before.mean_s = {0, 1, 0};
  });
  expect_wrong("node 1 (loop).1: computation that is no time", [](auto& s) {
    s.program[1].loop().body[1].before.mean_s = {0, -1, 0};
  });
  expect_wrong("node 1 (loop).0: count of MPI_Send has 2 values for 3 occurrences on location 0", [](auto& s) {
    s.program[1].loop().body[0].call().arguments[1].choices = {{skeleton::Sequence::Kind::table, {1, 3}}};
  });
  expect_wrong("node 1 (loop).0: datatype of MPI_Send is number 9 of 4", [](auto& s) {
    s.program[1].loop().body[0].call().arguments[2].choices = {{{}, {9}}};
  });
  expect_wrong("node 1 (loop).0: dest of MPI_Send is 1 on location 0, not (rank+2)%size",
               [](auto& s) { s.program[1].loop().body[0].call().arguments[3].rule->c = 2; });
}

// What a call to MPI_Type_contiguous makes, and one that is freed.
run::Statement make(run::Number slot, run::Number count = always(3)) {
  return call("MPI_Type_contiguous", {{"count", std::move(count)}, {"newtype", std::move(slot)}});
}
run::Statement release(std::int64_t slot) { return call("MPI_Type_free", {{"datatype", always(mpi::kMade + slot)}}); }

TEST(Closed, ADatatypeThatIsFreedInTheIterationThatMadeIt) {
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {make(always(0)), release(0)})}));
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {make(always(0)), make(always(1)), release(0), release(1)})}));
  const run::Number grows = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k); };
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {make(always(0), grows), release(0)})})) << "each time another one";
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {make(grows)})})) << "never freed";
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {make(always(0)), make(always(1)), release(0)})}));
}

TEST(Closed, ADatatypeThatIsUsedInTheNextIterationMustAlwaysBeTheSame) {
  EXPECT_TRUE(first_loop_closed(2, {make(always(0)), loop(5, {release(0), make(always(0))})}));
  const run::Number grows = [](int, std::uint64_t k) { return static_cast<std::int64_t>(k); };
  EXPECT_FALSE(first_loop_closed(2, {make(always(0)), loop(5, {release(0), make(always(0), grows)})}));
}

TEST(Closed, AnOperationThatIsFreedInTheIterationThatMadeIt) {
  const auto made = call("MPI_Op_create", {{"op", always(0)}});
  const auto freed = call("MPI_Op_free", {{"op", always(mpi::kMade)}});
  EXPECT_TRUE(first_loop_closed(2, {loop(5, {made, freed})}));
  EXPECT_FALSE(first_loop_closed(2, {loop(5, {freed})}));
}

}  // namespace
}  // namespace skelgen
