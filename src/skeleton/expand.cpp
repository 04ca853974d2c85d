#include <algorithm>
#include <set>

#include "skeleton/skeleton.h"
#include "skeleton/steps.h"

namespace skelgen::skeleton {
namespace {

double at(std::span<const double> per_position, std::size_t position) {
  return per_position.empty() ? 0 : per_position[position];
}

/// Adds the computation of a block that is executed so often.
void add_compute(const Block& block, std::uint32_t l, std::uint64_t occurrences, double& total_s) {
  for (const Node& node : block) {
    const int found = node.position(l);
    if (found < 0) continue;
    const auto position = static_cast<std::size_t>(found);
    total_s += at(node.before.mean_s, position) * static_cast<double>(occurrences);
    if (!node.is_loop()) continue;
    const Loop& loop = node.loop();
    const Sequence& trips = loop.trips.of(position);
    const auto iterations = static_cast<std::uint64_t>(trips.sum(occurrences));
    total_s += at(loop.between.mean_s, position) * static_cast<double>(iterations - trips.positive(occurrences));
    add_compute(loop.body, l, iterations, total_s);
  }
}

}  // namespace

bool receives_from_any_source(const Call& call, std::size_t position) {
  return call.matched && call.function->waits_for_message() &&
         call.arguments[static_cast<std::size_t>(call.function->source())].of(position).at(0) == mpi::kAnySource;
}

std::vector<Step> steps_of(const Block& block, std::uint32_t l, bool recorded) {
  std::vector<Step> steps;
  for (const Node& node : block) {
    const int found = node.position(l);
    if (found < 0) continue;
    const auto position = static_cast<std::size_t>(found);
    Step& step = steps.emplace_back();
    step.before_s = at(node.before.mean_s, position);
    if (node.is_loop()) {
      step.loop = &node;
      step.between_s = at(node.loop().between.mean_s, position);
      step.trips = &node.loop().trips.of(position);
      step.body = steps_of(node.loop().body, l, recorded);
      continue;
    }
    step.call = &node.call();
    if (const Sequence& order = node.call().order.of(position); order != Sequence{}) step.order = &order;
    if (!node.call().answers.empty()) step.answers = node.call().answers[position];
    step.any = receives_from_any_source(node.call(), position);
    const bool named = recorded && node.call().matched && !node.call().any_order;
    for (std::size_t a = 0; a < node.call().arguments.size(); ++a) {
      const bool source = named && static_cast<int>(a) == node.call().function->source();
      const Sequence& sequence = (source ? *node.call().matched : node.call().arguments[a]).of(position);
      step.values.push_back(sequence.values[0]);
      if (sequence.kind != Sequence::Kind::constant) step.varying.emplace_back(a, &sequence);
    }
  }
  return steps;
}

bool Walk::block(std::vector<Step>& steps) {
  for (Step& step : steps) {
    since_s_ += step.before_s;
    if (step.call ? !call(step) : !loop(step)) return false;
  }
  return true;
}

bool Walk::call(Step& step) {
  for (const auto& [argument, sequence] : step.varying) step.values[argument] = sequence->at(step.occurrence);
  const std::int64_t order = step.order ? step.order->at(step.occurrence) : 0;
  ++step.occurrence;
  const double before_s = since_s_;
  since_s_ = 0;
  return visit_({step.call, step.values, before_s, order, step.answers, step.any});
}

bool Walk::loop(Step& step) {
  if (until_ && step.loop == until_) return false;
  const std::int64_t trips = step.trips->at(step.occurrence++);
  for (std::int64_t i = 0; i < trips; ++i) {
    if (i > 0) since_s_ += step.between_s;
    if (!block(step.body)) return false;
  }
  return true;
}

int Node::position(std::uint32_t l) const {
  if (l < where.size() && where[l] == l) return static_cast<int>(l);
  const auto found = std::lower_bound(where.begin(), where.end(), l);
  return found != where.end() && *found == l ? static_cast<int>(found - where.begin()) : -1;
}

void expand(const Skeleton& skeleton, std::uint32_t l, const std::function<bool(const ExpandedCall&)>& visit) {
  std::vector<Step> steps = steps_of(skeleton.program, l);
  Walk(visit).block(steps);
}

std::size_t length(const Block& block) {
  std::size_t total = 0;
  for (const Node& node : block) total += node.is_loop() ? length(node.loop().body) : 1;
  return total;
}

namespace {

/// Returns the values of one argument; the arrays that it names go to `arrays`.
std::size_t values_of(const Argument& argument, bool is_array, std::set<std::int64_t>& arrays) {
  if (argument.rule) return 1;
  std::size_t total = 0;
  for (const Sequence& sequence : argument.choices) {
    total += sequence.values.size();
    if (is_array && sequence.kind != Sequence::Kind::arithmetic)
      arrays.insert(sequence.values.begin(), sequence.values.end());
  }
  return total;
}

std::size_t values_of(const Block& block, std::set<std::int64_t>& arrays) {
  std::size_t total = 0;
  for (const Node& node : block) {
    if (node.is_loop()) {
      total += values_of(node.loop().trips, false, arrays) + values_of(node.loop().body, arrays);
      continue;
    }
    const Call& call = node.call();
    for (std::size_t a = 0; a < call.arguments.size(); ++a)
      total += values_of(call.arguments[a], mpi::is_array(call.function->parameters[a].role), arrays);
    if (call.matched) total += values_of(*call.matched, false, arrays);
  }
  return total;
}

}  // namespace

std::size_t argument_values(const Skeleton& skeleton) {
  std::set<std::int64_t> arrays;
  std::size_t total = values_of(skeleton.program, arrays);
  for (const std::int64_t id : arrays)
    if (id >= 0 && static_cast<std::size_t>(id) < skeleton.arrays.size())
      total += skeleton.arrays[static_cast<std::size_t>(id)].size();
  return total;
}

double total_compute(const Skeleton& skeleton, std::uint32_t l) {
  double total_s = 0;
  add_compute(skeleton.program, l, 1, total_s);
  return total_s;
}

}  // namespace skelgen::skeleton
