// Loops at any depth are cut: whole communication is left out, and what runs counts for all that was traced. Random
// programs: SKELGEN_RANDOM_PROGRAMS=N makes N of them, of which one in 20 really runs.

#include "emit/cut_loops.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "emit/loop_runs.h"
#include "skel_sampling.h"
#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;

int programs_wanted(int usual) {
  const char* const given = std::getenv("SKELGEN_RANDOM_PROGRAMS");
  return given ? std::max(1, std::atoi(given)) : usual;
}

/// Nested, uneven and conditional loops; closed ones, and some that leave messages to others.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed)
      : random_(seed), ranks_(2 + static_cast<int>(random_() % 2)), builder_(ranks_), data_(builder_.memory(64)) {}

  Skeleton make() {
    Block middle;
    middle.push_back(builder_.call("MPI_Barrier"));
    fill(middle, 0, 1);
    return builder_.finish(std::move(middle));
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  double seconds() { return 1e-3 * static_cast<double>(1 + below(40)); }

  /// Each rank its own, some nothing.
  std::vector<double> computation(std::size_t ranks) {
    std::vector<double> all;
    for (std::size_t r = 0; r < ranks; ++r) all.push_back(below(4) ? seconds() : 0);
    return all;
  }

  Argument tags(std::uint64_t n) {
    if (below(2) || n == 0) return constant(static_cast<std::int64_t>(below(5)));
    std::vector<std::int64_t> all;
    for (std::uint64_t k = 0; k < n; ++k) all.push_back(static_cast<std::int64_t>(k % 3));
    return sequence(all);
  }

  Node message(const char* name, const char* peer, std::int64_t with, std::uint32_t at, const Argument& tag) {
    return builder_.call(name,
                         {{"buf", constant(buffer(data_, 0))},
                          {"count", constant(1)},
                          {"datatype", constant(builder_.name("MPI_INT"))},
                          {peer, constant(with)},
                          {"tag", tag}},
                         Where{at});
  }

  Argument trips(std::uint64_t executions) {
    const auto most = static_cast<std::int64_t>(1 + below(below(3) ? 12 : 60));
    if (below(3) || executions < 2) return constant(most);
    std::vector<std::int64_t> all;
    const std::uint64_t kind = below(3);  // any, now and then one, not at all or often
    for (std::uint64_t k = 0; k < executions; ++k)
      all.push_back(kind == 0   ? static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most) + 1))
                    : kind == 1 ? k % 7 == 2
                                : (k % 3 ? most : 0));
    if (*std::ranges::max_element(all) == 0) all[0] = 1;  // a loop that is never entered is none
    return sequence(all);
  }

  /// Datatypes that stay, made in the first iteration of a loop of the top level, in some first ones or in the last one.
  void make_some(Block& body, std::int64_t trips) {
    std::vector<std::int64_t> when(static_cast<std::size_t>(trips), 0), slots;
    const std::uint64_t first = below(2) ? 1 : 1 + below(static_cast<std::uint64_t>(trips) / 4 + 1);
    if (below(3))
      std::fill_n(when.begin(), std::min<std::size_t>(first, when.size()), 1);
    else
      when.back() = 1;
    for (const std::int64_t makes : when)
      if (makes) slots.push_back(types_++);
    Block made;
    made.push_back(builder_.call(
        "MPI_Type_contiguous",
        {{"count", constant(2)}, {"oldtype", constant(builder_.name("MPI_INT"))}, {"newtype", sequence(slots)}}));
    body.push_back(builder_.loop(sequence(when), std::move(made)));
    body.back().before.mean_s = computation(body.back().where.size());
  }

  void fill(Block& block, int depth, std::uint64_t executions) {
    for (std::uint64_t n = 1 + below(3); n > 0; --n) {
      switch (depth == 0 && below(5) == 0 ? 9 : below(depth < 3 && executions < 3000 ? 6 : 3)) {
        case 9:
          apart(block);
          break;
        case 0:
          block.push_back(builder_.call("MPI_Barrier"));
          break;
        case 1: {
          const auto tag = tags(executions);
          const auto from = static_cast<std::uint32_t>(below(static_cast<std::uint64_t>(ranks_)));
          const auto to = (from + 1) % static_cast<std::uint32_t>(ranks_);
          block.push_back(message("MPI_Send", "dest", to, from, tag));
          block.push_back(message("MPI_Recv", "source", from, to, tag));
          break;
        }
        case 2:
          block.push_back(builder_.call("MPI_Comm_rank", {{"comm", constant(0)}}));
          break;
        case 3:
          if (below(4) == 0)
            leave_messages(block, executions);
          else
            some_ranks(block, executions);
          break;
        default: {
          const auto times = trips(executions);
          Block body;
          body.push_back(builder_.call("MPI_Comm_rank", {{"comm", constant(0)}}));
          if (depth == 0 && below(2)) make_some(body, times.of(0).sum(1));
          fill(body, depth + 1, static_cast<std::uint64_t>(times.of(0).sum(executions)));
          block.push_back(builder_.loop(times, std::move(body)));
          block.back().loop().between.mean_s = computation(block.back().where.size());
        }
      }
      // The first statement of a loop has no computation before it.
      if (block.size() > 1) block.back().before.mean_s = computation(block.back().where.size());
    }
  }

  /// A loop of one rank sends what a loop of the next one receives.
  void leave_messages(Block& block, std::uint64_t executions) {
    const auto times = trips(executions);
    const auto tag = tags(static_cast<std::uint64_t>(times.of(0).sum(executions)));
    for (const bool sends : {true, false}) {
      Block body;
      body.push_back(builder_.call("MPI_Comm_rank", {{"comm", constant(0)}}));
      body.push_back(sends ? message("MPI_Send", "dest", 1, 0, tag) : message("MPI_Recv", "source", 0, 1, tag));
      block.push_back(builder_.loop(times, std::move(body)));
      block.back().loop().between.mean_s = computation(block.back().where.size());
    }
  }

  /// A loop that rank 1 runs more often than the others, or alone.
  void some_ranks(Block& block, std::uint64_t executions) {
    Block body;
    body.push_back(builder_.call("MPI_Comm_rank", {{"comm", constant(0)}}));
    std::vector<std::int64_t> own(static_cast<std::size_t>(ranks_), 3);
    own[1] = 5;
    block.push_back(builder_.loop(each(own), std::move(body)));
    if (executions % 2) {
      block.back().where = {1};
      block.back().loop().body[0].where = {1};
      block.back().loop().body[0].call().duration_s.resize(1);
      block.back().loop().trips = constant(7);
    }
    block.back().loop().between.mean_s = computation(block.back().where.size());
  }

  /// One course of iterations on all ranks, of which each has the first and the last ones, some or none, around its loop.
  void apart(Block& block) {
    const auto n = static_cast<std::int64_t>(12 + below(80));
    const auto from = static_cast<std::uint32_t>(below(static_cast<std::uint64_t>(ranks_)));
    const auto to = (from + 1) % static_cast<std::uint32_t>(ranks_);
    const bool meets = below(2), behind = below(2);
    std::vector<std::int64_t> first, trips;
    for (int r = 0; r < ranks_; ++r) {
      first.push_back(static_cast<std::int64_t>(below(4)));
      trips.push_back(n - first.back() - static_cast<std::int64_t>(behind ? below(3) : 0));
    }
    // Of what each rank does in iteration i of the course, its iterations from `begin`.
    const auto values = [&](const std::vector<std::int64_t>& begin, const Where& where, const auto& of) {
      Argument all;
      all.choices.clear();
      for (const auto l : where) {
        std::vector<std::int64_t> own;
        for (std::int64_t i = begin[l]; i < begin[l] + trips[l]; ++i) own.push_back(of(i));
        all.choice.push_back(static_cast<std::uint32_t>(all.choices.size()));
        all.choices.push_back(Sequence::of(own));
      }
      return all;
    };
    const auto tag = [](std::int64_t i) { return i % 3; };
    const auto rare = [](std::int64_t i) { return std::int64_t{i % 4 == 1}; };
    const auto alone = [&](std::uint32_t l, std::int64_t i) {
      block.push_back(builder_.call("MPI_Comm_rank", {{"comm", constant(0)}}, Where{l}));
      if (l == from) block.push_back(message("MPI_Send", "dest", to, from, constant(tag(i))));
      if (l == to) block.push_back(message("MPI_Recv", "source", from, to, constant(tag(i))));
      if (meets) block.push_back(builder_.call("MPI_Barrier", {}, Where{l}));
      if (rare(i)) block.push_back(builder_.call("MPI_Barrier", {}, Where{l}));
      block.back().before.mean_s = {seconds()};
    };
    for (std::uint32_t l = 0; l < first.size(); ++l)
      for (std::int64_t i = 0; i < first[l]; ++i) alone(l, i);
    Block body, inner;
    body.push_back(builder_.call("MPI_Comm_rank", {{"comm", constant(0)}}));
    body.push_back(message("MPI_Send", "dest", to, from, values(first, {from}, tag)));
    body.push_back(message("MPI_Recv", "source", from, to, values(first, {to}, tag)));
    if (meets) body.push_back(builder_.call("MPI_Barrier"));
    inner.push_back(builder_.call("MPI_Barrier"));
    body.push_back(builder_.loop(values(first, builder_.everybody, rare), std::move(inner)));
    body.back().before.mean_s = computation(body.back().where.size());
    block.push_back(builder_.loop(each(trips), std::move(body)));
    block.back().loop().between.mean_s = computation(block.back().where.size());
    for (std::uint32_t l = 0; l < first.size(); ++l)
      for (std::int64_t i = first[l] + trips[l]; i < n; ++i) alone(l, i);
  }

  std::mt19937 random_;
  int ranks_;
  Builder builder_;
  std::int64_t data_, types_ = 0;
};

/// Runs the skeleton as its runtime does (skel_step), without MPI.
class SkeletonWalk {
 public:
  SkeletonWalk(const Skeleton& skeleton, const Plan& plan, std::uint32_t location)
      : skeleton_(skeleton), plan_(plan), location_(location), before_(plan.phases.size(), 0) {
    for (std::size_t i = 0; i < plan.phases.size(); ++i)
      if (plan.phases[i].loop) phase_of_[plan.phases[i].loop] = i;
    for (const Node& node : skeleton.program) visit(node, 0);
  }

  double counted = 0, computed = 0;                            ///< seconds, each as often as it counts; of computation
  std::vector<std::pair<const Node*, std::uint64_t>> calls{};  ///< that are made, and which occurrence each is

 private:
  void spend(const std::vector<double>& seconds, std::size_t at, bool computation) {
    if (seconds.empty()) return;
    counted += weight_ * seconds[at];
    if (computation) computed += seconds[at];
  }

  void visit(const Node& node, std::uint64_t k) {
    const int found = node.position(location_);
    if (found < 0) return;
    const auto at = static_cast<std::size_t>(found);
    spend(node.before.mean_s, at, true);
    if (!node.is_loop()) {
      spend(node.call().duration_s, at, false);
      calls.emplace_back(&node, k);
      return;
    }
    const auto trips = static_cast<std::uint64_t>(node.loop().trips.of(at).at(k));
    const auto first = static_cast<std::uint64_t>(node.loop().trips.of(at).sum(k));
    const auto iteration = [&](std::uint64_t i) {
      if (i > 0) spend(node.loop().between.mean_s, at, true);
      for (const Node& inner : node.loop().body) visit(inner, first + i);
    };
    const auto cut = phase_of_.find(&node);
    const auto ends = cut == phase_of_.end() ? skeleton::Ends{} : ends_at(plan_.phases[cut->second].ends, location_);
    if (cut == phase_of_.end() || trips <= ends.first + ends.last) {
      for (std::uint64_t i = 0; i < trips; ++i) iteration(i);
      return;
    }
    const Phase& phase = plan_.phases[cut->second];
    const std::uint64_t later = trips - ends.first - ends.last, least = std::min(phase.least, later);
    const auto kept = skel_iterations_kept(later, skel_loop_scale(plan_.scale, phase.share), least);
    for (std::uint64_t i = 0; i < ends.first; ++i) iteration(i);
    const double around = weight_;
    const std::uint64_t before = before_[cut->second];
    before_[cut->second] += kept;
    for (std::uint64_t n = 0; n < kept; ++n) {
      const bool chosen = !phase.chosen.empty();
      weight_ =
          around * (chosen ? phase.typical * phase.chosen[before + n].weight : skel_weight(later, kept, phase.typical));
      iteration(ends.first - 1 +
                (chosen ? phase.chosen[before + n].iteration : skel_iteration_kept(n, kept, later, before)));
    }
    weight_ = around;
    for (std::uint64_t i = ends.first + later; i < trips; ++i) iteration(i);
  }

  const Skeleton& skeleton_;
  const Plan& plan_;
  const std::uint32_t location_;
  std::map<const Node*, std::size_t> phase_of_;
  std::vector<std::uint64_t> before_;
  double weight_ = 1;
};

/// The calls that the skeleton makes, as a program of its own, without loops.
Skeleton what_runs(const Skeleton& skeleton, const std::vector<SkeletonWalk>& walks) {
  Skeleton all = skeleton;
  all.program.clear();
  const auto add = [&](std::uint32_t l, std::size_t n) {
    const auto& [node, k] = walks[l].calls[n];
    const auto at = static_cast<std::size_t>(node->position(l));
    Node call;
    call.where = {l};
    Call made;
    made.function = node->call().function;
    for (const auto& argument : node->call().arguments) made.arguments.push_back(constant(argument.of(at).at(k)));
    made.duration_s = {0};
    call.what = std::move(made);
    all.program.push_back(std::move(call));
  };
  all.program.push_back(skeleton.program.front());
  for (std::uint32_t l = 0; l < walks.size(); ++l)
    for (std::size_t n = 1; n + 1 < walks[l].calls.size(); ++n) add(l, n);
  all.program.push_back(skeleton.program.back());
  return all;
}

std::vector<SkeletonWalk> walk(const Skeleton& skeleton, const Plan& plan) {
  std::vector<SkeletonWalk> all;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) all.emplace_back(skeleton, plan, l);
  return all;
}

TEST(CutLoops, OfRandomProgramsWholeMessagesAreLeftOutAndTheTimeIsConserved) {
  int cut = 0, nested = 0, deep = 0, last = 0, apart = 0, prepared = 0, chosen = 0, chosen_inside = 0;
  const int programs = programs_wanted(60);
  for (int seed = 0; seed < programs; ++seed) {
    const Skeleton skeleton = RandomProgram(static_cast<unsigned>(seed)).make();
    skeleton::check(skeleton);
    const Timing timing(skeleton);
    for (const double k : {1.0, 3.0, 10.0, 1000.0}) {
      const Plan plan = plan_scale(skeleton, k);
      const auto walks = walk(skeleton, plan);
      double counted = 0, traced = 0;
      for (std::uint32_t l = 0; l < walks.size(); ++l) counted += walks[l].counted;
      for (const Node& node : skeleton.program) traced += timing.total(node);
      EXPECT_NEAR(counted, traced, 1e-9 * traced) << "program " << seed << ", K = " << k;
      const Skeleton runs = what_runs(skeleton, walks);
      const Deadlock deadlock = check_deadlock(runs);
      EXPECT_TRUE(deadlock.safe) << "program " << seed << ", K = " << k << ": " << deadlock.explanation;
      std::size_t calls = 0;
      for (const Phase& phase : plan.phases) {
        if (!phase.loop) continue;
        ++cut;
        nested += !phase.next;
        last += phase.ends.size() == 1 && phase.ends[0].last > 0;
        apart += phase.ends.size() > 1;
        prepared += phase.ends.size() == 1 && phase.ends[0].first > 1;
        chosen += !phase.chosen.empty();
        chosen_inside += !phase.chosen.empty() && !phase.next;
        deep += plan.phases[phase.inside].loop != nullptr;
      }
      for (std::uint32_t l = 0; l < walks.size(); ++l) calls += walks[l].calls.size();
      std::size_t all = 0;
      for (std::uint32_t l = 0; l < walks.size(); ++l)
        skeleton::expand(skeleton, l, [&](const skeleton::ExpandedCall&) { return ++all > 0; });
      EXPECT_LE(calls, all) << "program " << seed << ", K = " << k;
      if (k == 1) EXPECT_EQ(calls, all) << "program " << seed;
    }
  }
  EXPECT_GT(cut, programs);
  EXPECT_GT(nested, programs / 10);
  EXPECT_GT(deep, programs / 20);
  EXPECT_GT(last, programs / 20);
  EXPECT_GT(apart, programs / 10);
  EXPECT_GT(prepared, programs / 20);
  EXPECT_GT(chosen, programs / 10);
  EXPECT_GT(chosen_inside, programs / 20);
}

TEST(Run, RandomProgramsWithCutLoopsEndAndComputeWhatThePlanSays) {
  const int programs = std::max(1, programs_wanted(60) / 20);
  for (int seed = 0; seed < programs; ++seed) {
    const Skeleton skeleton = RandomProgram(static_cast<unsigned>(1000 + seed)).make();
    const Plan plan = plan_scale(skeleton, 10);
    Scratch scratch;
    const auto ran =
        run(scratch.path, skeleton, plan, "", "--json report.json", 0, "-DSKEL_SYNC_SEND", computed_flags());
    ASSERT_EQ(ran.status, 0) << seed << ran.output;
    const auto walks = walk(skeleton, plan);
    for (std::size_t l = 0; l < walks.size(); ++l) {
      const double computed = std::stod(read(scratch.path / ("computed-" + std::to_string(l) + ".txt")));
      EXPECT_NEAR(computed, walks[l].computed, 1e-9 * walks[l].computed) << seed;
    }
  }
}

/// outer trips x inner trips; computation of 10 ms in each inner iteration.
Skeleton nested(const Argument& outer, const Argument& inner) {
  Builder b(2);
  Block innermost, body, middle;
  innermost.push_back(b.call("MPI_Barrier"));
  body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  body.push_back(b.loop(inner, std::move(innermost), 1e-2));
  middle.push_back(b.loop(outer, std::move(body)));
  return b.finish(std::move(middle));
}

std::vector<std::string> phase_names(const Plan& plan) {
  std::vector<std::string> all;
  for (const auto& phase : plan.phases) all.push_back(phase.name);
  return all;
}

TEST(CutLoops, OfRandomProgramsTheBudgetIsThatOfThePlan) {
  constexpr int kPrograms = 60;
  int near = 0;
  for (int seed = 0; seed < kPrograms; ++seed) {
    const Skeleton skeleton = RandomProgram(static_cast<unsigned>(seed)).make();
    const double budget_s = plan_scale(skeleton, 4).expected_run_s;
    const double run_s = plan_budget(skeleton, budget_s).expected_run_s;
    EXPECT_LE(run_s, budget_s * (1 + 1e-9)) << seed;
    near += run_s >= 0.8 * budget_s;
  }
  EXPECT_GE(near, kPrograms - 6);
}

TEST(CutLoops, ALoopInsideOneOfTwoTripsIsCut) {
  const auto skeleton = nested(constant(2), constant(1001));
  const auto plan = plan_scale(skeleton, 10);
  EXPECT_THAT(phase_names(plan), testing::ElementsAre("around the loops", "loop 1"));
  EXPECT_EQ(plan.phases[1].trips, 2002u);
  EXPECT_EQ(plan.phases[1].times, 2u);
  EXPECT_EQ(plan.phases[1].kept, 200u);
  EXPECT_DOUBLE_EQ(plan.phases[1].weight, 10);
  EXPECT_NEAR(plan.expected_run_s, 2.0, 0.1);
  EXPECT_TRUE(plan.uncut.empty());
}

TEST(CutLoops, AnInnerLoopTakesWhatTheOuterOneLeaves) {
  // Of 12 outer iterations 2 run; K = 100 asks for a hundredth of the time.
  const auto skeleton = nested(constant(12), constant(1001));
  const auto ten = plan_scale(skeleton, 10);
  EXPECT_THAT(phase_names(ten), testing::ElementsAre("prologue", "loop 1", "epilogue"));
  EXPECT_NEAR(ten.expected_run_s, 20.0, 1);
  const auto hundred = plan_scale(skeleton, 100);
  EXPECT_THAT(phase_names(hundred), testing::ElementsAre("prologue", "loop 1", "loop 1.1", "epilogue"));
  EXPECT_NEAR(hundred.expected_run_s, 1.2, 0.1);
  EXPECT_EQ(hundred.phases[2].times, 2u);
  EXPECT_EQ(plan_budget(skeleton, 5).phases.size(), 4u);
}

TEST(CutLoops, TheShortestPartIsSharedByAllExecutions) {
  // 50 executions of 20 ms: 10 s of 0.2 ms iterations; K = 1000 leaves 0.2 s, not 0.2 s for each of them.
  Builder b(2);
  Block innermost, body, middle;
  innermost.push_back(b.call("MPI_Barrier"));
  body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  body.push_back(b.loop(constant(1000), std::move(innermost), 2e-4));
  body.push_back(b.call("MPI_Send", {{"dest", constant(1)}, {"count", constant(0)}}, Where{0}));  // received later
  middle.push_back(b.loop(constant(50), std::move(body)));
  const auto skeleton = b.finish(std::move(middle));
  const auto plan = plan_scale(skeleton, 1000);
  ASSERT_THAT(phase_names(plan), testing::ElementsAre("around the loops", "loop 1"));
  EXPECT_NEAR(static_cast<double>(plan.phases[1].kept) * 2e-4, kShortestPart_s, 0.02);
}

TEST(CutLoops, TripsOfEachExecutionCount) {
  const auto skeleton = nested(constant(4), sequence({800, 1000, 900, 1}));
  const auto plan = plan_scale(skeleton, 10);
  ASSERT_THAT(phase_names(plan), testing::ElementsAre("prologue", "loop 1", "loop 1.1", "epilogue"));
  EXPECT_EQ(plan.phases[2].longest, 1000u);
  const auto walks = walk(skeleton, plan);
  const Timing timing(skeleton);
  double traced = 0;
  for (const Node& node : skeleton.program) traced += timing.of(node).seconds[0];
  EXPECT_NEAR(walks[0].counted, traced, 1e-9 * traced);
}

TEST(CutLoops, WhatIsNotCutIsSaidWithItsShareAndReason) {
  // A closed loop, one of 60 % of its time that leaves messages, one that is too short.
  Builder b(2);
  const auto loop = [&](std::int64_t trips, double gap_s, bool leaves = false) {
    Block body;
    body.push_back(b.call("MPI_Barrier"));
    if (leaves) body.push_back(b.call("MPI_Send", {{"dest", constant(1)}}, Where{0}));
    return b.loop(constant(trips), std::move(body), gap_s);
  };
  Block middle;
  middle.push_back(loop(1001, 1e-2));
  middle.push_back(loop(601, 1e-2, true));
  middle.push_back(loop(2, 1));
  const auto plan = plan_scale(b.finish(std::move(middle)), 10);
  EXPECT_THAT(phase_names(plan), testing::ElementsAre("prologue", "loop 1", "epilogue"));
  EXPECT_THAT(plan.not_cut,
              testing::ElementsAre("the loop of 601 trips (35 % of the time) is not closed: messages are sent in one "
                                   "iteration and received in another",
                                   "the loop of 2 trips (6 % of the time) is too short"));
}

TEST(CutLoops, TheExpectedErrorIsThatOfAMeanOfAsManyIterations) {
  Builder b(1);
  Block body, middle;
  body.push_back(b.call("MPI_Barrier"));
  Node loop = b.loop(constant(1001), std::move(body), 1e-2);
  skeleton::Samples::OfLocation samples;
  std::mt19937 random(3);
  for (int i = 0; i < 1001; ++i) {
    if (i > 0) samples.seconds.push_back(random() % 2 ? 9.7e-3F : 10.3e-3F);
    samples.ends.push_back(static_cast<std::uint32_t>(samples.seconds.size()));
  }
  loop.loop().between.samples.of.push_back(samples);
  middle.push_back(std::move(loop));
  auto skeleton = b.finish(std::move(middle));
  skeleton.traced_wall_s = 10;
  // Of 1,000 iterations of 10 ms 100 run; each is 0.3 ms off: 1000 x 0.3 ms / sqrt(100) x sqrt(0.9) of 10 s.
  EXPECT_NEAR(plan_scale(skeleton, 10).phases[1].error, 1000 * 3e-4 / 10 * std::sqrt(0.9) / 10, 1e-4);
  EXPECT_EQ(plan_scale(skeleton, 1).phases[1].error, 0);
}

TEST(CutLoops, OfManyIterationsThatDifferMoreAreKept) {
  // One inner iteration of 40 has all of the work: a kept one in ten would miss it, or count it ten times.
  std::vector<std::int64_t> rare;
  for (int i = 0; i < 2 * 41; ++i) rare.push_back(i % 41 == 20 ? 1 : 0);
  Builder b(2);
  Block work, innermost, body, middle;
  work.push_back(b.call("MPI_Barrier"));
  innermost.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  innermost.push_back(b.loop(sequence(rare), std::move(work)));
  innermost.back().before.mean_s = {1e-4, 1e-4};
  innermost.back().loop().body[0].call().duration_s = {1, 1};
  body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  body.push_back(b.loop(constant(41), std::move(innermost), 1e-3));
  middle.push_back(b.loop(constant(2), std::move(body)));
  const auto skeleton = b.finish(std::move(middle));
  const auto plan = plan_scale(skeleton, 10);
  for (const Phase& phase : plan.phases) {
    EXPECT_LE(phase.typical, kMostUntypical) << phase.name;
    EXPECT_GE(phase.typical, 1 / kMostUntypical) << phase.name;
  }
}

TEST(CutLoops, ExecutionsKeepDifferentIterations) {
  std::map<std::uint64_t, int> kept;
  for (std::uint64_t execution = 0; execution < 100; ++execution) ++kept[skel_iteration_kept(0, 1, 10, execution)];
  EXPECT_EQ(kept.size(), 10u);
  for (const auto& [iteration, times] : kept) EXPECT_NEAR(times, 10, 3) << iteration;
}

TEST(CutLoops, NoIterationIsKeptTwice) {
  for (std::uint64_t later = 1; later < 60; ++later)
    for (std::uint64_t kept = 1; kept <= later; ++kept)
      for (std::uint64_t n = 1; n < kept; ++n)
        ASSERT_LT(skel_iteration_kept(n - 1, kept, later, later), skel_iteration_kept(n, kept, later, later))
            << kept << " of " << later;
}

TEST(Run, WeightsOfNestedLoopsMultiply) {
  Scratch scratch;
  const auto skeleton = nested(constant(21), constant(201));
  const auto plan = plan_scale(skeleton, 100);
  ASSERT_THAT(phase_names(plan), testing::ElementsAre("prologue", "loop 1", "loop 1.1", "epilogue"));
  const auto ran = run(scratch.path, skeleton, plan, "", "--json report.json", 0, "", computed_flags());
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto json = nlohmann::json::parse(read(scratch.path / "report.json"));
  EXPECT_EQ(json["phases"][1]["name"], "loop 1");
  EXPECT_NEAR(json["phases"][1]["weight"], plan.phases[1].weight, 1e-6);
  // Executions in the first outer iteration count once, the others as often as loop 1 does.
  const double inner = json["phases"][2]["weight"],
               each = 200.0 / static_cast<double>(plan.phases[2].kept / plan.phases[2].times);
  EXPECT_GT(inner, each * 0.99);
  EXPECT_LT(inner, each * plan.phases[1].weight * 1.01);
  const std::string all = read(scratch.path / "p.skel" / "skeleton.c");
  EXPECT_THAT(all, HasSubstr("for (long i = 0; i < 21; i = skel_step(1, i, 21))"));
  EXPECT_THAT(all, HasSubstr("for (long j = 0; j < 201; j = skel_step(2, j, 201))"));
}

}  // namespace
}  // namespace skelgen::emit
