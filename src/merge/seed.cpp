// The paper's own order: merge the logs first, then fold what they have become.

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "merge/assemble.h"
#include "merge/merge.h"
#include "support/error.h"

namespace skelgen::merge {
namespace {

using normalize::Normalized;
using normalize::SymbolId;

constexpr double kMostComparisons = 137438953472.0;  // 2^37: some minutes
constexpr std::size_t kMostEntries = std::size_t{1} << 28;

struct HashOfList {
  std::size_t operator()(const std::vector<SymbolId>& list) const {
    std::uint64_t hash = list.size();
    for (const SymbolId symbol : list) hash = (hash ^ symbol) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return hash;
  }
};

class LogMerger {
 public:
  LogMerger(const Normalized& normalized, std::uint64_t look_ahead)
      : look_ahead_(look_ahead), logs_(normalized.locations.size()), at_(normalized.locations.size(), 0) {
    const std::vector<std::uint32_t> shapes = shapes_of(normalized);
    std::size_t longest = 0;
    for (std::size_t l = 0; l < logs_.size(); ++l) {
      for (const auto call : normalized.locations[l].calls) {
        const SymbolId symbol = normalized.records[call].symbol;
        const mpi::Kind kind = normalized.symbols[symbol].function->kind;
        if (kind == mpi::Kind::init || kind == mpi::Kind::finalize) ends_.insert(shapes[symbol]);
        logs_[l].symbols.push_back(symbol);
        logs_[l].shapes.push_back(shapes[symbol]);
      }
      longest = std::max(longest, logs_[l].shapes.size());
    }
    if (static_cast<double>(look_ahead) * static_cast<double>(logs_.size()) * static_cast<double>(longest) >
        kMostComparisons)
      refuse(std::to_string(logs_.size()) + " ranks of up to " + std::to_string(longest) + " calls, looking ahead by " +
             std::to_string(look_ahead) + ", are too much for it");
  }

  MergedLog merge() {
    for (;;) {
      members_.clear();
      for (std::size_t l = 0; l < logs_.size(); ++l)
        if (at_[l] < logs_[l].shapes.size()) members_.push_back(l);
      if (members_.empty()) return std::move(result_);
      if (!all_alike()) {
        const std::uint32_t first = first_shape();
        std::erase_if(members_, [&](std::size_t l) { return current(l) != first; });
      }
      push();
    }
  }

 private:
  struct Log {
    std::vector<SymbolId> symbols;
    std::vector<std::uint32_t> shapes;  // parallel
  };

  [[noreturn]] static void refuse(const std::string& why) {
    throw Error(Code::unsupported, "merging call by call (--merge seed): " + why,
                "use --merge folded, or a smaller --look-ahead");
  }

  std::uint32_t current(std::size_t l) const { return logs_[l].shapes[at_[l]]; }

  bool all_alike() const {
    return std::ranges::all_of(members_, [&](std::size_t l) { return current(l) == current(members_[0]); });
  }

  /// Of the members' current calls the one that is farthest from its next partner. MPI_Init and MPI_Finalize wait for
  /// all: a program begins and ends once.
  std::uint32_t first_shape() {
    seen_.clear();
    std::uint64_t farthest = 0;
    std::uint32_t first = 0;
    for (const std::size_t l : members_) {
      const std::uint32_t shape = current(l);
      if (ends_.contains(shape) || std::ranges::find(seen_, shape) != seen_.end()) continue;
      seen_.push_back(shape);
      const std::uint64_t distance = distance_of(shape);
      if (distance > farthest) farthest = distance, first = shape;
    }
    return farthest > 0 ? first : current(members_[0]);
  }

  /// How far below its current call a location that is at another call has this one; look_ahead + 1: not that near.
  std::uint64_t distance_of(std::uint32_t shape) const {
    std::uint64_t nearest = look_ahead_ + 1;
    for (const std::size_t l : members_) {
      if (current(l) == shape) continue;
      const std::uint64_t rest = logs_[l].shapes.size() - at_[l];
      for (std::uint64_t t = 1; t < std::min(nearest, rest); ++t)
        if (logs_[l].shapes[at_[l] + t] == shape) nearest = t;
    }
    return nearest;
  }

  /// The members' current calls are one record.
  void push() {
    list_.assign(logs_.size(), MergedLog::kNothing);
    for (const std::size_t l : members_) list_[l] = logs_[l].symbols[at_[l]++];
    const auto [known, added] = number_.try_emplace(list_, static_cast<fold::Symbol>(number_.size()));
    if (added) {
      if (number_.size() * list_.size() > kMostEntries)
        refuse(std::to_string(number_.size()) + " different calls of " + std::to_string(list_.size()) +
               " ranks are too much for it");
      result_.symbols.push_back(list_);
    }
    result_.text.push_back(known->second);
  }

  const std::uint64_t look_ahead_;
  std::vector<Log> logs_;
  std::unordered_set<std::uint32_t> ends_;  // shapes of MPI_Init and MPI_Finalize
  std::vector<std::size_t> at_;             // by location: its current call
  std::vector<std::size_t> members_;
  std::vector<std::uint32_t> seen_;
  std::vector<SymbolId> list_;
  std::unordered_map<std::vector<SymbolId>, fold::Symbol, HashOfList> number_;
  MergedLog result_;
};

/// The locations' own programs, aligned as they stand in the folded log.
class Unmerged {
 public:
  Unmerged(const MergedLog& log, std::size_t locations, const fold::Program& folded)
      : log_(log), program_(class_program(folded)) {
    alignment_.nodes.resize(locations);
  }

  Alignment split() {
    alignment_.merged = block(0, static_cast<std::uint32_t>(program_.size()));
    return std::move(alignment_);
  }

 private:
  std::vector<Aligned> block(std::uint32_t begin, std::uint32_t end) {
    std::vector<Aligned> all;
    for (std::uint32_t i = begin; i < end; i = program_[i].end)
      all.push_back(program_[i].is_loop() ? loop(i) : call(i));
    return all;
  }

  Aligned call(std::uint32_t i) {
    const ClassNode& node = program_[i];
    if (node.symbol >= log_.symbols.size()) throw Error(Code::internal, "the folded log has other symbols");
    Aligned aligned;
    const auto& list = log_.symbols[node.symbol];
    for (std::uint32_t l = 0; l < list.size(); ++l) {
      if (list[l] == MergedLog::kNothing) continue;
      aligned.parts.push_back({l, add(l, node)});
      ClassNode& own = alignment_.nodes[l].back();
      own.symbol = list[l];
      own.end = static_cast<std::uint32_t>(alignment_.nodes[l].size());
    }
    return aligned;
  }

  Aligned loop(std::uint32_t i) {
    std::vector<std::uint32_t> begin;
    for (std::uint32_t l = 0; l < alignment_.nodes.size(); ++l) begin.push_back(add(l, program_[i]));
    Aligned aligned;
    aligned.body = block(i + 1, program_[i].end);
    for (std::uint32_t l = 0; l < begin.size(); ++l) {
      ClassProgram& own = alignment_.nodes[l];
      if (own.size() == begin[l] + 1) {
        own.pop_back();  // it does nothing in the loop
        continue;
      }
      own[begin[l]].end = static_cast<std::uint32_t>(own.size());
      aligned.parts.push_back({l, begin[l]});
    }
    return aligned;
  }

  /// A copy of the node at the end of the location's program; its number there.
  std::uint32_t add(std::uint32_t location, const ClassNode& node) {
    ClassProgram& own = alignment_.nodes[location];
    own.push_back(node);
    return static_cast<std::uint32_t>(own.size() - 1);
  }

  const MergedLog& log_;
  const ClassProgram program_;
  Alignment alignment_;
};

}  // namespace

MergedLog merge_logs(const Normalized& normalized, std::uint64_t look_ahead) {
  if (look_ahead < 1) throw Error(Code::invalid_argument, "the look-ahead is 0", "give at least 1");
  return LogMerger(normalized, look_ahead).merge();
}

skeleton::Skeleton into_spmd(const Normalized& normalized, const MergedLog& log, const fold::Program& folded) {
  std::vector<normalize::Class> alone;
  for (std::size_t l = 0; l < normalized.locations.size(); ++l) alone.push_back({{l}});
  return assemble(normalized, alone, Unmerged(log, alone.size(), folded).split());
}

}  // namespace skelgen::merge
