#include "threads/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "threads/layer_sites.h"
#include "threads/simulate.h"
#include "unit/threads/made_run.h"

namespace skelgen::threads {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// The paper's program by marks: sender (thread 1), dispatcher (2), controller (3); attempts: of each frame.
Run relay(const std::vector<int>& attempts) {
  MadeRun made(4);
  const auto ready = made.object(Primitive::mark, "send-ready"), frame = made.object(Primitive::mark, "frame-wait"),
             start = made.object(Primitive::mark, "send-start"), end = made.object(Primitive::mark, "send-end"),
             fault = made.object(Primitive::mark, "send-fault");
  for (std::uint32_t t = 1; t < 4; ++t) {
    made.call(0, Action::create, 0, 1, 0, 0, t);
    made.begin(t, made.now(0));
    made.call(t, Action::start, 0, 2, 0, 0, 0);
  }
  const auto signal = [&](std::uint32_t thread, std::uint32_t mark, std::uint32_t site) {
    made.call(thread, Action::signal, mark, site);
    return made.now(thread) + kMicrosecond;  // when a thread that waits goes on
  };
  for (const int tries : attempts) {
    made.compute(1, 20);
    auto go = signal(1, frame, 10);
    made.call(3, Action::wait, frame, 30, go).compute(3, 5);
    go = signal(3, ready, 31);
    made.call(1, Action::wait, ready, 11, go);
    for (int i = 0; i < tries; ++i) {
      made.compute(1, 10);
      go = signal(1, start, 12);
      made.call(2, Action::wait, start, 20, go).compute(2, 30);
      go = signal(2, frame, 21);
      made.call(2, Action::send, fault, 22);
      const auto sent = signal(2, end, 23);
      made.call(3, Action::wait, frame, 30, go).compute(3, 5);
      made.call(1, Action::wait, end, 13, sent);
      go = signal(3, ready, 31);
      made.call(1, Action::receive, fault, 14);
      made.call(1, Action::wait, ready, 15, go);
    }
  }
  for (std::uint32_t t = 1; t < 4; ++t) {
    made.call(t, Action::exit, 0, 3);
    made.call(0, Action::join, 0, 4, made.now(t) + kMicrosecond, 0, t);
  }
  return made.run();
}

TEST(Analysis, FindsThePapersLoopsAndLayers) {
  const auto run = relay({2, 1, 3, 2, 2, 1, 3, 1, 2, 2, 3, 1});
  const auto analysis = analyse(run);
  const auto& loops = analysis.synchronisation_loops;
  ASSERT_EQ(loops.size(), 4u);
  EXPECT_EQ(analysis.loops.all[loops[0].loop].trips(), 12u);
  EXPECT_EQ(analysis.loops.all[loops[1].loop].trips(), 23u);
  EXPECT_THAT(loops[0].nested, ElementsAre(1));
  EXPECT_THAT(loops[0].partners_it_produces_for, ElementsAre(3));
  EXPECT_THAT(loops[1].partners_it_produces_for, ElementsAre(2));
  EXPECT_THAT(loops[1].partners_it_consumes_from, ElementsAre(2, 3));
  EXPECT_THAT(loops[2].partners_it_produces_for, ElementsAre(1, 3));
  EXPECT_THAT(loops[3].partners_it_consumes_from, ElementsAre(0, 2));
  EXPECT_THAT(loops[3].threads, ElementsAre(3));
  EXPECT_EQ(loops[1].parent, 0u);
  ASSERT_EQ(analysis.layers.size(), 2u);
  EXPECT_EQ(analysis.layers[0].level, 1u);
  EXPECT_THAT(analysis.layers[0].loops, ElementsAre(1, 2, 3));
  EXPECT_EQ(analysis.layers[1].level, 2u);
  EXPECT_THAT(analysis.layers[1].loops, ElementsAre(0));
  for (const auto& loop : loops) {  // data signals are not in the graph
    EXPECT_THAT(loop.produces, ::testing::Not(::testing::Contains(5u)));
    EXPECT_THAT(loop.consumes, ::testing::Not(::testing::Contains(5u)));
  }
}

TEST(Analysis, PartsOfAnAccountAddUpToItsTime) {
  const auto run = relay({2, 1, 3, 2});
  const auto analysis = analyse(run);
  for (std::size_t t = 0; t < run.threads.size(); ++t)
    EXPECT_NEAR(analysis.threads[t].seconds(), 1e-9 * static_cast<double>(run.threads[t].last - run.threads[t].first),
                1e-12);
  EXPECT_NEAR(analysis.threads[2].compute_s, 8 * 30e-6, 1e-12);
  for (const auto& edge : analysis.signals)
    if (edge.waited) EXPECT_NEAR(edge.hand_over_s / static_cast<double>(edge.waited), 1e-6, 1e-9);
  EXPECT_NEAR(analysis.without_synchronisation(), 8 * 30000, 1);
}

TEST(Analysis, DrawsTheGraphBeforeAndAfterReduction) {
  const auto run = relay({2, 1, 3, 2});
  const auto analysis = analyse(run);
  const auto all = dot(run, analysis, false), layers = dot(run, analysis, true);
  EXPECT_THAT(all, ::testing::StartsWith("digraph threads {"));
  EXPECT_THAT(all, ::testing::HasSubstr("SP: signal send-start"));
  EXPECT_THAT(all, ::testing::Not(::testing::HasSubstr("send-fault")));
  EXPECT_THAT(layers, ::testing::StartsWith("digraph layers {"));
  EXPECT_THAT(layers, ::testing::HasSubstr("CL1 (level 1): l3"));
  EXPECT_THAT(layers, ::testing::Not(::testing::HasSubstr("SP: signal send-start")));
}

TEST(Analysis, DrawsTheGraphForAPage) {
  auto run = relay({2, 1, 3, 2});
  run.threads[1].name = "<script>";
  for (auto& object : run.objects) object.name += "&";
  const auto analysis = analyse(run);
  const auto all = svg(run, analysis, false), layers = svg(run, analysis, true);
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(all, "<rect "), analysis.vertices.size());
  EXPECT_EQ(count(all, "class=\"edge\""), analysis.edges.size());
  EXPECT_EQ(count(all, "class=\"signal"), analysis.signals.size());
  EXPECT_EQ(count(all, "class=\"thread\""), run.threads.size());
  EXPECT_THAT(all, ::testing::HasSubstr("&lt;script&gt;</text>"));
  EXPECT_THAT(all, ::testing::HasSubstr("SP: signal send-start&amp;</text>"));
  EXPECT_EQ(count(all, "class=\"layer\""), 0u);
  EXPECT_GT(count(layers, "class=\"layer\""), 0u);
  EXPECT_LT(count(layers, "<rect "), count(all, "<rect "));
  for (const auto* picture : {&all, &layers})
    for (const std::string element : {"svg", "text", "title", "path"})
      EXPECT_EQ(count(*picture, "<" + element + " ") + count(*picture, "<" + element + ">"),
                count(*picture, "</" + element + ">") + (element == "path" ? 1 : 0))  // the arrow's has nothing in it
          << element;
}

TEST(Analysis, SaysWhereLayersAreInTheProgram) {
  const auto run = relay({2, 1, 3, 2});
  LayerSites sites;
  add_layer_sites(run, analyse(run), sites);
  add_layer_sites(run, analyse(run), sites);  // the same places of another process
  const auto text = text_of(sites);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), sites.size());
  EXPECT_THAT(text, ::testing::HasSubstr("c 1 program\n"));                 // send-start, in l2
  EXPECT_THAT(text, ::testing::HasSubstr("a 2 program\n"));                 // frame-wait of a frame, in l1
  EXPECT_THAT(text, ::testing::Not(::testing::ContainsRegex("(^|\n)4 ")));  // join
}

TEST(Simulate, RunWithoutChangesIsTheRun) {
  const auto run = relay({2, 1, 3, 2, 2, 1, 3, 1, 2, 2, 3, 1});
  const auto analysis = analyse(run);
  const auto same = simulate(run, analysis);
  EXPECT_NEAR(same.seconds, analysis.seconds(), 0.02 * analysis.seconds());
  EXPECT_EQ(same.forced, 0u);
}

TEST(Simulate, WorkOfOneThreadIsOnTheLongestPathOrNot) {
  const auto run = relay({2, 1, 3, 2, 2, 1, 3, 1, 2, 2, 3, 1});
  const auto analysis = analyse(run);
  const auto before = simulate(run, analysis).seconds;
  const std::vector<Change> dispatcher{{2, 2.0}}, controller{{3, 0.5}};
  EXPECT_NEAR(simulate(run, analysis, dispatcher).seconds - before, 23 * 30e-6, 1e-6);
  EXPECT_NEAR(before - simulate(run, analysis, controller).seconds, 35 * 2.5e-6, 1e-6);
}

}  // namespace
}  // namespace skelgen::threads
