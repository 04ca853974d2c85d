#include "merge/count_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "skeleton/trips.h"

namespace skelgen::merge {

using mpi::Role;
using skeleton::Node;
using skeleton::Sequence;

CountReport::CountReport(skeleton::Skeleton& skeleton, const Types& types) : skeleton_(skeleton), types_(types) {
  each_call([](CountChange& of, std::uint64_t calls, std::uint64_t bytes) {
    of.calls += calls;
    of.bytes_before += bytes;
  });
}

void CountReport::changed(const CountPlace& site, const skeleton::Argument& was) {
  Before& before = before_[site.node];
  before.executions = site.executions;
  before.arguments.emplace_back(site.parameter, was);
}

CountChanges CountReport::finish() {
  for (const auto& [node, before] : before_) count(*node, before);
  each_call([](CountChange& of, std::uint64_t, std::uint64_t bytes) { of.bytes_after += bytes; });
  for (auto own = report_.by_function.begin(); own != report_.by_function.end();) {
    const CountChange& of = own->second;
    report_.all.calls += of.calls;
    report_.all.calls_changed += of.calls_changed;
    report_.all.bytes_before += of.bytes_before;
    report_.all.bytes_after += of.bytes_after;
    report_.all.largest_change = std::max(report_.all.largest_change, of.largest_change);
    own = of.calls_changed == 0 ? report_.by_function.erase(own) : std::next(own);
  }
  return std::move(report_);
}

/// visit(totals of its function, calls, their bytes)
void CountReport::each_call(const std::function<void(CountChange&, std::uint64_t, std::uint64_t)>& visit) {
  each_node(skeleton_, [&](const Node& node, const std::vector<std::uint64_t>& executions) {
    if (node.is_loop()) return;
    CountChange& of = report_.by_function[std::string(node.call().function->name)];
    for (std::size_t p = 0; p < node.where.size(); ++p) visit(of, executions[p], bytes_of(node, p, executions[p]));
  });
}

std::uint64_t CountReport::bytes_of(const Node& node, std::size_t p, std::uint64_t executions) const {
  const mpi::Function& function = *node.call().function;
  const auto first = [&](int parameter) {
    return node.call().arguments[static_cast<std::size_t>(parameter)].of(p).values[0];
  };
  if (executions == 0) return 0;
  if (const int peer = function.find(Role::peer); peer >= 0 && first(peer) == mpi::kProcNull) return 0;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const mpi::Parameter& buffer = function.parameters[i];
    if (buffer.role != Role::buffer || buffer.count < 0) continue;
    const auto count = static_cast<std::size_t>(buffer.count);
    if (function.counted_type(count) < 0 || first(static_cast<int>(i)) == mpi::kInPlace) continue;
    const Sequence& counts = node.call().arguments[count].of(p);
    if (function.parameters[count].role != Role::counts) {
      const Type type = types_.of(node, p, count, 0);
      if (type.bytes <= 0) continue;
      std::uint64_t ranks = 1;
      if (const int comm = function.find(Role::comm); comm >= 0)
        for (const auto& communicator : skeleton_.locations[node.where[p]].communicators)
          if (communicator.slot == first(comm)) ranks = static_cast<std::uint64_t>(communicator.ranks(buffer.per_rank));
      return static_cast<std::uint64_t>(counts.sum(executions)) * static_cast<std::uint64_t>(type.bytes) * ranks;
    }
    double sum = 0;
    each_value(counts, executions, [&](std::int64_t id, double times) {
      const auto& all = skeleton_.arrays[static_cast<std::size_t>(id)];
      for (std::size_t j = 0; j < all.size(); ++j)
        sum += times * static_cast<double>(all[j] * std::max<std::int64_t>(0, types_.of(node, p, count, j).bytes));
    });
    return static_cast<std::uint64_t>(std::llround(sum));
  }
  return 0;
}

void CountReport::count(const Node& node, const Before& before) {
  CountChange& of = report_.by_function[std::string(node.call().function->name)];
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    const std::uint64_t executions = before.executions[p];
    std::uint64_t n = std::min<std::uint64_t>(1, executions);
    for (const auto& [a, was] : before.arguments)
      n = std::min(executions, std::lcm(n, occurrences(was.of(p), node.call().arguments[a].of(p), executions)));
    for (std::uint64_t k = 0; k < n; ++k) {
      bool any = false;
      for (const auto& [a, was] : before.arguments) {
        const std::int64_t old = was.of(p).at(k), now = node.call().arguments[a].of(p).at(k);
        if (old == now) continue;
        any = true;
        of.largest_change = std::max(of.largest_change, difference(node, a, old, now));
      }
      if (any) of.calls_changed += executions / n + (k < executions % n);
    }
  }
}

double CountReport::difference(const Node& node, std::size_t parameter, std::int64_t old, std::int64_t now) const {
  const auto share = [](std::int64_t a, std::int64_t b) {
    return a == b ? 0 : std::abs(static_cast<double>(b) - static_cast<double>(a)) / static_cast<double>(a);
  };
  if (node.call().function->parameters[parameter].role != Role::counts) return share(old, now);
  const auto &before = skeleton_.arrays[static_cast<std::size_t>(old)],
             &after = skeleton_.arrays[static_cast<std::size_t>(now)];
  double most = 0;
  for (std::size_t j = 0; j < before.size(); ++j) most = std::max(most, share(before[j], after[j]));
  return most;
}

}  // namespace skelgen::merge
