#include "normalize/normalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "mpi/values.h"
#include "normalize/answers.h"
#include "normalize/append_rank.h"
#include "normalize/files.h"
#include "normalize/location.h"
#include "normalize/peers.h"
#include "normalize/pools.h"
#include "normalize/targets.h"
#include "support/error.h"
#include "support/parallel.h"

namespace skelgen::normalize {

namespace {

/// What a location's calls are by: which of its records, and the symbols of those.
using CallsOf = std::pair<const Numbers*, std::vector<SymbolId>>;

std::vector<SymbolId> symbols_of(const Normalized& normalized, const LocationCalls& location) {
  std::vector<SymbolId> symbols;
  for (const RecordId record : location.calls.records()) symbols.push_back(normalized.records[record].symbol);
  return symbols;
}

/// One rank's locations, with numbers of its own.
Normalized read_rank(const trace::Trace& trace, std::span<const Location> locations, const trace::RankInfo& info,
                     bool times, const Options& options, std::span<const std::string> counters) {
  Normalized own;
  const auto columns = trace::columns_of(info, counters);
  const std::string directory = trace.directory().string();
  Tables tables(directory, own);
  Predefined predefined;
  Threads threads;
  threads.when.resize(locations.size());
  Threads* const several = locations.size() > 1 ? &threads : nullptr;
  for (const Location where : locations) {
    LocationCalls calls;
    calls.where = where;
    Buffers buffers;
    LocationCalls unused;
    LocationReader touch(directory, where, LocationReader::Pass::touch, buffers, predefined, tables, own, unused, {},
                         several);
    trace.visit(where, touch);
    buffers.finish(options.areas);
    const bool keep = times || several || touch.polled();
    if (keep) {
      calls.gap_s.reserve(touch.calls());
      calls.duration_s.reserve(touch.calls());
      calls.counted.reserve(touch.calls() * columns.size());
    }
    LocationReader name(directory, where, LocationReader::Pass::name, buffers, predefined, tables, own, calls,
                        {keep, options.sites, touch.polled() && options.numbers, columns}, several);
    name.know(touch.outcomes(), info.knows_cancelled);
    name.know(touch.forgotten());
    trace.visit(where, name);
    calls.buffer_bytes = buffers.bytes_by_slot();
    calls.working_set_bytes = info.ending.working_set_bytes;
    own.locations.push_back(std::move(calls));
  }
  if (several) find_turns(own, threads.when);
  return own;
}

/// Sequences that are equal but for the records' numbers are kept once.
class Shared {
 public:
  void add(CallList& calls, std::uint64_t hash) {
    const auto order = calls.order();
    if (!order) return;
    auto& alike = by_hash_[hash];
    const auto known = std::ranges::find_if(alike, [&](const auto& other) { return *other == *order; });
    if (known != alike.end())
      calls.share(*known);
    else
      alike.push_back(order);
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::shared_ptr<const Numbers>>> by_hash_;
};

class TimeVisitor : public trace::Visitor {
 public:
  explicit TimeVisitor(const std::function<void(double, double)>& visit) : visit_(visit) {}
  void event(const trace::Event& event) override {
    visit_(event.cpu.value, (event.end - event.start).value + LocationReader::waited_s(event));
  }

 private:
  const std::function<void(double, double)>& visit_;
};

class CountVisitor : public trace::Visitor {
 public:
  CountVisitor(std::vector<std::size_t> columns, const std::function<void(std::span<const double>)>& visit)
      : columns_(std::move(columns)), visit_(visit), counted_(columns_.size()) {}
  void event(const trace::Event& event) override {
    for (std::size_t c = 0; c < columns_.size(); ++c) counted_[c] = static_cast<double>(event.columns[columns_[c]]);
    visit_(counted_);
  }

 private:
  const std::vector<std::size_t> columns_;
  const std::function<void(std::span<const double>)>& visit_;
  std::vector<double> counted_;
};

}  // namespace

std::vector<Class> group_equal(const Normalized& normalized) {
  const std::size_t n = normalized.locations.size();
  const auto symbol = [&](RecordId call) { return normalized.records[call].symbol; };
  // Of a list whose records are numbered by the run, the order says all.
  std::map<CallsOf, std::size_t> by_kind;
  std::vector<std::size_t> first(n);  // of its kind
  for (std::size_t l = 0; l < n; ++l) {
    const LocationCalls& location = normalized.locations[l];
    first[l] = by_kind.try_emplace({location.calls.order().get(), symbols_of(normalized, location)}, l).first->second;
  }
  std::vector<std::uint64_t> hashes(n);
  parallel_for(n, [&](std::size_t l) {
    if (first[l] != l) return;
    hashes[l] = normalized.locations[l].calls.size();
    for (const RecordId call : normalized.locations[l].calls) hashes[l] = mix(hashes[l], symbol(call));
  });
  std::vector<Class> classes;
  std::vector<std::size_t> class_of(n);
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash;
  for (std::size_t l = 0; l < n; ++l) {
    class_of[l] = classes.size();
    if (first[l] != l) {
      class_of[l] = class_of[first[l]];
    } else {
      const CallList& calls = normalized.locations[l].calls;
      auto& alike = by_hash[hashes[l]];
      const auto known = std::ranges::find_if(alike, [&](std::size_t c) {
        return std::ranges::equal(calls, normalized.locations[classes[c].members.front()].calls, {}, symbol, symbol);
      });
      if (known != alike.end())
        class_of[l] = *known;
      else
        alike.push_back(class_of[l]);
    }
    if (class_of[l] == classes.size()) classes.emplace_back();
    classes[class_of[l]].members.push_back(l);
  }
  return classes;
}

void each_time(const Normalized& normalized, std::size_t l, const std::function<void(double, double)>& visit) {
  const LocationCalls& location = normalized.locations[l];
  if (location.gap_s.size() == location.calls.size() && location.duration_s.size() == location.calls.size()) {
    for (std::size_t k = 0; k < location.gap_s.size(); ++k) visit(location.gap_s[k], location.duration_s[k]);
    return;
  }
  if (!normalized.trace || !location.gap_s.empty())
    throw Error(Code::internal, fmt::format("location {} has {} gaps and {} durations for {} calls", l,
                                            location.gap_s.size(), location.duration_s.size(), location.calls.size()));
  TimeVisitor visitor(visit);
  normalized.trace->visit(location.where, visitor);
}

void each_counted(const Normalized& normalized, std::size_t l,
                  const std::function<void(std::span<const double>)>& visit) {
  const LocationCalls& location = normalized.locations[l];
  const std::size_t counters = normalized.counters.size();
  if (location.counted.size() == location.calls.size() * counters) {
    for (std::size_t k = 0; k < location.calls.size(); ++k)
      visit(std::span(location.counted).subspan(k * counters, counters));
    return;
  }
  if (!normalized.trace || !location.counted.empty())
    throw Error(Code::internal, fmt::format("location {} has {} counts for {} calls and {} counters", l,
                                            location.counted.size(), location.calls.size(), counters));
  const auto ranks = normalized.trace->rank_info();
  const auto rank = std::ranges::find(ranks, location.where.rank, &trace::RankInfo::rank);
  CountVisitor visitor(trace::columns_of(*rank, normalized.counters), visit);
  normalized.trace->visit(location.where, visitor);
}

double computation_s(const LocationCalls& location) {
  return location.gap_s.empty() ? location.compute_s
                                : std::accumulate(location.gap_s.begin(), location.gap_s.end(), 0.0);
}

Normalized classes(const trace::Trace& trace, const Options& options) {
  constexpr std::size_t kAtOnce = 64;  // ranks that are read before they are numbered
  Normalized result;
  Tables tables(trace.directory().string(), result);
  std::uint64_t calls = 0;
  for (const trace::RankInfo& rank : trace.rank_info()) calls += rank.ending.calls;
  const bool times = calls <= options.most_times || options.sites;
  if (!times) result.trace = trace;
  result.counters = trace.counters();
  Shared shared;
  const auto ranks = trace.rank_info();
  std::vector<std::size_t> first(1, 0);  // location of a rank
  for (const trace::RankInfo& rank : ranks) first.push_back(first.back() + static_cast<std::size_t>(rank.threads));
  for (std::size_t begin = 0; begin < ranks.size(); begin += kAtOnce) {
    const std::size_t n = std::min(kAtOnce, ranks.size() - begin);
    std::vector<Normalized> own(n);
    std::vector<std::vector<std::uint64_t>> hashes(n);
    parallel_for(n, [&](std::size_t i) {
      const std::size_t rank = begin + i;
      own[i] = read_rank(trace, trace.locations().subspan(first[rank], first[rank + 1] - first[rank]), ranks[rank],
                         times, options, result.counters);
      for (const LocationCalls& location : own[i].locations)
        hashes[i].push_back(location.calls.empty() ? 0 : location.calls.order()->hash());
    });
    for (std::size_t i = 0; i < n; ++i) {
      append_rank(std::move(own[i]), tables, result);
      for (std::size_t thread = 0; thread < hashes[i].size(); ++thread)
        shared.add(result.locations[first[begin + i] + thread].calls, hashes[i][thread]);
    }
  }
  number_files(result);
  resolve_targets(trace.directory().string(), result, tables);
  find_pools(result, tables);
  find_answers(result, tables);
  name_neighbours(result, tables);
  result.classes = group_equal(result);
  return result;
}

std::string text(const mpi::Function& function, std::span<const std::int64_t> values,
                 std::span<const std::vector<std::int64_t>> arrays, std::span<const std::string> names) {
  const mpi::ListedValues written(arrays, names);
  std::string line(function.name);
  line += "(";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const mpi::Parameter& parameter = function.parameters[i];
    if (i) line += ", ";
    line += fmt::format("{}={}", parameter.name, written(mpi::written_role(function, parameter), values[i]));
  }
  return line + ")";
}

std::string text(const Normalized& normalized, const Record& record) {
  return text(*normalized.symbols[record.symbol].function, record.values, normalized.arrays, normalized.names);
}

}  // namespace skelgen::normalize
