// fuzz_seeds DIR: writes the inputs that fuzzing begins with, DIR/{trace,program,fold,threads}/*: synthetic traces, one with
// every function of the table, a damaged one, short programs, nests of loops, threads that synchronise. The same bytes each time.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/pipeline.h"
#include "fuzz/program.h"
#include "mpi/mpi.h"
#include "support/error.h"
#include "synthetic/synthetic.h"
#include "trace/file.h"
#include "traces/recording.h"
#include "traces/writer.h"

namespace {

using namespace skelgen;
namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw Error(Code::io, path.string(), {}, "cannot be written");
}

/// The ranks' files of a trace, behind the byte of options.
void pack(const fs::path& trace, char options, const fs::path& to) {
  std::string bytes(1, options);
  for (Rank rank = 0; fs::exists(trace / trace::rank_file_name(rank)); ++rank) {
    std::ifstream file(trace / trace::rank_file_name(rank), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  write(to, bytes);
}

/// Every function of the table, called once with zeros.
void write_every_function(const fs::path& directory) {
  const auto run = fuzz::run_of(1);
  trace::write_meta(directory, run);
  trace::Writer writer(directory, run, 0);
  writer.comm({1, 1, 0, 0, false});
  writer.datatype({1, 4, 4, "MPI_INT"});
  writer.op({1, true, "MPI_SUM"});
  writer.group({1, {0}});
  for (const mpi::Function& function : mpi::functions()) {
    std::vector<trace::Argument> arguments;
    for (const mpi::Parameter& parameter : function.recorded) {
      const bool handle =
          parameter.role == mpi::Role::comm || parameter.role == mpi::Role::datatype || parameter.role == mpi::Role::op;
      if (mpi::is_array(parameter.role))
        arguments.emplace_back(std::vector<std::int64_t>{});
      else
        arguments.emplace_back(std::int64_t{handle});
    }
    writer.call(function.name, arguments, 1, 1);
  }
  writer.finish({.finalize_entry_ticks = 1'000'001'000, .finalize_exit_ticks = 1'000'001'001});
}

void write_killed(const fs::path& directory) {
  const auto run = fuzz::run_of(1);
  trace::write_meta(directory, run);
  trace::Writer writer(directory, run, 0, {.columns = {"cpu_ns"}, .ns_per_tick = 0.5, .chunk_bytes = 256});
  writer.comm({1, 1, 0, 0, false});
  writer.call("MPI_Init", {}, 5, 5, {1});
  writer.pause(100);
  writer.call("MPI_Barrier", {1}, 5, 5, {1}, 1);
  writer.abandon();
}

/// Two threads hand work over by a mutex and a condition, meet at a barrier and send bytes, in turns.
void write_threads(const fs::path& directory) {
  const auto run = fuzz::run_of(1);
  trace::write_meta(directory, run);
  trace::Writer writer(directory, run, 0, {.threads = true, .chunk_bytes = 512});
  trace::Recording first(writer, 0), second(writer, 1);
  first.module(0x1000, 0x2000, 0x1000, "/bin/app");
  first.event(SKT_BARRIER, SKT_MADE, 30, 1, 1, 2);
  first.event(SKT_THREAD, SKT_CREATE, 77, 10, 5, 1);
  second.event(SKT_THREAD, SKT_START, 77, 20, 0, 1);
  for (int round = 0; round < 4; ++round) {
    first.event(SKT_MUTEX, SKT_ACQUIRE, 10, 100, 1);
    first.event(SKT_CONDITION, SKT_SIGNAL, 20, 5, 1, 0, 0, 0, 0x1020);
    first.event(SKT_MUTEX, SKT_RELEASE, 10, 5, 1, 0, 0, 0, 0x1030);
    second.event(SKT_MUTEX, SKT_ACQUIRE, 10, 5, 1, 0, 0, 0, 0x1110);
    second.event(SKT_CONDITION, SKT_WAIT, 20, 5, 95, 0, SKT_BLOCKED, 10, 0x1120);
    second.event(SKT_MUTEX, SKT_RELEASE, 10, 5, 1, 0, 0, 0, 0x1130);
    first.event(SKT_CHANNEL, SKT_SEND, 40, 5, 1, 64, 0, 0, 0x1040);
    second.event(SKT_CHANNEL, SKT_RECEIVE, 40, 5, 1, 64, 0, 0, 0x1140);
    first.event(SKT_BARRIER, SKT_ARRIVE, 30, 50, 10, 0, SKT_BLOCKED, 0, 0x1050);
    second.event(SKT_BARRIER, SKT_ARRIVE, 30, 55, 1, 0, 0, 0, 0x1150);
  }
  first.event(SKT_SEMAPHORE, SKT_RELEASE, 50, 5, 1);
  second.event(SKT_SEMAPHORE, SKT_ACQUIRE, 50, 5, 1);
  second.event(SKT_THREAD, SKT_EXIT, 77, 10, 0);
  first.event(SKT_THREAD, SKT_JOIN, 77, 10, 10, 0, SKT_BLOCKED);
  writer.finish();
}

int seeds(const fs::path& to) {
  const fs::path& scratch = fuzz::scratch_directory();
  char options = 0;
  for (const char* kind : {"nests", "noise", "halo"})
    for (const int ranks : {1, 2, 4}) {
      const fs::path trace = scratch / (std::string(kind) + std::to_string(ranks));
      synthetic::write(trace, {.kind = *synthetic::kind_of(kind), .ranks = ranks, .records = 20});
      pack(trace, options, to / "trace" / (std::string(kind) + std::to_string(ranks)));
      options = static_cast<char>((options + 17) % 64);
    }
  write_every_function(scratch / "every");
  pack(scratch / "every", 0, to / "trace" / "every-function");
  write_killed(scratch / "killed");
  pack(scratch / "killed", 0, to / "trace" / "killed");
  pack(scratch / "killed", static_cast<char>(0x40), to / "trace" / "killed-as-it-is");

  write_threads(scratch / "threads");
  pack(scratch / "threads", 0, to / "threads" / "two");

  // A program's bytes: options, ranks, then statements; see program.cpp.
  const auto statement = [](int kind, int how, int function, std::initializer_list<int> choices) {
    std::string bytes{static_cast<char>(kind), static_cast<char>(how), static_cast<char>(function)};
    for (const int choice : choices) bytes += static_cast<char>(choice);
    return bytes;
  };
  const auto send = statement(0x60, 1, 0, {1, 4, 1, 1, 2, 0}),
             receive = statement(0x60, 2, 1, {2, 4, 1, 0x41, 2, 0, 1}),
             any = statement(0x60, 2, 1, {2, 4, 1, 0xc0, 2, 0, 1}),
             start = statement(0x60, 3, 3, {3, 4, 1, 0x41, 2, 0, 0}),
             isend = statement(0x60, 3, 2, {4, 4, 1, 1, 2, 0, 0}), waitall = statement(0x60, 4, 5, {0, 0, 0}),
             sum = statement(0x60, 5, 8, {1, 2, 1, 1, 0, 0}), split = statement(0x60, 6, 14, {0, 0, 1, 3}),
             end = std::string(1, '\0');
  const std::string loop{'\x20', '\x14'}, varying{'\x20', '\x84'}, branch{'\x50', '\x20'};
  int number = 0;
  for (const std::string& program :
       {loop + start + isend + waitall + sum + end, loop + send + receive + varying + sum + end + end + sum,
        split + loop + branch + send + end + any + end, loop + loop + sum + end + varying + split + end + waitall})
    for (const int ranks : {0x00, 0x13, 0x3d}) {
      write(to / "program" / std::to_string(number),
            std::string{static_cast<char>(number % 64), static_cast<char>(ranks)} + program);
      ++number;
    }
  write(to / "fold" / "nest", std::string("\x1b"
                                          "abcabc\xe8\x06"
                                          "dd\xe4\x30"
                                          "e\xf0\x40",
                                          16));
  write(to / "fold" / "varying", std::string("\x43"
                                             "abb\xe7\x02"
                                             "c\xe7\x10"
                                             "d\xff\x20",
                                             13));
  write(to / "fold" / "largest", std::string("\x18"
                                             "abcdabcd\xe2\x04",
                                             11));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_seeds DIR\n", stderr);
    return 2;
  }
  try {
    return seeds(argv[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
    return 1;
  }
}
