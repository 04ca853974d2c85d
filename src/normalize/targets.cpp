#include "normalize/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "normalize/location.h"
#include "support/error.h"

namespace skelgen::normalize {

using mpi::Role;

/// What the call names in the other rank's memory.
std::int64_t LocationReader::target(const Plan& plan, const trace::Event& event, std::size_t i) {
  const std::int64_t displacement = event.values[i].scalar;
  const auto value = [&](Role role) { return event.values[static_cast<std::size_t>(function_->find(role))].scalar; };
  if (!plan.comm->dynamic) {
    if (displacement < 0) fail_refused(fmt::format("has a displacement of {}", displacement));
    if (displacement >= mpi::kLargestBuffer)
      fail(Code::unsupported, "names a place more than 2^40 units behind the window's begin",
           "trace a smaller problem");
    return displacement;
  }
  const auto& parameters = function_->parameters;
  const auto count = std::ranges::find(parameters, "target_count", &mpi::Parameter::name);
  const bool moves =
      count == parameters.end() || event.values[static_cast<std::size_t>(count - parameters.begin())].scalar > 0;
  if (value(Role::peer) < 0 || !moves) return 0;
  const Target target{plan.comm->is.identity, value(Role::peer), static_cast<std::uint64_t>(displacement), function_,
                      index_};
  const auto [known, fresh] = targets_.try_emplace({target.window, target.rank, target.address}, targets_.size());
  if (fresh) out_.targets.push_back(target);
  return kFirstTarget + known->second;
}

void LocationReader::attach(const Plan& plan, const trace::Event& event) {
  const auto at = static_cast<std::size_t>(function_->find(Role::buffer));
  const auto begin = static_cast<std::uint64_t>(event.values[at].scalar);
  const std::uint64_t bytes = span_of(plan, event, at).bytes;
  if (bytes > 0 && attached_.emplace(begin, bytes).second)
    out_.attached.push_back({begin, begin + bytes, plan.values[at]});
}

namespace {

/// What the ranks of the run attached, by address.
class Memory {
 public:
  explicit Memory(const Normalized& run) {
    for (const LocationCalls& location : run.locations) {
      if (location.where.thread != 0) continue;
      std::vector<Attached> all = location.attached;
      std::ranges::sort(all, {}, &Attached::begin);
      auto& own = of_rank_[location.where.rank];
      for (const Attached& memory : all)  // what overlaps is one buffer
        if (!own.empty() && memory.begin < own.back().end)
          own.back().end = std::max(own.back().end, memory.end);
        else
          own.push_back(memory);
      for (const Communicator& window : location.windows)
        rank_of_[{window.identity, window.rank}] = location.where.rank;
    }
  }

  /// mpi::pack(slot, offset), or 0.
  std::int64_t place(const Target& target) const {
    const auto rank = rank_of_.find({target.window, target.rank});
    if (rank == rank_of_.end()) return 0;
    const std::vector<Attached>& all = of_rank_.at(rank->second);
    const auto after = std::ranges::upper_bound(all, target.address, {}, &Attached::begin);
    if (after == all.begin() || target.address >= std::prev(after)->end) return 0;
    return std::prev(after)->place + static_cast<std::int64_t>(target.address - std::prev(after)->begin);
  }

 private:
  std::map<Rank, std::vector<Attached>> of_rank_;
  std::map<std::pair<std::uint64_t, std::int64_t>, Rank> rank_of_;  // by window and rank in it
};

}  // namespace

void resolve_targets(const std::string& directory, Normalized& run, Tables& tables) {
  if (std::ranges::all_of(run.locations, [](const LocationCalls& l) { return l.targets.empty(); })) return;
  const Memory memory(run);
  for (LocationCalls& location : run.locations) {
    std::vector<std::int64_t> places;
    for (const Target& target : location.targets) {
      places.push_back(memory.place(target));
      if (places.back() == 0)
        throw Error(Code::unsupported, directory, {},
                    fmt::format("{} (rank {}, call {}) names address {:#x} of rank {} of a dynamic window, where that "
                                "rank has attached nothing",
                                target.function->name, location.where.rank, target.call, target.address, target.rank),
                    "let the target attach what others access, and give addresses that lie in it");
    }
    if (places.empty()) continue;
    std::vector<RecordId> records(location.calls.records().begin(), location.calls.records().end());
    for (RecordId& id : records) {
      Record record = run.records[id];
      const int at = run.symbols[record.symbol].function->find(Role::target);
      if (at < 0) continue;
      std::int64_t& value = record.values[static_cast<std::size_t>(at)];
      if (value >= 0) continue;  // in other windows
      const auto target = static_cast<std::size_t>(value - kFirstTarget);
      if (target >= places.size()) continue;  // of another thread, whose records are listed here, too
      value = places[target];
      id = tables.record(record.symbol, record.values);
    }
    location.calls.rename(std::move(records));
    location.targets.clear();
  }
}

}  // namespace skelgen::normalize
