#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "normalize/exchange_groups.h"
#include "normalize/normalize.h"
#include "normalize/tables.h"
#include "support/error.h"

namespace skelgen::normalize {
namespace {

using mpi::Role;

/// The call that waits for one request.
const mpi::Function* waiting_for_one() {
  return &*std::ranges::find_if(mpi::functions(), [](const mpi::Function& function) {
    return function.kind == mpi::Kind::complete && function.find(Role::request) >= 0;
  });
}

/// Records and symbols beside those of the traced calls; equal ones have one number.
class Additions {
 public:
  explicit Additions(Normalized& run) : run_(run) {
    for (const Symbol& symbol : run.symbols) symbols_.emplace(symbol, static_cast<SymbolId>(symbols_.size()));
    for (const Record& record : run.records) records_.add(hash_of(record.values, record.symbol));
  }

  SymbolId symbol(Symbol symbol) {
    const auto [known, added] = symbols_.try_emplace(symbol, static_cast<SymbolId>(run_.symbols.size()));
    if (added) run_.symbols.push_back(std::move(symbol));
    return known->second;
  }
  RecordId record(Record record) {
    const std::uint64_t hash = hash_of(record.values, record.symbol);
    const RecordId known = records_.find(hash, [&](RecordId id) { return run_.records[id] == record; });
    if (known != Ids::kNone) return known;
    run_.records.push_back(std::move(record));
    return records_.add(hash);
  }

 private:
  Normalized& run_;
  std::map<Symbol, SymbolId> symbols_;
  Ids records_;
};

/// Which request slots are free before each group of a location: a new request takes the lowest. A slot is in use until
/// the last call that names it before a new request takes it; a request that nobody completes keeps its slot, and a
/// persistent one until it is freed.
class FreeSlots {
 public:
  FreeSlots(const Normalized& run, const LocationCalls& location, std::span<const ExchangeGroup> groups) {
    std::vector<std::size_t> kept_since;  // by slot: the call that made a request which nobody names again
    constexpr std::size_t kNever = ~std::size_t{0};
    const auto grow = [&](std::size_t slot) {
      if (slot < kept_since.size()) return;
      kept_since.resize(slot + 1, kNever);
      named_.resize(slot + 1, false);
    };
    std::vector<bool> persistent;  // by slot
    for (std::size_t k = 0; k < location.calls.size(); ++k) {
      const mpi::Kind kind = run.symbols[run.records[location.calls[k]].symbol].function->kind;
      each_request(run, run.records[location.calls[k]], [&](std::size_t slot, bool made) {
        grow(slot);
        persistent.resize(named_.size(), false);
        if (made) persistent[slot] = kind == mpi::Kind::send_init || kind == mpi::Kind::recv_init;
        if (made || !persistent[slot] || kind == mpi::Kind::request_free) kept_since[slot] = made ? k : kNever;
      });
    }
    std::size_t k = location.calls.size();
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
      for (; k > group->end; --k)
        each_request(run, run.records[location.calls[k - 1]],
                     [&](std::size_t slot, bool made) { named_[slot] = !made; });
      std::vector<std::int64_t>& free = by_group_.emplace_back();
      for (std::size_t slot = 0; free.size() < group->end - group->begin; ++slot)
        if (slot >= named_.size() || (!named_[slot] && kept_since[slot] >= group->begin))
          free.push_back(static_cast<std::int64_t>(slot));
    }
    std::ranges::reverse(by_group_);
  }

  /// Ascending, as many as the group has calls.
  const std::vector<std::int64_t>& before(std::size_t group) const { return by_group_[group]; }

 private:
  template <typename Visit>
  static void each_request(const Normalized& run, const Record& record, Visit visit) {
    const auto parameters = run.symbols[record.symbol].function->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool made = parameters[i].direction == mpi::Direction::out;
      if (parameters[i].role == Role::request && record.values[i] >= 0)
        visit(static_cast<std::size_t>(record.values[i]), made);
      if (parameters[i].role == Role::requests)
        for (const std::int64_t slot : run.arrays[static_cast<std::size_t>(record.values[i])])
          if (slot >= 0) visit(static_cast<std::size_t>(slot), made);
    }
  }

  std::vector<bool> named_;  // by slot: the next call that names it needs what is in it
  std::vector<std::vector<std::int64_t>> by_group_;
};

/// Numbers buffer slots by first use in the new order of calls.
class BufferOrder {
 public:
  explicit BufferOrder(std::size_t slots) : number_(slots, kUnused) {}
  void use(const mpi::Function& function, const Record& record) {
    for (std::size_t i = 0; i < record.values.size(); ++i) {
      if (function.parameters[i].role != Role::buffer || record.values[i] <= mpi::kInPlace) continue;
      const auto slot = static_cast<std::size_t>(mpi::slot_of(record.values[i]));
      if (slot >= number_.size()) number_.resize(slot + 1, kUnused);
      if (number_[slot] == kUnused) number_[slot] = next_++;
    }
  }
  /// After all uses: slots that no call names come last.
  bool changes() {
    for (std::uint32_t& number : number_)
      if (number == kUnused) number = next_++;
    for (std::uint32_t slot = 0; slot < number_.size(); ++slot)
      if (number_[slot] != slot) return true;
    return false;
  }
  void rename(const mpi::Function& function, Record& record) const {
    for (std::size_t i = 0; i < record.values.size(); ++i) {
      if (function.parameters[i].role != Role::buffer || record.values[i] <= mpi::kInPlace) continue;
      const std::int64_t old = record.values[i];
      record.values[i] = mpi::pack(number_[static_cast<std::size_t>(mpi::slot_of(old))], mpi::offset_of(old));
    }
  }
  std::vector<std::uint64_t> sizes(const std::vector<std::uint64_t>& bytes) const {
    std::vector<std::uint64_t> result(number_.size(), 0);
    for (std::size_t slot = 0; slot < bytes.size(); ++slot) result[number_[slot]] = bytes[slot];
    return result;
  }

 private:
  static constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> number_;  // by old slot
  std::uint32_t next_ = 0;
};

class Rewriter {
 public:
  explicit Rewriter(Normalized& run) : run_(run), additions_(run), wait_(waiting_for_one()) {}

  void location(std::size_t l, std::span<const ExchangeGroup> groups) {
    LocationCalls& location = run_.locations[l];
    const FreeSlots free(run_, location, groups);
    LocationCalls moved = location;
    moved.calls.clear(), moved.gap_s.clear(), moved.duration_s.clear(), moved.counted.clear();
    from_ = &location;
    to_ = &moved;
    std::vector<std::uint64_t> number;  // by old call: the new one
    std::size_t k = 0;
    for (std::size_t g = 0; g <= groups.size(); ++g) {
      for (const std::size_t end = g < groups.size() ? groups[g].begin : location.calls.size(); k < end; ++k) {
        number.push_back(moved.calls.size());
        add(location.calls[k], location.gap_s[k], location.duration_s[k], k);
      }
      if (g == groups.size()) break;
      number.insert(number.end(), groups[g].end - groups[g].begin, moved.calls.size());
      group(location, groups[g], free.before(g));
      k = groups[g].end;
    }
    for (SharedRequest& shared : moved.shared_requests) shared = {number[shared.call], number[shared.first]};
    for (Match& match : moved.matches) match.call = number[match.call];
    for (Pool& pool : run_.pools) {  // none of whose calls are in a group
      const auto renumber = [&](std::vector<std::uint64_t>& calls) {
        for (std::uint64_t& call : calls) call = number[call];
      };
      if (pool.manager == l) renumber(pool.dispatches);
      for (Pool::Worker& worker : pool.workers)
        if (worker.location == l) renumber(worker.receives);
    }
    rename_buffers(moved);
    location = std::move(moved);
  }

 private:
  /// Receives of an exchange stand by tag, those without a sender last, then by datatype and relative source.
  std::tuple<std::int64_t, bool, std::vector<std::int64_t>> place_of(const Record& record) const {
    const Symbol& symbol = run_.symbols[record.symbol];
    const auto value = [&](Role role) { return record.values[static_cast<std::size_t>(symbol.function->find(role))]; };
    return {value(Role::tag), value(Role::peer) < 0, symbol.key};
  }

  const mpi::Function& function(RecordId record) const { return *run_.symbols[run_.records[record].symbol].function; }

  /// counted: the old call whose counts the new one has, kNone if it has none.
  static constexpr std::size_t kNone = ~std::size_t{0};
  void add(RecordId record, double gap_s, double duration_s, std::size_t counted) {
    const std::size_t n = run_.counters.size();
    for (std::size_t c = 0; c < n; ++c) to_->counted.push_back(counted == kNone ? 0 : from_->counted[counted * n + c]);
    to_->calls.push_back(record);
    to_->gap_s.push_back(gap_s);
    to_->duration_s.push_back(duration_s);
  }

  void group(const LocationCalls& from, const ExchangeGroup& group, const std::vector<std::int64_t>& slots) {
    std::vector<std::size_t> receives, sends;
    for (std::size_t k = group.begin; k < group.end; ++k)
      (function(from.calls[k]).kind == mpi::Kind::recv ? receives : sends).push_back(k);
    std::ranges::stable_sort(receives, {}, [&](std::size_t k) { return place_of(run_.records[from.calls[k]]); });
    double gap_s = from.gap_s[group.begin];  // before the whole exchange; a call's own one comes with it
    const auto gap_of = [&](std::size_t k) { return k == group.begin ? 0 : from.gap_s[k]; };
    const auto own = [&](std::size_t k) { return k == group.begin ? kNone : k; };
    const auto order = [&](std::size_t k) { return static_cast<std::int64_t>(k - group.begin + 1); };
    for (std::size_t i = 0; i < receives.size(); ++i) {
      add(start(from.calls[receives[i]], slots[i], order(receives[i])), gap_s, 0, i == 0 ? group.begin : kNone);
      gap_s = 0;
    }
    for (const std::size_t k : sends) {
      Record record = run_.records[from.calls[k]];
      record.order = order(k);
      add(additions_.record(std::move(record)), gap_of(k), from.duration_s[k], own(k));
    }
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const std::size_t k = receives[i];
      add(wait(from.calls[k], slots[i], order(k)), gap_of(k), from.duration_s[k], own(k));
    }
    ++run_.exchanges;
  }

  /// The value that `parameter` of the new call has by its role in the old one.
  static std::int64_t taken(const mpi::Function& from, const Record& record, const mpi::Parameter& parameter) {
    const int at = from.find(parameter.role);
    if (at < 0) throw Error(Code::internal, std::string(from.name) + " has no " + std::string(parameter.name));
    return record.values[static_cast<std::size_t>(at)];
  }

  RecordId start(RecordId receive, std::int64_t slot, std::int64_t order) {
    const Record old = run_.records[receive];
    const mpi::Function& started = mpi::functions()[static_cast<std::size_t>(function(receive).later)];
    Record record{additions_.symbol({&started, run_.symbols[old.symbol].key}), {}, order};
    for (const mpi::Parameter& parameter : started.parameters)
      record.values.push_back(parameter.role == Role::request ? slot : taken(function(receive), old, parameter));
    return additions_.record(std::move(record));
  }

  RecordId wait(RecordId receive, std::int64_t slot, std::int64_t order) {
    const Record old = run_.records[receive];
    Record record{additions_.symbol({wait_, {}}), {}, order};
    for (const mpi::Parameter& parameter : wait_->parameters)
      record.values.push_back(parameter.role == Role::request ? slot : taken(function(receive), old, parameter));
    return additions_.record(std::move(record));
  }

  void rename_buffers(LocationCalls& location) {
    BufferOrder order(location.buffer_bytes.size());
    std::unordered_map<RecordId, RecordId> renamed;
    for (const RecordId call : location.calls)
      if (renamed.try_emplace(call, call).second) order.use(function(call), run_.records[call]);
    if (!order.changes()) return;
    CallList calls;
    for (const RecordId call : location.calls) {
      const auto known = renamed.find(call);
      if (known->second == call) {
        Record record = run_.records[call];
        order.rename(function(call), record);
        if (record != run_.records[call]) known->second = additions_.record(std::move(record));
      }
      calls.push_back(known->second);
    }
    location.calls = std::move(calls);
    location.buffer_bytes = order.sizes(location.buffer_bytes);
  }

  Normalized& run_;
  Additions additions_;
  const mpi::Function* wait_;
  LocationCalls* to_ = nullptr;
  const LocationCalls* from_ = nullptr;
};

}  // namespace

Normalized exchange(const Normalized& strict) {
  for (const LocationCalls& location : strict.locations)
    if (location.where.thread != 0)
      throw Error(
          Code::unsupported,
          fmt::format("several threads of rank {} call MPI: their calls cannot be reordered", location.where.rank),
          "build without --normalize exchange");
  for (const LocationCalls& location : strict.locations)
    if (!location.attached.empty())  // other ranks know the numbers of its buffers
      throw Error(Code::unsupported,
                  fmt::format("rank {} attaches memory to a dynamic window: its calls cannot be reordered",
                              location.where.rank),
                  "build without --normalize exchange");
  Normalized run = strict;
  const std::vector<ExchangeGroup> groups = exchange_groups(strict);
  if (groups.empty()) return run;
  Rewriter rewriter(run);
  for (auto first = groups.begin(); first != groups.end();) {
    const auto last = std::find_if(first, groups.end(), [&](const auto& g) { return g.location != first->location; });
    rewriter.location(first->location, {first, last});
    first = last;
  }
  run.classes = group_equal(run);
  return run;
}

}  // namespace skelgen::normalize
