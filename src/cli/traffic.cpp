#include "cli/traffic.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "mpi/mpi.h"

namespace skelgen::cli {
namespace {

class Counter : public trace::Visitor {
 public:
  void event(const trace::Event& event) override {
    auto& totals = by_name_[event.function->name];
    ++totals.calls;
    totals.seconds += (event.end - event.start).value;
    totals.bytes += bytes(event);
    ++calls;
    computation_s += event.gap.value;
  }
  void comm(const trace::CommDefinition& comm) override { comm_sizes_[comm.handle] = comm.size; }
  void datatype(const trace::DatatypeDefinition& type) override { type_sizes_[type.handle] = type.size; }

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
  std::uint64_t bytes(const trace::Event& event) const {
    const auto parameters = event.function->parameters;
    const int peer = event.function->find(mpi::Role::peer);
    if (peer >= 0 && event.values[static_cast<std::size_t>(peer)].scalar == mpi::kProcNull) return 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto& buffer = parameters[i];
      if (buffer.role != mpi::Role::buffer || buffer.count < 0 || buffer.datatype < 0) continue;
      if (event.values[i].scalar == mpi::kInPlace) continue;
      const auto& datatype = parameters[static_cast<std::size_t>(buffer.datatype)];
      const auto& count = event.values[static_cast<std::size_t>(buffer.count)];
      if (datatype.role != mpi::Role::datatype) continue;
      const auto known =
          type_sizes_.find(static_cast<std::uint64_t>(event.values[static_cast<std::size_t>(buffer.datatype)].scalar));
      if (known == type_sizes_.end()) continue;
      const auto elements = std::accumulate(count.array.begin(), count.array.end(), count.scalar);
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, elements * known->second) *
                                        (buffer.per_rank ? comm_size(event) : 1));
    }
    return 0;
  }

  int comm_size(const trace::Event& event) const {
    const int index = event.function->find(mpi::Role::comm);
    if (index < 0) return 1;
    const auto known =
        comm_sizes_.find(static_cast<std::uint64_t>(event.values[static_cast<std::size_t>(index)].scalar));
    return known == comm_sizes_.end() ? 1 : known->second;
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
  std::unordered_map<std::uint64_t, int> comm_sizes_;
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

}  // namespace skelgen::cli
