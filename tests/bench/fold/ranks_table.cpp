// ranks_table NAME.rank0.txt...: reads the call sequences of all ranks of NAME (sequences.h), folds them in mode best,
// merges them into one program, checks that it expands to the sequences, and prints a table in Markdown.
//
// Symbols are whole lines with relative peers, as in fold_table.cpp. The lines are records as src/normalize makes them,
// without times, requests and memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "bench/fold/sequences.h"
#include "fold/fold.h"
#include "merge/merge.h"
#include "normalize/append_rank.h"
#include "normalize/tables.h"
#include "support/parallel.h"
#include "trace/file.h"
#include "verify/verify.h"

namespace {

using namespace skelgen;
namespace fs = std::filesystem;
using mpi::Role;

constexpr int kRepeats = 5;

/// One rank's file -> its records.
class Reader {
 public:
  Reader(const fs::path& file, int rank, int ranks)
      : file_(file), rank_(rank), ranks_(ranks), tables_(file.string(), own_) {}

  normalize::Normalized read() {
    const trace::Mapping mapping(file_);
    const auto bytes = mapping.bytes();
    text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    normalize::LocationCalls location;
    location.where = {rank_, 0};
    location.communicators = {{0, ranks_, rank_, 1}, {1, 1, 0, 2u + static_cast<unsigned>(rank_)}};
    std::uint32_t line = kNone;
    for (std::size_t at = 0; at < text_.size(); at += lines_[line].text.size()) {
      line = next(line, at);
      location.calls.push_back(lines_[line].record);
    }
    location.gap_s.assign(location.calls.size(), 0);
    location.duration_s.assign(location.calls.size(), 0);
    own_.locations.push_back(std::move(location));
    return std::move(own_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Line {
    std::string_view text;  // with its end
    normalize::RecordId record;
    std::uint32_t follower = kNone;  // that came behind it the last time
  };

  /// Most lines are followed by what followed them before.
  std::uint32_t next(std::uint32_t before, std::size_t at) {
    if (before != kNone && lines_[before].follower != kNone) {
      const std::uint32_t guess = lines_[before].follower;
      const std::string_view text = lines_[guess].text;
      if (text.size() <= text_.size() - at && std::memcmp(text.data(), text_.data() + at, text.size()) == 0)
        return guess;
    }
    const std::size_t end = text_.find('\n', at);
    const std::string_view text = text_.substr(at, end == text_.npos ? end : end + 1 - at);
    const auto [known, fresh] = numbers_.try_emplace(text, static_cast<std::uint32_t>(lines_.size()));
    if (fresh) lines_.push_back({text, record(text, at)});
    if (before != kNone) lines_[before].follower = known->second;
    return known->second;
  }

  normalize::RecordId record(std::string_view line, std::size_t at) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    const auto words = sequences::words_of(line, file_, at);
    const mpi::Function* function = mpi::find(words[0]);
    if (!function) throw Error(Code::corrupt, file_.string(), at, std::string(words[0]) + " is no known function");
    const std::int64_t count = sequences::number(words[1]).value_or(0), tag = sequences::number(words[4]).value_or(0);
    const std::int64_t peer = sequences::number(words[3]).value_or(mpi::kProcNull);
    std::vector<std::int64_t> key, values;
    for (const mpi::Parameter& parameter : function->parameters) {
      std::int64_t value = 0, in_key = 0;
      bool has_key = true;
      switch (parameter.role) {
        case Role::comm:
          in_key = value = slot(words[5]);
          break;
        case Role::datatype:
          in_key = value = tables_.name(std::string(words[2]), 8);
          break;
        case Role::op:
          in_key = value = tables_.name("MPI_SUM", 0);
          break;
        case Role::root:
          in_key = value = peer;
          break;
        case Role::peer:
          value = peer;
          in_key = peer < 0 ? peer : (peer - rank_ + ranks_) % ranks_;
          break;
        default:
          value = parameter.role == Role::count ? count : parameter.role == Role::tag ? tag : 0;
          has_key = false;
      }
      values.push_back(value);
      if (has_key) key.push_back(in_key);
    }
    key.insert(key.end(), {count, tag});  // whole lines
    return tables_.record(tables_.symbol(function, key), values);
  }

  /// MPI_COMM_WORLD is named first.
  std::int64_t slot(std::string_view handle) {
    const auto next = static_cast<std::int64_t>(slots_.empty() ? 0 : slots_.size() + 1);
    return slots_.try_emplace(std::string(handle), next).first->second;
  }

  const fs::path file_;
  const int rank_, ranks_;
  std::string_view text_;
  normalize::Normalized own_;
  normalize::Tables tables_;
  std::vector<Line> lines_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::unordered_map<std::string, std::int64_t> slots_;
};

normalize::Normalized read(const fs::path& folder, const sequences::Place& place) {
  std::vector<normalize::Normalized> own(static_cast<std::size_t>(place.ranks));
  parallel_for(own.size(), [&](std::size_t rank) {
    own[rank] =
        Reader(folder / (place.name + ".rank" + std::to_string(rank) + ".txt"), static_cast<int>(rank), place.ranks)
            .read();
  });
  normalize::Normalized run;
  normalize::Tables tables(folder.string(), run);
  for (auto& rank : own) normalize::append_rank(std::move(rank), tables, run);
  run.classes = normalize::group_equal(run);
  return run;
}

std::vector<fold::Program> fold_all(const normalize::Normalized& run) {
  std::vector<fold::Program> programs(run.classes.size());
  parallel_for(programs.size(), [&](std::size_t c) {
    std::vector<fold::Symbol> text;
    const auto& calls = run.locations[run.classes[c].members.front()].calls;
    text.reserve(calls.size());
    for (const auto call : calls) text.push_back(run.records[call].symbol);
    programs[c] = fold::fold(text);
  });
  return programs;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void print_row(const fs::path& file) {
  const auto place = sequences::place_of(file);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::vector<double> parts[4];  // read, fold, merge, all; ms
  std::size_t calls = 0, statements = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    using Clock = std::chrono::steady_clock;
    const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    const auto start = Clock::now();
    const auto run = read(folder, place);
    const auto is_read = Clock::now();
    const auto programs = fold_all(run);
    const auto folded = Clock::now();
    const auto skeleton = merge::into_spmd(run, programs);
    const auto merged = Clock::now();
    parts[0].push_back(ms(is_read - start));
    parts[1].push_back(ms(folded - is_read));
    parts[2].push_back(ms(merged - folded));
    parts[3].push_back(ms(merged - start));
    if (const auto difference = verify::lossless(run, skeleton))
      throw Error(Code::internal, file.string(), {},
                  "the merged program expands to other calls: " + difference->actual);
    calls = 0;
    for (const auto& location : run.locations) calls += location.calls.size();
    statements = skeleton::length(skeleton.program);
  }
  std::printf("| %s | %d | %zu | %zu |", place.name.c_str(), place.ranks, calls, statements);
  for (const auto& part : parts) std::printf(" %.2f |", median(part));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ranks_table NAME.rank0.txt...\n");
    return 2;
  }
  try {
    std::printf(
        "| program | ranks | calls | statements | read | fold | merge | read, folded and merged, ms, medians of %d |\n"
        "|---|---|---|---|---|---|---|---|\n",
        kRepeats);
    for (int i = 1; i < argc; ++i) print_row(argv[i]);
  } catch (const Error& error) {
    std::fprintf(stderr, "ranks_table: %s\n", error.what());
    return 1;
  }
}
