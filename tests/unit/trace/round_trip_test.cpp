#include <gmock/gmock.h>

#include "skt_format.h"
#include "unit/trace/small_trace.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;

TEST(RoundTrip, TwoRanks) {
  Directory directory;
  write_small_trace(directory.path());
  const auto trace = trace::open(directory.path());

  EXPECT_EQ(trace.ranks(), 2);
  EXPECT_EQ(trace.application(), "application");
  EXPECT_EQ(trace.command(), "./application");
  EXPECT_THAT(trace.locations(), ElementsAre(Location{0, 0}, Location{1, 0}));
  EXPECT_NEAR(trace.wall()->value, 8.1e-6, 1e-12);
  EXPECT_THAT(read(trace, {0, 0}).lines,
              ElementsAre("comm 0x44000000 0/2 leader 0", "datatype 0x4c000405 4 bytes extent 4 'MPI_INT'",
                          "MPI_Init() gap 0 at 0-5000",
                          "MPI_Send(8323088, 3, 1275069445, 1, 9, 1140850688) gap 1000 at 6000-6200",
                          "op 0x58000003 'MPI_SUM' commutes",
                          "MPI_Allreduce(1, 8323088, 1, 1275069445, 1476395011, 1140850688) gap 700 at 6900-7200",
                          "MPI_Finalize() gap 50 at 7250-7850"));
  EXPECT_EQ(read(trace, {1, 0}).lines[3],
            "MPI_Recv(8323104, 3, 1275069445, 0, 9, 1140850688, [0 9]) gap 1000 at 6000-6400");
}

TEST(RoundTrip, RunTimesOfAllRunsThatWereTraced) {
  Directory directory;
  write_small_trace(directory.path());
  EXPECT_THAT(trace::open(directory.path()).runs_s(), ElementsAre());
  trace::note_runs(directory.path(), std::vector<double>{1.5, 1.25});
  EXPECT_EQ(trace::open(directory.path()).status(), 0);
  trace::note_status(directory.path(), 3);
  const auto trace = trace::open(directory.path());
  EXPECT_EQ(trace.status(), 3);
  EXPECT_THAT(trace.runs_s(), ElementsAre(1.5, 1.25));
  EXPECT_EQ(trace.application(), "application");
}

TEST(RoundTrip, TheNameOfAScript) {
  const auto shown = [](const char* application, const char* command) {
    Directory directory;
    const trace::Run run{.id = 7, .ranks = 1, .application = application, .command = command};
    trace::write_meta(directory.path(), run);
    trace::Writer writer(directory.path(), run, 0);
    writer.call("MPI_Init", {}, 0, 0);
    writer.finish();
    return trace::open(directory.path()).shown_application();
  };
  EXPECT_EQ(shown("python3", "/usr/bin/python3 -m mpi4py study/farm.py 400"), "farm.py");
  EXPECT_EQ(shown("python3", "python3 -m study"), "python3");
  EXPECT_EQ(shown("app", "./app farm.py"), "app");
}

TEST(RoundTrip, WhatARankSays) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1, .mpi_name = "Open MPI", .mpi_version = "4.1.4"};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0,
                       {.host = "node \"7\"", .columns = {"PAPI_TOT_INS"}, .speed_register = 3e8, .speed_memory = 5e9});
  writer.call("MPI_Init", {}, 10, 20, {99});
  writer.finish({.dropped = 3, .working_set_bytes = 4096, .exit = "exit"});

  const auto trace = trace::open(directory.path());
  const auto& info = trace.rank_info()[0];
  EXPECT_EQ(info.host, "node \"7\"");
  EXPECT_EQ(info.mpi_name, "Open MPI");
  EXPECT_EQ(info.mpi_version, "4.1.4");
  EXPECT_THAT(info.columns, ElementsAre("PAPI_TOT_INS"));
  EXPECT_THAT(read(trace, {0, 0}).columns, ElementsAre(ElementsAre(99)));
  EXPECT_EQ(info.speeds.at("register"), 3e8);
  EXPECT_EQ(info.speeds.at("memory"), 5e9);
  EXPECT_TRUE(info.ending.complete);
  EXPECT_EQ(info.ending.calls, 1u);
  EXPECT_EQ(info.ending.dropped, 3u);
  EXPECT_EQ(info.ending.working_set_bytes, 4096u);
  EXPECT_EQ(info.bytes, std::filesystem::file_size(directory.rank(0)));
  EXPECT_FALSE(trace.wall()) << "MPI_Finalize was not called";
}

/// One value for every recorded parameter, none of them trivial.
trace::Argument argument(const mpi::Parameter& parameter, std::int64_t number) {
  using mpi::Role;
  switch (parameter.role) {
    case Role::counts:
    case Role::displs:
    case Role::datatypes:
    case Role::requests:
    case Role::status:
    case Role::statuses:
    case Role::indices:
    case Role::integers:
    case Role::aints:
    case Role::text:
      return {number, -number, INT64_MAX, INT64_MIN};
    case Role::buffer:
      return INT64_MAX - 1000 * number;
    default:
      return number % 2 ? number : -number;
  }
}

TEST(RoundTrip, EveryParameterOfEveryFunction) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0, {.chunk_bytes = 256});
  std::vector<std::string> expected;
  for (const auto& function : mpi::functions()) {
    const auto parameters = function.kind == mpi::Kind::opaque ? function.parameters : function.recorded;
    std::vector<trace::Argument> arguments;
    std::string line = fmt::format("{}(", function.name);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      arguments.push_back(argument(parameters[i], static_cast<std::int64_t>(100 + i)));
      const auto& a = arguments.back();
      line += (i ? ", " : "") +
              (a.array.empty() ? fmt::format("{}", a.scalar) : fmt::format("[{}]", fmt::join(a.array, " ")));
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
      writer.call(function.name, arguments, 5, 2);
      expected.push_back(line + ")");
    }
  }
  writer.finish();

  const auto lines = read(trace::open(directory.path()), {0, 0});
  ASSERT_EQ(lines.lines.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(lines.lines[i].substr(0, expected[i].size()), expected[i]);
    EXPECT_EQ(lines.signatures[i], i / 2) << "a repeated call has its first one's signature";
  }
}

TEST(RoundTrip, BuffersThatAreNoMemory) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0);
  for (const std::int64_t address : {std::int64_t{0x1000}, mpi::kNullBuffer, mpi::kInPlace, std::int64_t{0x0800}})
    writer.call("MPI_Bcast", {address, 1, kInt, 0, kWorld}, 0, 0);
  writer.finish();
  EXPECT_THAT(read(trace::open(directory.path()), {0, 0}).lines,
              ElementsAre(testing::StartsWith("MPI_Bcast(4096,"), testing::StartsWith("MPI_Bcast(0,"),
                          testing::StartsWith("MPI_Bcast(1,"), testing::StartsWith("MPI_Bcast(2048,")));
}

TEST(RoundTrip, DefinitionsOfGroupsAndIntercommunicators) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0);
  writer.group({5, {3, 1, 2}});
  writer.group({6, {}});
  writer.comm({9, 2, -1, 4, true});
  writer.file({11, 1234});
  writer.file({12, -1});
  writer.datatype({1, -3, -4, ""});
  writer.finish();
  EXPECT_THAT(read(trace::open(directory.path()), {0, 0}).lines,
              ElementsAre("group 0x5 of 3 1 2", "group 0x6 of ", "comm 0x9 -1/2 leader 4 inter",
                          "file 0xb of 1234 bytes", "file 0xc of -1 bytes", "datatype 0x1 -3 bytes extent -4 ''"));
}

TEST(RoundTrip, FunctionsThatTheTableLacksKeepTheirNames) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0);
  writer.call("MPIX_Surprise", {}, 10, 20);
  // FUNCTION 1 "MPIX_Two" with a count in the signature and a flag in the event; SIGNATURE 1 of it; a call.
  writer.record({1, 1, 8, 'M', 'P', 'I', 'X', '_', 'T', 'w', 'o', 2, 2, 1, 19, 2});
  writer.record({2, 1, 1, 12});
  writer.record({17, 100, 30, 2});
  writer.call("MPIX_Surprise", {}, 1, 2);
  writer.finish();
  const auto trace = trace::open(directory.path());
  EXPECT_THAT(read(trace, {0, 0}).lines, ElementsAre("MPIX_Surprise() gap 10 at 10-30", "MPIX_Two() gap 100 at 130-160",
                                                     "MPIX_Surprise() gap 1 at 161-163"));
}

TEST(RoundTrip, TheTracersOwnTimeIsNoGap) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0, {.record_cost_ticks = 30});
  writer.call("MPI_Barrier", {kWorld}, 100, 10);
  writer.pause(1000);
  writer.call("MPI_Barrier", {kWorld}, 100, 10);
  writer.call("MPI_Barrier", {kWorld}, 20, 10);
  writer.finish();
  EXPECT_THAT(read(trace::open(directory.path()), {0, 0}).lines,
              ElementsAre("MPI_Barrier(1140850688) gap 70 at 100-110", "MPI_Barrier(1140850688) gap 70 at 1210-1220",
                          "MPI_Barrier(1140850688) gap 0 at 1240-1250"));
}

struct Processor : trace::Visitor {
  void event(const trace::Event& event) override { cpu_ns.push_back(std::lround(event.cpu.value * 1e9)); }
  std::vector<long> cpu_ns;
};

TEST(RoundTrip, TimeOnAProcessorIsAtMostTheGapWithoutTheTracersOwn) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 2};
  trace::write_meta(directory.path(), run);
  trace::Writer shared(directory.path(), run, 0, {.columns = {"PAPI_TOT_INS", "cpu_ns"}, .cpu_cost_ns = 100});
  shared.call("MPI_Barrier", {kWorld}, 1000, 10, {7, 600});
  shared.pause(400);
  shared.call("MPI_Barrier", {kWorld}, 1000, 10, {7, 1200});
  shared.call("MPI_Barrier", {kWorld}, 1000, 10, {7, 2000});
  shared.call("MPI_Barrier", {kWorld}, 1000, 10, {7, 30});
  shared.finish();
  const auto write_other = [&](const std::vector<std::string>& columns, const std::vector<std::uint64_t>& values) {
    trace::Writer other(directory.path(), run, 1, {.columns = columns});
    other.call("MPI_Barrier", {kWorld}, 1000, 10, values);
    other.finish();
  };
  const auto of_first = [&](bool known) {
    const auto trace = trace::open(directory.path());
    EXPECT_EQ(trace.has_cpu_time(), known);
    Processor first;
    trace.visit({0, 0}, first);
    return first.cpu_ns;
  };
  write_other({"cpu_ns"}, {1000});
  EXPECT_THAT(of_first(true), ElementsAre(500, 700, 1000, 0));
  write_other({}, {});
  EXPECT_THAT(of_first(false), ElementsAre(1000, 1000, 1000, 1000)) << "not all ranks have it: it tells nothing";
}

/// Of two gaps, from 0 to 1000 and from 1010 to 2010 ns, what a thread waited, of that the hand-over, and what it computed.
TEST(RoundTrip, WaitsForOtherThreadsArePartOfTheGap) {
  struct Gaps : trace::Visitor {
    std::vector<std::vector<long>> ns;
    void event(const trace::Event& event) override {
      auto& row = ns.emplace_back();
      for (const auto part : {event.thread_wait, event.hand_over, event.cpu})
        row.push_back(std::lround(part.value * 1e9));
    }
  };
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  const auto gaps = [&](const std::vector<std::string>& columns, const std::vector<std::uint64_t>& cpu) {
    trace::Writer writer(directory.path(), run, 0, {.columns = columns});
    for (int call = 0; call < 2; ++call) writer.call("MPI_Barrier", {kWorld}, 1000, 10, cpu, 0);
    for (int call = 0; call < 2; ++call) writer.call("MPI_Barrier", {kWorld}, 1000, 10, cpu, 1);
    writer.finish();
    const auto at = [](int ns) { return 1 + 1e-9 * ns; };
    trace::OpenOptions options;
    options.thread_waits[{"host", 1}] = {{at(-50), at(-20), at(-10)},     // before
                                         {at(100), at(300), at(350)},     // within
                                         {at(800), at(1020), at(1110)}};  // also during the call, and after it
    options.thread_waits[{"other", 1}] = {{at(0), at(0), at(1000)}};
    const auto trace = trace::open(directory.path(), options);
    Gaps first, second;
    trace.visit({0, 0}, first);
    trace.visit({0, 1}, second);
    EXPECT_EQ(second.ns[0][0], 0) << "only the first thread's waits are known";
    return first.ns;
  };
  EXPECT_THAT(gaps({}, {}), ElementsAre(ElementsAre(450, 50, 1000), ElementsAre(100, 90, 1000)));
  EXPECT_THAT(gaps({"cpu_ns"}, {300}), ElementsAre(ElementsAre(450, 50, 750), ElementsAre(100, 90, 400)));
  EXPECT_THAT(gaps({"cpu_ns"}, {700}), ElementsAre(ElementsAre(450, 50, 1000), ElementsAre(100, 90, 800)));
}

TEST(RoundTrip, TicksOfAnotherLength) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0, {.ns_per_tick = 0.5});
  writer.call("MPI_Barrier", {kWorld}, 1000, 200);
  writer.finish();
  const auto trace = trace::open(directory.path());
  EXPECT_THAT(read(trace, {0, 0}).lines, ElementsAre("MPI_Barrier(1140850688) gap 500 at 500-600"));
  EXPECT_NEAR(trace.rank_info()[0].seconds_per_tick, 0.5e-9, 1e-18);
}

TEST(RoundTrip, HostsWithClocksOfTheirOwnMeetWhereInitReturns) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 2};
  trace::write_meta(directory.path(), run);
  trace::Writer first(directory.path(), run, 0,
                      {.boot_id = "a", .origin_ticks = 1000, .init_entry_ticks = 1000, .init_exit_ticks = 3000});
  first.call("MPI_Barrier", {kWorld}, 2500, 100);
  first.finish();
  trace::Writer second(
      directory.path(), run, 1,
      {.boot_id = "b", .origin_ticks = 700'000, .init_entry_ticks = 700'500, .init_exit_ticks = 701'000});
  second.call("MPI_Barrier", {kWorld}, 1400, 200);
  second.finish();
  const auto trace = trace::open(directory.path());
  EXPECT_THAT(read(trace, {0, 0}).lines, ElementsAre("MPI_Barrier(1140850688) gap 2500 at 2500-2600"));
  EXPECT_THAT(read(trace, {1, 0}).lines, ElementsAre("MPI_Barrier(1140850688) gap 1400 at 2400-2600"));
}

TEST(RoundTrip, ThreadsAndManyChunks) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0, {.chunk_bytes = 64});
  for (int i = 0; i < 100; ++i)
    for (int thread = 0; thread < 3; ++thread)
      writer.call("MPI_Bcast", {0x1000 * (i + 1), i, kInt, thread, kWorld}, 10, 5, {}, thread);
  writer.finish();
  const auto trace = trace::open(directory.path());
  EXPECT_THAT(trace.locations(), ElementsAre(Location{0, 0}, Location{0, 1}, Location{0, 2}));
  for (int thread = 0; thread < 3; ++thread) {
    const auto lines = read(trace, {0, thread}).lines;
    ASSERT_EQ(lines.size(), 100u);
    EXPECT_EQ(lines[99], fmt::format("MPI_Bcast(409600, 99, {}, {}, {}) gap 10 at 1495-1500", kInt, thread, kWorld));
  }
}

TEST(RoundTrip, MoreThreadsThan65536) {
  constexpr int kThreads = 66'000;
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0, {.chunk_bytes = 64});
  for (int thread = 0; thread < kThreads; ++thread) writer.call("MPI_Barrier", {kWorld}, 10, 5, {}, thread);
  writer.finish();
  const auto trace = trace::open(directory.path());
  ASSERT_EQ(trace.locations().size(), std::size_t{kThreads});
  EXPECT_EQ(read(trace, {0, kThreads - 1}).lines.size(), 1u);
}

TEST(RoundTrip, CallsThatFailed) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer writer(directory.path(), run, 0);
  writer.call("MPI_Init", {}, 0, 0);
  writer.record({SKT_TAG_FAILED, 6});
  writer.call("MPI_Barrier", {kWorld}, 1, 1);
  writer.call("MPI_Barrier", {kWorld}, 1, 1);
  writer.finish();
  struct : trace::Visitor {
    void event(const trace::Event& event) override { classes.push_back(event.error_class); }
    std::vector<int> classes;
  } seen;
  trace::open(directory.path()).visit({0, 0}, seen);
  EXPECT_THAT(seen.classes, ElementsAre(0, 6, 0));
}

TEST(RoundTrip, SideBySideIsAsOneAfterAnother) {
  Directory directory;
  write_small_trace(directory.path(), {.chunk_bytes = 64});
  const auto trace = trace::open(directory.path());
  trace::Cursor cursors[] = {trace.read({0, 0}), trace.read({1, 0})};
  Lines lines[2];
  for (int more = 1; more > 0;) {
    more = 0;
    for (int rank = 0; rank < 2; ++rank)
      if (const trace::Event* event = cursors[rank].next(lines[rank])) {
        lines[rank].event(*event);
        ++more;
      }
  }
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(lines[rank].lines, read(trace, {rank, 0}).lines);
    EXPECT_EQ(lines[rank].signatures.size(), 4u);
    EXPECT_EQ(cursors[rank].next(lines[rank]), nullptr) << "the end stays the end";
  }
  EXPECT_THROW(trace.read({2, 0}), Error);
}

TEST(RoundTrip, NoCallsAtAll) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::write_meta(directory.path(), run);
  trace::Writer(directory.path(), run, 0).finish();
  EXPECT_EQ(read_all(directory.path()), 0u);
}

TEST(Writer, RefusesWhatTheTableDoesNotSay) {
  Directory directory;
  const trace::Run run{.id = 7, .ranks = 1};
  trace::Writer writer(directory.path(), run, 0);
  EXPECT_THROW(writer.call("MPI_Barrier", {}, 0, 0), Error);
  EXPECT_THROW(writer.call("MPI_Barrier", {kWorld}, 0, 0, {1}), Error);
  EXPECT_THROW(trace::Writer(directory.path(), run, 1), Error);
}

TEST(Writer, LeavesNothingBehindUnfinished) {
  Directory directory;
  { trace::Writer writer(directory.path(), {.id = 7}, 0); }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace skelgen::test
