#include "build/traffic.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "mpi/mpi.h"

namespace skelgen::build {
namespace {

class Counter : public trace::Visitor {
 public:
  void event(const trace::Event& event) override {
    auto& totals = by_name_[event.function->name];
    ++totals.calls;
    totals.seconds += (event.end - event.start).value;
    totals.bytes += moved(event);
    ++calls;
    computation_s += event.cpu.value;
  }
  void comm(const trace::CommDefinition& comm) override {
    own_sizes_[comm.handle] = comm.size;
    peers_[comm.handle] = comm.inter ? comm.remote_size : comm.size;
  }
  void neighbours(const trace::NeighbourDefinition& topology) override {
    destinations_[topology.handle] = static_cast<int>(topology.destinations.size());
  }
  void datatype(const trace::DatatypeDefinition& type) override { type_sizes_[type.handle] = type.size; }
  void op(const trace::OpDefinition& op) override {
    if (op.name == "MPI_NO_OP")
      no_ops_.insert(op.handle);
    else
      no_ops_.erase(op.handle);
  }

  std::uint64_t calls = 0;
  double computation_s = 0;

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
  std::uint64_t moved(const trace::Event& event) {
    const auto place = [&](mpi::Role role) -> const mpi::Value* {
      const int index = event.function->find(role);
      return index < 0 ? nullptr : &event.values[static_cast<std::size_t>(index)];
    };
    switch (event.function->kind) {
      case mpi::Kind::send_init:
      case mpi::Kind::recv_init:
      case mpi::Kind::collective_init:
        persistent_[place(mpi::Role::request)->scalar] = bytes(event);
        return 0;
      case mpi::Kind::start: {
        const auto* one = place(mpi::Role::request);
        std::uint64_t sum = 0;
        for (const auto request :
             one ? std::span<const std::int64_t>(&one->scalar, 1) : place(mpi::Role::requests)->array)
          if (const auto known = persistent_.find(request); known != persistent_.end()) sum += known->second;
        return sum;
      }
      default:
        return bytes(event);
    }
  }

  std::uint64_t bytes(const trace::Event& event) const {
    const auto parameters = event.function->parameters;
    const int peer = event.function->find(mpi::Role::peer), op = event.function->find(mpi::Role::op);
    if (peer >= 0 && event.values[static_cast<std::size_t>(peer)].scalar == mpi::kProcNull) return 0;
    const bool one_sided = event.function->kind == mpi::Kind::rma;
    const bool only_takes =
        one_sided && op >= 0 &&
        no_ops_.contains(static_cast<std::uint64_t>(event.values[static_cast<std::size_t>(op)].scalar));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto& buffer = parameters[i];
      if (buffer.role != mpi::Role::buffer || buffer.datatype < 0) continue;
      if (only_takes && buffer.direction != mpi::Direction::out) continue;
      if (event.values[i].scalar == mpi::kInPlace) continue;
      const auto& datatype = event.values[static_cast<std::size_t>(buffer.datatype)];
      const bool each_its_own = parameters[static_cast<std::size_t>(buffer.datatype)].role == mpi::Role::datatypes;
      if (!each_its_own && !type_sizes_.contains(static_cast<std::uint64_t>(datatype.scalar)))
        continue;  // the rank has no such buffer
      sum += bytes(event, buffer, datatype, each_its_own);
      if (!one_sided) break;
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, sum));
  }

  std::int64_t bytes(const trace::Event& event, const mpi::Parameter& buffer, const mpi::Value& datatype,
                     bool each_its_own) const {
    const mpi::Value one{1, {}};
    const mpi::Value& count = buffer.count < 0 ? one : event.values[static_cast<std::size_t>(buffer.count)];
    if (each_its_own) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < std::min(count.array.size(), datatype.array.size()); ++k)
        sum += count.array[k] * type_size(datatype.array[k]);
      return sum;
    }
    return std::accumulate(count.array.begin(), count.array.end(), count.scalar) * type_size(datatype.scalar) *
           (buffer.per_rank == mpi::Ranks::peers            ? of_comm(peers_, event)
            : buffer.per_rank == mpi::Ranks::own            ? of_comm(own_sizes_, event)
            : buffer.per_neighbour != mpi::Neighbours::none ? neighbours(event)
                                                            : 1);
  }

  std::int64_t type_size(std::int64_t handle) const {
    const auto known = type_sizes_.find(static_cast<std::uint64_t>(handle));
    return known == type_sizes_.end() ? 0 : known->second;
  }

  int neighbours(const trace::Event& event) const { return of_comm(destinations_, event); }

  static int of_comm(const std::unordered_map<std::uint64_t, int>& numbers, const trace::Event& event) {
    const int index = event.function->find(mpi::Role::comm);
    if (index < 0) return 1;
    const auto known = numbers.find(static_cast<std::uint64_t>(event.values[static_cast<std::size_t>(index)].scalar));
    return known == numbers.end() ? 1 : known->second;
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
  std::unordered_map<std::uint64_t, int> own_sizes_, peers_, destinations_;  // by handle
  std::unordered_map<std::int64_t, std::uint64_t> persistent_;               // bytes by request
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
