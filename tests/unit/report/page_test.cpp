// What a page says, whatever the names in it are.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "mpi/mpi.h"
#include "report/embedded_json.h"
#include "report/report.h"
#include "report/sentences.h"
#include "unit/metrics/run.h"

namespace skelgen::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What the script reads.
nlohmann::json pictures_of(const std::string& html) {
  const std::string begin = R"(<script type="application/json" id="pictures">)";
  const auto from = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

predict::AtRanks at_ranks(int ranks, double predicted_s, std::vector<predict::PhaseTime> phases = {}) {
  predict::AtRanks point;
  point.all.predicted_s = predicted_s;
  point.all.phases = std::move(phases);
  point.all.origin.ranks = ranks;
  return point;
}

Report report_of(test::TracedRun& run, Timeline& timeline) {
  Report report;
  report.run.application = "heat";
  report.run.ranks = static_cast<int>(timeline.by_rank().size());
  report.run.wall_s = 1e-3;
  report.timeline = &timeline;
  metrics::Options options;
  options.observer = &timeline;
  options.windows = 20;
  options.halve = true;
  report.measured = run.measure(options);
  report.no_structure = "not asked for";
  return report;
}

/// The report of a run of one rank that calls nothing but MPI_Finalize.
class OneRank {
  test::TracedRun run_{1};
  Timeline timeline_{{1}, 1e-3};

 public:
  Report report;
  OneRank() : report((run_.finalize(0, 1), report_of(run_, timeline_))) {}
};

TEST(EmbeddedJson, IsSafeInAScriptElement) {
  const std::string hostile = "</script><!-- \xe2\x80\xa8 & \xff";
  const std::string text = embedded_json({{hostile, hostile}});
  EXPECT_THAT(text, Not(testing::ContainsRegex("[<>&]")));
  for (const char c : text) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  EXPECT_EQ(nlohmann::json::parse(text).begin().value(), "</script><!-- \xe2\x80\xa8 & \xef\xbf\xbd");
}

TEST(Page, NamesStayText) {
  test::TracedRun run(2);
  run.send(0, 1, 10, 1);
  run.recv(1, 0, 1, 15);
  run.finalize(0, 1);
  run.finalize(1, 1);
  Timeline timeline({1, 1}, 1e-3);
  Report report = report_of(run, timeline);
  const std::string plain = page(report);
  const std::string hostile = "</script><script>alert(1)</script><!--{{command}}\"'\x07\xe2\x80\xa8";
  report.run.application = report.run.command = report.run.mpi = hostile;
  report.run.hosts = {hostile, hostile + "2"};
  report.functions = {{hostile, 3, 4, 0.5}};
  report.no_structure = hostile;
  report.measured.findings.push_back({1, hostile, metrics::Finding::Cause::function, {}, "MPI_" + hostile});
  report.measured.critical_path.by_function.emplace_back(hostile, 1);
  report.measured.critical_path.halved.push_back({{}, hostile, 1});
  report.skeleton = {.name = hostile, .expected_run_s = 1, .cut = {{.name = hostile}}, .not_cut = {hostile}};
  report.prediction = predict::Prediction{
      .predicted_s = 1, .interval = {}, .compute = hostile, .runs = {}, .phases = {{hostile, 1, 1}}};
  report.scaling = {at_ranks(1, 2, {{hostile, 1, 1}}), at_ranks(2, 1)};
  const std::string html = page(report);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(html, HasSubstr("{{command}}"));  // text is no template
  EXPECT_THAT(html, Not(HasSubstr("\x07")));
  for (const std::string part : {"<script", "</script", "<!--", "<style"})
    EXPECT_EQ(count(html, part), count(plain, part)) << part;
  pictures_of(html);
}

TEST(Page, ShowsThreadsAndTheirGraph) {
  OneRank one;
  Report& report = one.report;
  EXPECT_THAT(page(report), Not(HasSubstr("id=\"threads\"")));
  report.threads = ProcessThreads{
      "process 7 on <host>", "cycles", {{"<main>", 1, 2, 3, 4, 5}}, "<svg>whole</svg>", "<svg>reduced</svg>"};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("id=\"threads\""));
  EXPECT_THAT(html, HasSubstr("&lt;main&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;host&gt;"));
  EXPECT_THAT(html, HasSubstr("<svg>whole</svg>"));
  EXPECT_THAT(html, HasSubstr("<svg>reduced</svg>"));
  EXPECT_THAT(html, Not(HasSubstr("too large for this page")));
  report.threads->whole.clear();
  EXPECT_THAT(page(report), HasSubstr("too large for this page"));
  report.threads->rows.resize(100);
  EXPECT_THAT(page(report), HasSubstr("And 36 more."));
}

TEST(Page, HasNoAddressAndNoAttributeOfCode) {
  test::TracedRun run(1);
  run.finalize(0, 1);
  Timeline timeline({1}, 1e-3);
  const std::string html = page(report_of(run, timeline));
  for (const char* part : {"http:", "https:", "src=", "onclick", "@import", "url(", " style="})
    EXPECT_THAT(html, Not(HasSubstr(part)));
  EXPECT_THAT(html, HasSubstr("default-src 'none'; style-src 'sha256-"));
}

TEST(Page, ShowsWhichLoopsTheSkeletonCuts) {
  OneRank one;
  Report& report = one.report;
  report.skeleton = {.name = "app.skel",
                     .traced_s = 8,
                     .cut = {{.name = "loop 1", .trips = 100, .run = 10, .weight = 11, .traced_s = 4, .error = 0.0125}},
                     .not_cut = {"loop 2 (12 % of the time): it frees a communicator"}};
  const std::string html = page(report);
  for (const char* part : {"loop 1</bdi>", ">100<", ">10<", ">11<", ">50.0 %<", ">1.25 %<", ">Of the run time<",
                           "Not cut: loop 2 (12 % of the time): it frees a communicator."})
    EXPECT_THAT(html, HasSubstr(part));
  report.skeleton->cut.clear();
  report.skeleton->not_cut.clear();
  EXPECT_THAT(page(report), Not(HasSubstr("Loop that is cut")));
  EXPECT_THAT(page(report), Not(HasSubstr("Not cut:")));
}

TEST(Page, FirstFindingsSayWhatToDo) {
  test::TracedRun run(2);
  run.send(0, 1, 900, 1);
  run.recv(1, 0, 1, 901);
  run.finalize(0, 1);
  run.finalize(1, 1);
  Timeline timeline({1, 1}, 1e-3);
  const std::string html = page(report_of(run, timeline));
  EXPECT_THAT(html, HasSubstr("Late sender: rank 0"));
  EXPECT_THAT(html, HasSubstr("send earlier, or to let receivers"));
  EXPECT_THAT(html, HasSubstr("2 ranks"));
}

TEST(Page, SaysWhichRunItIs) {
  test::TracedRun run(2);
  run.send(0, 1, 10, 1);
  run.recv(1, 0, 1, 15);
  run.finalize(0, 1);
  run.finalize(1, 1);
  Timeline timeline({1, 1}, 1e-3);
  Report report = report_of(run, timeline);
  report.run.command = "./heat 100";
  report.run.started = "2026-01-31T12:00:00Z";
  report.version = "1.2.3";
  report.run.calls = 10;
  report.computation_s = 1;
  for (int i = 0; i < 20; ++i) report.functions.push_back({"MPI_Get_" + std::to_string(i), 5, 0, i ? 1e-6 : 1.0});
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("<bdi>./heat 100</bdi></code>, started 2026-01-31T12:00:00Z</p>"));
  EXPECT_THAT(html, HasSubstr("Written by skelgen 1.2.3."));
  EXPECT_THAT(html, HasSubstr("Time inside a call includes waiting; the picture above shows waiting apart"));
  EXPECT_THAT(html, HasSubstr("Blank: nothing recorded (before MPI_Init has ended"));
  EXPECT_THAT(html, testing::ContainsRegex("[0-9.]+ % of the ranks&apos; time was computation"));
  EXPECT_THAT(html, HasSubstr("<bdi>MPI_Get_4</bdi>"));
  EXPECT_THAT(html, Not(HasSubstr("<bdi>MPI_Get_5</bdi>"))) << "rows of 0.0 %";
  EXPECT_THAT(html, HasSubstr("<bdi>15 others</bdi></th><td class=\"n\">75</td>"));
  report.functions.resize(6);
  EXPECT_THAT(page(report), HasSubstr("<bdi>MPI_Get_5</bdi>")) << "the only other one has its name";
  report.prediction = predict::Prediction{.predicted_s = 2,
                                          .interval = {},
                                          .compute = "time",
                                          .runs = {2},
                                          .phases = {{"loop 1", 1, 1.5}},
                                          .finalize_s = 0.5};
  EXPECT_THAT(page(report), HasSubstr(">MPI_Finalize</th><td class=\"n\">500 ms</td>"));
}

TEST(Page, SaysWhyItTakesLongerThere) {
  OneRank one;
  Report& report = one.report;
  report.prediction =
      predict::Prediction{.predicted_s = 3, .interval = {}, .compute = "work", .runs = {3}, .phases = {}};
  EXPECT_THAT(page(report), Not(HasSubstr("because of")));
  report.prediction->than = predict::Split{.before_s = 2,
                                           .after_s = 3,
                                           .before = "homo:2:1Gf:1Gb/s:50us",
                                           .all = {.imbalance = 0.25, .waiting = -0.25, .latency = 1},
                                           .phases = {},
                                           .ranks = {}};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("The prediction is <b>50.0 %</b> (1.000 s) longer than the 2.000 s of "
                              "<bdi>homo:2:1Gf:1Gb/s:50us</bdi>, because of</p>"));
  EXPECT_THAT(html, HasSubstr("latency</th><td class=\"n\">1.000 s</td><td class=\"n\">100.0 %</td>"));
  EXPECT_THAT(html, HasSubstr("waiting</th><td class=\"n\">-250 ms</td><td class=\"n\">-25.0 %</td>"));
  report.prediction->than->after_s = 2;
  report.prediction->than->all = {};
  EXPECT_THAT(page(report), HasSubstr("It takes as long on <bdi>homo:2:1Gf:1Gb/s:50us</bdi>."));
  EXPECT_THAT(page(report), Not(HasSubstr("because of")));
}

TEST(Page, NamesTheSimulatedPlatform) {
  OneRank one;
  Report& report = one.report;
  report.prediction =
      predict::Prediction{.predicted_s = 3, .interval = {}, .compute = "work", .runs = {3}, .phases = {}};
  EXPECT_THAT(page(report), HasSubstr("An interval needs at least 5 launches."));
  report.prediction->platform = "homo:2:1Gf:1Gb/s:50us";
  report.prediction->mpi.name = "SMPI";
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("on the simulated platform homo:2:1Gf:1Gb/s:50us"));
  EXPECT_THAT(html, HasSubstr("simulated launches are all alike"));
}

TEST(Page, DrawsRunTimesOnOtherNetworks) {
  OneRank one;
  Report& report = one.report;
  EXPECT_THAT(page(report), Not(HasSubstr("Replayed on a measured network")));
  report.replayed = {{"as measured", 2}, {"half latency", 1.5}};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("as measured</th><td class=\"n\">2.000 s</td><td class=\"n\"></td>"));
  EXPECT_THAT(html, HasSubstr("half latency</th><td class=\"n\">1.500 s</td><td class=\"n\">-25.0 %</td>"));
  EXPECT_THAT(html, HasSubstr("<rect width=\"75.00%\" height=\"100%\"/>"));
}

/// The text of a section.
std::string section(const std::string& html, const std::string& id) {
  const auto from = html.find("<section id=\"" + id + "\"");
  return from == std::string::npos ? std::string() : html.substr(from, html.find("</section>", from) - from);
}

TEST(Page, ShowsOtherNumbersOfRanks) {
  OneRank one;
  Report& report = one.report;
  EXPECT_THAT(page(report), Not(HasSubstr("Other numbers of ranks")));
  report.scaling = {at_ranks(16, 8, {{"prologue", 1, 1}, {"loop 1", 1, 2}}),
                    at_ranks(64, 4, {{"prologue", 1, 0.125}, {"loop 1", 1, 3}}), at_ranks(1024, 0.125)};
  report.scaling[1].all.interval = predict::Interval{2, 16};
  report.scaling[1].load_balance = 0.75;
  const std::string html = page(report), shown = section(html, "scaling");
  EXPECT_THAT(html, HasSubstr("<a href=\"#scaling\">Scaling</a>"));
  EXPECT_THAT(section(html, "prediction"),
              testing::AllOf(HasSubstr("There is no prediction for the 1 rank of this run, but "),
                             Not(HasSubstr("There is no prediction here yet"))));
  EXPECT_THAT(shown,
              HasSubstr("Compared with 16 ranks, efficiency falls below 80 % at 64 ranks (50.0 %); no phase grows "
                        "from 16 to 1,024 ranks."));
  EXPECT_THAT(shown, testing::ContainsRegex(
                         "64 ranks</th>.*>4.000 s .*>2.000 s to 16.000 s<.*>2<.*>50.0 %<.*>-<.*>75.0 %<.*>-<"));
  EXPECT_THAT(shown, testing::ContainsRegex(">loop 1</bdi></th>.*>32.000 s<.*>192.000 s<.*>-<"));
  EXPECT_THAT(shown, HasSubstr("<p class=\"warning\">64 ranks: the interval is too wide to use.</p>"));
  EXPECT_THAT(shown, HasSubstr("phases of the same name may be different loops"));
  // Both axes are logarithmic, from 16 to 1,024 ranks and from a half to 100 times as fast.
  EXPECT_EQ(count(shown, "<circle"), 3u);
  EXPECT_THAT(shown, HasSubstr("<circle class=\"predicted\" cx=\"34.67%\""));  // 4 + 92 / 3
  EXPECT_THAT(shown, HasSubstr("<line class=\"ideal\" x1=\"4.00%\" y1=\"86.92%\" x2=\"96.00%\" y2=\"8.42%\""));
  EXPECT_THAT(shown, HasSubstr("<line class=\"interval\" x1=\"34.67%\" y1=\"100.00%\" x2=\"34.67%\" y2=\"60.75%\""));
  report.prediction = report.scaling[0].all;
  EXPECT_THAT(section(page(report), "prediction"), testing::AllOf(HasSubstr("The skeleton predicts <b>8.000 s</b>"),
                                                                  Not(HasSubstr("There is no prediction"))));
}

TEST(Page, OfOtherNumbersOfRanksIsDefinedWhateverTheTimesAre) {
  OneRank one;
  Report& report = one.report;
  for (const auto& [first, second] : std::vector<std::pair<double, double>>{
           {0, 0}, {0, 1}, {1, 0}, {1e-300, 1e12}, {1e12, 1e-300}, {1e12, 1e-12}, {1, 1}, {1, 1.0000001}}) {
    report.scaling = {at_ranks(2, first), at_ranks(3, second)};
    report.scaling[1].all.interval = predict::Interval{0, second};
    const std::string shown = section(page(report), "scaling");
    EXPECT_THAT(shown, Not(testing::ContainsRegex("[\"> -](nan|inf)"))) << first << " " << second;
    EXPECT_THAT(shown, HasSubstr("Compared with 2 ranks, efficiency ")) << first << " " << second;
  }
  EXPECT_EQ(count(section(page(report), "scaling"), "<circle"), 2u);
  report.scaling = {at_ranks(64, 1), at_ranks(16, 2)};  // the larger number first
  EXPECT_THAT(section(page(report), "scaling"),
              HasSubstr("Compared with 64 ranks, efficiency does not fall below 80 %."));
}

TEST(HowItScales, NamesThePhaseThatGrowsMost) {
  std::vector<predict::AtRanks> all{at_ranks(4, 8, {{"prologue", 1, 1}, {"loop 1", 1, 1}}),
                                    at_ranks(16, 2.25, {{"prologue", 1, 0.5}, {"loop 1", 1, 2}}),
                                    at_ranks(8, 4.5, {{"prologue", 1, 0.5}, {"loop 1", 1, 1.5}})};
  EXPECT_EQ(how_it_scales(all),
            "Compared with 4 ranks, efficiency does not fall below 80 %; the phase that grows most "
            "from 4 to 8 ranks is loop 1, by 8.000 s of all ranks together.");
  all[1].all.predicted_s = all[2].all.predicted_s = 8;
  EXPECT_THAT(how_it_scales(all), HasSubstr("efficiency falls below 80 % at 8 ranks (50.0 %); "));
  for (auto& point : all) point.all = at_ranks(point.all.origin.ranks, 0).all;
  EXPECT_EQ(how_it_scales(all), "Compared with 4 ranks, efficiency is not known.");
}

TEST(Page, OfAPredictionShowsItsInterval) {
  OneRank one;
  Report& report = one.report;
  EXPECT_THAT(page(report), HasSubstr("skelgen predict --json SKEL &gt; prediction.json"));
  report.prediction = predict::Prediction{.predicted_s = 2,
                                          .interval = predict::Interval{1.5, 2.5},
                                          .confidence = 0.95,
                                          .compute = "time",
                                          .runs = {2, 2},
                                          .phases = {}};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("<b>1.500 s</b> and <b>2.500 s</b> with 95 % confidence"));
  EXPECT_THAT(html, Not(HasSubstr("There is no prediction here yet")));
  EXPECT_THAT(html, Not(HasSubstr("was built from another run")));
  EXPECT_THAT(html, Not(HasSubstr("traced with")));
  EXPECT_THAT(html, Not(HasSubstr("too uncertain to use")));
  EXPECT_THAT(html, Not(HasSubstr("waited for a core for")));
  report.prediction->interval = predict::Interval{1, 2.5};
  report.prediction->core_wait = 0.4;
  EXPECT_THAT(page(report),
              testing::AllOf(HasSubstr("too uncertain to use"), HasSubstr("The interval is too wide to use.")));
  EXPECT_THAT(page(report), HasSubstr("waited for a core for 40.0 % of their time"));
  report.prediction->traced_mpi.name = "MPICH";
  report.prediction->mpi.name = "Open MPI 4.1.4";
  report.prediction->processor = {.traced = "A", .here = "B", .same = false};
  const std::string elsewhere = "for Open MPI 4.1.4 (traced with MPICH), on B (traced on A)";
  EXPECT_EQ(count(page(report), elsewhere), 2u) << "on the card and in the section";
  report.prediction_of_this_run = false;
  EXPECT_THAT(page(report), HasSubstr("Its skeleton was built from another run"));
  report.prediction = predict::Prediction{
      .predicted_s = 0, .interval = predict::Interval{0, 0}, .compute = {}, .runs = {0}, .phases = {}};
  report.run.wall_s.reset();
  EXPECT_THAT(page(report), Not(HasSubstr("nan")));
}

TEST(Page, ShowsPhasesAndWhoCouldBeLater) {
  OneRank one;
  Report& report = one.report;
  EXPECT_THAT(page(report), Not(HasSubstr("Phase by phase")));
  EXPECT_THAT(page(report), HasSubstr("Nobody, without making the run longer."));
  report.measured.phases = {{"prologue", 1, 0.2, {0.5, 0.6, {}, {}, {}}}, {"loop 1", 4, 0.8, {0.9, {}, {}, {}, 1.01}}};
  report.measured.critical_path.by_phase = {{"prologue", 1}, {"loop 1", 3}};
  report.measured.critical_path.slack_by_rank = {{{}, {}}, {0.25, 0.125}, {0.0, 0.0}, {0.5, 0.0}};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr(">Of the ranks' time<"));
  EXPECT_THAT(html, testing::ContainsRegex("loop 1</th>.*4.000 s.*80.0 %.*90.0 %.*-.*-.*101.0 %.*3.000 s</td></tr>"));
  EXPECT_THAT(html,
              testing::ContainsRegex("rank 3</th><td class=\"n\">500 ms<.*rank 1</th><td class=\"n\">250 ms<.*125 ms"));
}

TEST(Page, OfARunWithoutTimeOrCallsIsDefined) {
  test::TracedRun run(1);
  run.kill(0);
  Timeline timeline({1}, 0);
  Report report = report_of(run, timeline);
  report.run.wall_s.reset();
  report.run.incomplete = {0};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("Rank 0 ended before MPI_Finalize: what follows is about the part of the run that was "
                              "recorded, and how long ranks waited for a core is not known."));
  EXPECT_THAT(html, HasSubstr("there is no efficiency"));
  EXPECT_EQ(pictures_of(html)["columns"], 0);
}

TEST(Page, SaysWhatWaitsBetweenMachinesAreWorth) {
  OneRank one;
  Report& report = one.report;
  report.run.hosts = {"one"};
  EXPECT_THAT(page(report), Not(HasSubstr("Clocks of different machines")));
  report.run.hosts = {"one", "two"};
  EXPECT_THAT(page(report), HasSubstr("Clocks of different machines"));
  report.run.simulated = true;
  EXPECT_THAT(page(report), Not(HasSubstr("Clocks of different machines")));
}

TEST(Page, SaysWhyThereIsNoCharronBost) {
  OneRank one;
  Report& report = one.report;
  report.measured.charron_bost = {{}, "more than 4,096 events"};
  const std::string html = page(report);
  EXPECT_THAT(html,
              testing::ContainsRegex("Charron-Bost m</th><td class=\"n\">undefined</td><td>more than 4,096 events<"));
  EXPECT_THAT(html, HasSubstr("of the same events, against their number instead of ranks x height"));
}

TEST(Page, RowsOfARunWithThreadsAreThreads) {
  test::TracedRun run(1);
  run.finalize(0, 1);
  Timeline timeline({2}, 1e-3);
  const std::string html = page(report_of(run, timeline));
  EXPECT_EQ(pictures_of(html)["unit"], "threads");
  EXPECT_EQ(pictures_of(html)["rows"][1]["name"], "rank 0, thread 1");
  EXPECT_THAT(html, HasSubstr("Above: how many threads compute"));
}

TEST(Page, StaysBelowTwoMegabytesWhateverTheRunIs) {
  std::mt19937 random(1);
  const auto any = [&] { return static_cast<double>(random() % 1000 + 1) * 1e-3; };
  test::TracedRun run(1);
  run.finalize(0, 1);
  Timeline empty({1}, 0);
  Report report = report_of(run, empty);
  Timeline timeline(std::vector<int>(10'000, 1), 0);
  std::vector<double> now(10'000);
  for (int call = 0; call < 2'000'000; ++call) {
    const auto rank = static_cast<Rank>(random() % 10'000);
    const auto at = static_cast<std::size_t>(rank);
    const double computing = any(), blocked = any();
    now[at] += computing + blocked;
    timeline.spent({rank, 0}, now[at], computing, blocked, *mpi::find(call % 3 ? "MPI_Recv" : "MPI_Bcast"));
    timeline.message({rank, 0}, now[at], {static_cast<Rank>(random() % 10'000), 0}, now[at] + any());
    timeline.waited({rank, 0}, {static_cast<Rank>(random() % 10'000), 0}, &metrics::Waits::late_sender_s,
                    now[at] - blocked * any(), now[at]);
  }
  report.timeline = &timeline;
  report.run.ranks = 10'000;
  report.bytes = timeline.pairs().waited_s;
  report.measured.waits.per_rank.resize(10'000);
  report.measured.critical_path.by_rank.assign(10'000, 1);
  report.measured.phases.assign(5'000, {"loop", 1, 1, {}});
  report.measured.critical_path.slack_by_rank.assign(10'000, {1, 1});
  report.measured.findings.assign(40'000, {1, "text", metrics::Finding::Cause::in_turns, {}, {}});
  for (int function = 0; function < 500; ++function)
    report.functions.push_back({"MPI_Function" + std::to_string(function), 1, 1, 1});
  const std::string endless(3'000'000, '"');
  report.run.application = report.run.command = report.run.mpi = endless;
  report.run.hosts.assign(10'000, endless.substr(0, 1000));
  report.skeleton = {.name = endless};
  report.prediction =
      predict::Prediction{.interval = {},
                          .compute = endless,
                          .runs = std::vector<double>(100'000, 1),
                          .phases = std::vector<predict::PhaseTime>(5'000, {endless.substr(0, 2000), 1, 1})};
  for (int ranks = 1; ranks <= 3'000; ++ranks) report.scaling.push_back(at_ranks(ranks, 1.0 / ranks));
  report.scaling.back().all.phases = report.prediction->phases;
  report.structure.emplace();
  report.structure->statements.assign(
      600, {Statement::Kind::call, 9, std::string(60, 'x'), {}, "17 of 64 ranks", 123456, 1});
  const std::string html = page(report);
  EXPECT_LT(html.size(), 2'000'000u);
  EXPECT_EQ(pictures_of(html)["rows"].size(), 128u);
}

TEST(Page, FindingsThatMissingCoresMayCauseHaveNoAdvice) {
  OneRank one;
  Report& report = one.report;
  report.measured.notes = {{metrics::Note::Kind::shared_cores, "text", true, true}};
  report.measured.findings = {{1, "no core", metrics::Finding::Cause::without_core},
                              {2, "late", metrics::Finding::Cause::late_sender, {0}}};
  const std::string html = page(report);
  EXPECT_THAT(html, testing::HasSubstr("1 more, uncertain because ranks waited for cores"));
  EXPECT_THAT(html, testing::HasSubstr("Give each rank a core of its own"));
  EXPECT_THAT(html, testing::Not(testing::HasSubstr("send as soon as the data is there")));
  report.measured.notes.clear();
  EXPECT_THAT(page(report), testing::HasSubstr("send as soon as the data is there"));
}

TEST(Page, FindingsSayWhereTheirRankComputesIfThatIsKnown) {
  OneRank one;
  Report& report = one.report;
  report.measured.findings = {{1, "other", metrics::Finding::Cause::function, {}, "MPI_Send"},
                              {2, "late", metrics::Finding::Cause::late_sender, {0}}};
  report.measured.findings[1].less = {0.2};
  report.structure = Structure{{{.kind = Statement::Kind::computation,
                                 .text = "computation (a.c:1 to a.c:2)",
                                 .name = "a.c:1 to a.c:2",
                                 .seconds = 3,
                                 .longest = Longest{0, 3, 1}},
                                {.text = "MPI_Send to 1", .name = "MPI_Send"}},
                               3,
                               2};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("<bdi>late</bdi>. <bdi>Where rank 0 computes longer than all others, most of its "
                              "difference to the mean is before "
                              "MPI_Send (a.c:1 to a.c:2)</bdi>."));
  EXPECT_THAT(html, HasSubstr("<bdi>other</bdi>.</p>"));
}

TEST(Page, SaysWhichFindingsAreOfOneComputation) {
  OneRank one;
  Report& report = one.report;
  const char* const same = "The same computation as in &quot;Late sender: rank 0&quot;";
  report.measured.findings = {{2, "late", metrics::Finding::Cause::late_sender, {0}},
                              {1, "uneven", metrics::Finding::Cause::uneven_work, {0}}};
  EXPECT_THAT(page(report), Not(HasSubstr(same)));
  for (auto& finding : report.measured.findings) finding.more_in_all = true;
  EXPECT_THAT(page(report), Not(HasSubstr(same)));
  for (auto& finding : report.measured.findings) finding.less = {0.2};
  EXPECT_THAT(page(report), HasSubstr(same));
  report.measured.findings[0].ranks = {0, 1};
  EXPECT_THAT(page(report), Not(HasSubstr(same)));
}

TEST(Page, SummaryNamesTheFirstFinding) {
  test::TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) run.barrier(rank, 1, 1);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 1);
  Timeline timeline({1, 1}, 1e-3);
  Report report = report_of(run, timeline);
  report.run.ranks = 2;
  report.run.calls = 10;
  report.measured.findings = {{0.0296, "text", metrics::Finding::Cause::imbalance, {1}}};
  EXPECT_THAT(page(report),
              testing::HasSubstr("was computation. Of the findings below the first would gain most, about "
                                 "29.6 ms: Uneven work: rank 1."));
}

TEST(Page, SaysWhatRanksSentToThemselves) {
  test::TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 1);
  Timeline timeline({1, 1}, 1e-3);
  Report report = report_of(run, timeline);
  report.bytes = {0, 100, 0, 0};
  EXPECT_THAT(page(report), testing::Not(testing::HasSubstr("sent to themselves")));
  report.bytes_of_no_pair = 2500;
  EXPECT_THAT(page(report), testing::HasSubstr("One pair. Of no pair are 2.5 kB: what ranks sent to themselves or"));
}

TEST(Advice, OfARankThatIsLongerInACallIsAboutThatCall) {
  metrics::Finding late{1, "text", metrics::Finding::Cause::late_sender, {2}};
  late.longer_in = "MPI_Allreduce";
  EXPECT_THAT(advice(late), testing::StartsWith("What makes rank 2 late is MPI_Allreduce: "));
}

TEST(Advice, IsSoftenedWhereTimeWithoutACoreMayBeComputation) {
  metrics::Finding uneven{1, "text", metrics::Finding::Cause::uneven_work, {2}};
  uneven.more_in_all = true;
  metrics::Note note{metrics::Note::Kind::shared_cores, "text"};
  EXPECT_THAT(advice(uneven, {note}), testing::StartsWith("Move work from rank 2"));
  note.computing = true;
  EXPECT_THAT(advice(uneven, {note}), testing::StartsWith("First see whether it is so with a core for each rank."));
}

}  // namespace
}  // namespace skelgen::report
