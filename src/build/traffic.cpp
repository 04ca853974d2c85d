#include "build/traffic.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/bytes.h"
#include "mpi/mpi.h"

namespace skelgen::build {
namespace {

class Counter : public trace::Visitor {
 public:
  void event(const trace::Event& event) override {
    auto& totals = by_name_[event.function->name];
    ++totals.calls;
    totals.seconds += (event.end - event.start).value;
    totals.bytes += moved({event.function, event.values});
    ++calls;
    computation_s += event.cpu.value;
    without_core_s += (event.gap - event.cpu).value;
    // The run begins with MPI_Init: computation before it is not counted.
    if (event.function->kind == mpi::Kind::init) computation_s = without_core_s = 0;
  }
  void comm(const trace::CommDefinition& is) override {
    comms_[is.handle] = {
        .slot = 0, .size = is.size, .rank = is.rank, .identity = 1, .remote = is.inter, .remote_size = is.remote_size};
  }
  void neighbours(const trace::NeighbourDefinition& topology) override {
    comms_[topology.handle].sources = std::ssize(topology.sources);
    comms_[topology.handle].destinations = std::ssize(topology.destinations);
  }
  void datatype(const trace::DatatypeDefinition& type) override { type_sizes_[type.handle] = type.size; }
  void op(const trace::OpDefinition& op) override {
    if (op.name == "MPI_NO_OP")
      no_ops_.insert(op.handle);
    else
      no_ops_.erase(op.handle);
  }

  std::uint64_t calls = 0;
  double computation_s = 0, without_core_s = 0;

  void add_to(std::map<std::string, FunctionTotals>& all) const {
    for (const auto& [name, totals] : by_name_) {
      auto& sum = all[name];
      sum.calls += totals.calls;
      sum.seconds += totals.seconds;
      sum.bytes += totals.bytes;
    }
  }

 private:
  /// Persistent requests move their bytes each time that they are started.
  std::uint64_t moved(const engine::Call& call) {
    switch (call.function->kind) {
      case mpi::Kind::send_init:
      case mpi::Kind::recv_init:
      case mpi::Kind::collective_init:
        persistent_[call.number(mpi::Role::request)] = bytes(call);
        return 0;
      case mpi::Kind::start: {
        std::uint64_t sum = 0;
        for (const auto request : call.requests())
          if (const auto known = persistent_.find(request); known != persistent_.end()) sum += known->second;
        return sum;
      }
      default:
        return bytes(call);
    }
  }

  std::uint64_t bytes(const engine::Call& call) const {
    const auto handle = [&](mpi::Role role) {
      return call.has(role) ? static_cast<std::uint64_t>(call.number(role)) : 0;
    };
    if (call.has(mpi::Role::peer) && call.number(mpi::Role::peer) == mpi::kProcNull) return 0;
    const bool one_sided = call.function->kind == mpi::Kind::rma;
    const auto comm = comms_.find(handle(mpi::Role::comm));
    const auto element = [&](std::int64_t type) {
      const auto known = type_sizes_.find(static_cast<std::uint64_t>(type));
      return known == type_sizes_.end() ? -1 : known->second;
    };
    const auto [brought, taken] = engine::moved(call, comm == comms_.end() ? nullptr : &comm->second, element,
                                                !one_sided || !no_ops_.contains(handle(mpi::Role::op)));
    return one_sided ? brought.value_or(0) + taken.value_or(0) : brought ? *brought : taken.value_or(0);
  }

  /// Keyed by text: functions that the table lacks are entries of the reader.
  struct Totals : std::map<std::string, FunctionTotals, std::less<>> {
    FunctionTotals& operator[](std::string_view name) {
      const auto found = find(name);
      return found != end() ? found->second : emplace(std::string(name), FunctionTotals{}).first->second;
    }
  };
  Totals by_name_;
  std::unordered_map<std::uint64_t, std::int64_t> type_sizes_;
  std::unordered_set<std::uint64_t> no_ops_;
  std::unordered_map<std::uint64_t, mpi::Communicator> comms_;  // by handle
  std::unordered_map<std::int64_t, std::uint64_t> persistent_;  // bytes by request
};

}  // namespace

Traffic traffic(const trace::Trace& trace) {
  Traffic all;
  all.calls_per_rank.resize(static_cast<std::size_t>(trace.ranks()));
  std::map<std::string, FunctionTotals> functions;
  for (const auto& where : trace.locations()) {
    Counter counter;
    trace.visit(where, counter);
    counter.add_to(functions);
    all.calls_per_rank[static_cast<std::size_t>(where.rank)] += counter.calls;
    all.computation_s += counter.computation_s;
    all.without_core_s += counter.without_core_s;
  }
  for (auto& [name, totals] : functions) {
    totals.name = name;
    all.call_s += totals.seconds;
    all.functions.push_back(totals);
  }
  std::stable_sort(all.functions.begin(), all.functions.end(),
                   [](const FunctionTotals& a, const FunctionTotals& b) { return a.seconds > b.seconds; });
  return all;
}

}  // namespace skelgen::build
