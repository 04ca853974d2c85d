#pragma once
// A small trace to read and to damage, and what a visitor saw as text.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trace/trace.h"
#include "traces/writer.h"

namespace skelgen::test {

/// A directory that is gone after the test.
class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "skelgen-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path rank(int number) const { return path_ / fmt::format("rank-{:06}.skt", number); }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline constexpr std::int64_t kWorld = 0x44000000, kInt = 0x4c000405, kSum = 0x58000003;

/// Two ranks, each of one thread: a message from 0 to 1, then a sum.
inline void write_rank(trace::Writer& writer, int rank) {
  writer.comm({kWorld, 2, rank, 0, false});
  writer.datatype({kInt, 4, 4, "MPI_INT"});
  writer.call("MPI_Init", {}, 0, 5000);
  if (rank == 0)
    writer.call("MPI_Send", {0x7f0010, 3, kInt, 1, 9, kWorld}, 1000, 200);
  else
    writer.call("MPI_Recv", {0x7f0020, 3, kInt, 0, 9, kWorld, {0, 9}}, 1000, 400);
  writer.op({kSum, true, "MPI_SUM"});
  writer.call("MPI_Allreduce", {mpi::kInPlace, 0x7f0010, 1, kInt, kSum, kWorld}, 700, 300);
  writer.call("MPI_Finalize", {}, 50, 600);
}

inline void write_small_trace(const std::filesystem::path& directory, const trace::RankDescription& description = {}) {
  const trace::Run run{.id = 0x5ca1ab1e, .ranks = 2};
  trace::write_meta(directory, run);
  for (int rank = 0; rank < 2; ++rank) {
    trace::Writer writer(directory, run, rank, description);
    write_rank(writer, rank);
    writer.finish({.finalize_entry_ticks = 1'000'007'000, .finalize_exit_ticks = 1'000'008'000 + 100u * rank});
  }
}

/// Everything that a stream says, one line each.
class Lines : public trace::Visitor {
 public:
  void event(const trace::Event& event) override {
    std::string line = fmt::format("{}(", event.function->name);
    for (std::size_t i = 0; i < event.values.size(); ++i) {
      const auto& value = event.values[i];
      line += i ? ", " : "";
      line += value.array.empty() ? fmt::format("{}", value.scalar) : fmt::format("[{}]", fmt::join(value.array, " "));
    }
    lines.push_back(line + fmt::format(") gap {:.0f} at {:.0f}-{:.0f}", event.gap.value * 1e9, event.start.value * 1e9,
                                       event.end.value * 1e9));
    signatures.push_back(event.signature);
    columns.emplace_back(event.columns.begin(), event.columns.end());
  }
  void comm(const trace::CommDefinition& c) override {
    lines.push_back(
        fmt::format("comm {:#x} {}/{} leader {}{}", c.handle, c.rank, c.size, c.leader, c.inter ? " inter" : ""));
  }
  void datatype(const trace::DatatypeDefinition& d) override {
    lines.push_back(fmt::format("datatype {:#x} {} bytes extent {} '{}'", d.handle, d.size, d.extent, d.name));
  }
  void op(const trace::OpDefinition& o) override {
    lines.push_back(fmt::format("op {:#x} '{}'{}", o.handle, o.name, o.commutes ? " commutes" : ""));
  }
  void file(const trace::FileDefinition& f) override {
    lines.push_back(fmt::format("file {:#x} of {} bytes", f.handle, f.bytes));
  }
  void group(const trace::GroupDefinition& g) override {
    lines.push_back(fmt::format("group {:#x} of {}", g.handle, fmt::join(g.members, " ")));
  }

  std::vector<std::string> lines;
  std::vector<std::uint64_t> signatures;
  std::vector<std::vector<std::uint64_t>> columns;
};

inline Lines read(const trace::Trace& trace, Location where) {
  Lines lines;
  trace.visit(where, lines);
  return lines;
}

/// Opens and reads everything; the number of calls.
inline std::size_t read_all(const std::filesystem::path& directory, const trace::OpenOptions& options = {}) {
  const auto trace = trace::open(directory, options);
  std::size_t calls = 0;
  for (const Location& where : trace.locations()) calls += read(trace, where).signatures.size();
  return calls;
}

}  // namespace skelgen::test
