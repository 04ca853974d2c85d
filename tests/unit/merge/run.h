#pragma once
// Small SPMD programs as tests write them, and what normalize and fold would say of their runs.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fold/fold.h"
#include "normalize/normalize.h"

namespace skelgen::run {

/// A value of rank r at the k-th execution of its statement.
using Number = std::function<std::int64_t(int r, std::uint64_t k)>;
inline Number always(std::int64_t value) {
  return [=](int, std::uint64_t) { return value; };
}

struct Statement {
  std::string function;                  ///< empty: a loop
  std::map<std::string, Number> values;  ///< by parameter; the others are 0
  std::function<bool(int r)> who = [](int) { return true; };
  std::function<double(int r, std::uint64_t k)> gap = [](int, std::uint64_t) { return 0.0; };
  double duration = 0;
  std::function<std::uint64_t(int r, std::uint64_t k)> trips;
  std::vector<Statement> body;
};
using Program = std::vector<Statement>;

inline Statement call(std::string function, std::map<std::string, Number> values = {}) {
  Statement s;
  s.function = std::move(function);
  s.values = std::move(values);
  return s;
}
/// Trips of rank r at the k-th execution of the loop.
inline Statement varying_loop(std::function<std::uint64_t(int, std::uint64_t)> trips, Program body) {
  Statement s;
  s.trips = std::move(trips);
  s.body = std::move(body);
  return s;
}
inline Statement loop(std::function<std::uint64_t(int)> trips, Program body) {
  return varying_loop([trips = std::move(trips)](int r, std::uint64_t) { return trips(r); }, std::move(body));
}
inline Statement loop(std::uint64_t trips, Program body) {
  return varying_loop([=](int, std::uint64_t) { return trips; }, std::move(body));
}
inline Statement only(std::function<bool(int)> who, Statement s) {
  s.who = std::move(who);
  return s;
}
inline Statement after(double seconds, Statement s) {
  s.gap = [=](int, std::uint64_t) { return seconds; };
  return s;
}

struct Run {
  normalize::Normalized normalized;
  std::vector<fold::Program> programs;  ///< by class
};

inline std::int64_t buffer(std::int64_t slot, std::int64_t offset = 0) { return mpi::pack(slot, offset); }

class Runner {
 public:
  explicit Runner(int ranks) : ranks_(ranks) {
    auto& n = run_.normalized;
    n.arrays = {{}};
    n.names = {"MPI_DOUBLE", "MPI_INT", "MPI_SUM", "MPI_MAX"};
    n.name_bytes = {8, 4, 0, 0};
    for (int r = 0; r < ranks; ++r) {
      normalize::LocationCalls calls;
      calls.where = {r, 0};
      calls.buffer_bytes = {800, 800};
      calls.communicators = {{0, ranks, r, 1}, {1, 1, 0, 100 + static_cast<std::uint64_t>(r)}};
      n.locations.push_back(calls);
    }
  }
  normalize::Normalized& normalized() { return run_.normalized; }
  std::int64_t array(std::vector<std::int64_t> values) {
    auto& arrays = run_.normalized.arrays;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i] == values) return static_cast<std::int64_t>(i);
    arrays.push_back(std::move(values));
    return static_cast<std::int64_t>(arrays.size() - 1);
  }

  Run run(const Program& program) {
    std::map<std::vector<normalize::SymbolId>, std::size_t> class_of;
    for (int r = 0; r < ranks_; ++r) {
      executions_.clear();
      trips_.clear();
      execute(program, r);
      std::vector<normalize::SymbolId> sequence;
      for (const auto record : run_.normalized.locations[static_cast<std::size_t>(r)].calls)
        sequence.push_back(run_.normalized.records[record].symbol);
      const auto [entry, added] = class_of.emplace(sequence, run_.programs.size());
      if (added) {
        executions_.clear();
        run_.normalized.classes.emplace_back();
        run_.programs.push_back(folded(program, r));
      }
      run_.normalized.classes[entry->second].members.push_back(static_cast<std::size_t>(r));
    }
    return std::move(run_);
  }

 private:
  void execute(const Program& block, int r) {
    for (const Statement& s : block) {
      if (!s.who(r)) continue;
      if (s.function.empty()) {
        const std::uint64_t trips = s.trips(r, executions_[&s]++);
        trips_[&s].push_back(trips);
        for (std::uint64_t t = 0; t < trips; ++t) execute(s.body, r);
        continue;
      }
      const std::uint64_t k = executions_[&s]++;
      auto& calls = run_.normalized.locations[static_cast<std::size_t>(r)];
      calls.calls.push_back(record(s, r, k));
      calls.gap_s.push_back(s.gap(r, k));
      calls.duration_s.push_back(s.duration);
    }
  }

  // The loops as written, without those that rank r does nothing in: what execute() did last.
  fold::Program folded(const Program& block, int r) {
    fold::Program result;
    for (const Statement& s : block) {
      if (!s.who(r)) continue;
      if (!s.function.empty()) {
        fold::Node leaf;
        leaf.symbol = run_.normalized.records[record(s, r, 0)].symbol;
        result.push_back(leaf);
        continue;
      }
      fold::Program body = folded(s.body, r);
      const auto& each = trips_[&s];
      const std::uint64_t most = each.empty() ? 0 : *std::max_element(each.begin(), each.end());
      const bool vary = std::count(each.begin(), each.end(), most) != static_cast<std::ptrdiff_t>(each.size());
      if (body.empty() || most == 0) continue;
      if (most == 1 && !vary) {
        result.insert(result.end(), body.begin(), body.end());
      } else {
        result.push_back({0, most, std::move(body), vary ? each : std::vector<std::uint64_t>{}});
      }
    }
    return result;
  }

  normalize::RecordId record(const Statement& s, int r, std::uint64_t k) {
    const mpi::Function* function = mpi::find(s.function);
    if (!function) throw std::runtime_error("no function " + s.function);
    normalize::Record record;
    normalize::Symbol symbol{function, {}};
    for (const mpi::Parameter& p : function->parameters) {
      const auto given = s.values.find(std::string(p.name));
      const std::int64_t v = given == s.values.end() ? 0 : given->second(r, k);
      record.values.push_back(v);
      if (normalize::in_key(p.role) && p.role != mpi::Role::peer) symbol.key.push_back(v);
      if (p.role == mpi::Role::peer) symbol.key.push_back(v < 0 ? v : ranks_ + ((v - r) % ranks_ + ranks_) % ranks_);
    }
    auto& n = run_.normalized;
    const auto [sym, new_symbol] = symbols_.emplace(symbol, n.symbols.size());
    if (new_symbol) n.symbols.push_back(symbol);
    record.symbol = sym->second;
    const auto [rec, new_record] = records_.emplace(record, n.records.size());
    if (new_record) n.records.push_back(record);
    return rec->second;
  }

  int ranks_;
  Run run_;
  std::map<const Statement*, std::uint64_t> executions_;
  std::map<const Statement*, std::vector<std::uint64_t>> trips_;  ///< of loops, by execution
  std::map<normalize::Symbol, normalize::SymbolId> symbols_;
  std::map<normalize::Record, normalize::RecordId> records_;
};

}  // namespace skelgen::run
