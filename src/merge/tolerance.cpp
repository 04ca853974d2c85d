#include "merge/tolerance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "merge/choices.h"
#include "merge/count_groups.h"
#include "merge/count_report.h"
#include "merge/counts.h"
#include "skeleton/trips.h"

namespace skelgen::merge {
namespace {

using mpi::Role;
using skeleton::Argument;
using skeleton::Node;
using skeleton::Sequence;
using skeleton::Skeleton;
using Id = CountGroups::Id;

constexpr std::uint64_t kMostElements = 1u << 22;  // of arrays of counts, told apart by rank
constexpr double kReceived = 1e-9;                 // weight of a receive: what was sent says more

/// The same with other values; `executions` counts for arithmetic ones only.
Sequence mapped(const Sequence& sequence, std::uint64_t executions, const auto& map) {
  std::vector<std::int64_t> values;
  bool changed = false;
  const auto add = [&](std::int64_t value) {
    values.push_back(map(value));
    changed = changed || values.back() != value;
  };
  each_value(sequence, executions, [&](std::int64_t value, double) { add(value); });
  if (!changed) return sequence;
  if (sequence.kind == Sequence::Kind::periodic) values.insert(values.end(), values.begin(), values.end());
  if (sequence.kind == Sequence::Kind::constant) return {Sequence::Kind::constant, std::move(values)};
  return Sequence::of(values);
}

class CountMerger {
 public:
  CountMerger(const normalize::Normalized& normalized, Skeleton& skeleton, double share, Growth growth)
      : skeleton_(skeleton), share_(share), growth_(growth), types_(normalized, skeleton), report_(skeleton, types_) {
    find_sites();
    std::uint64_t elements = 0;
    for (const CountPlace& site : sites_)
      if (site.is_array())
        for (std::size_t p = 0; p < site.node->where.size(); ++p)
          elements += array(site.argument().of(p).values[0]).size();
    count_groups_.emplace(skeleton, elements <= kMostElements);
    for (const CountPlace& site : sites_) count_groups_->meet(*site.node);
  }

  CountChanges run() {
    for (std::size_t s = 0; s < sites_.size(); ++s) join(s);
    count_groups_->finish();
    frozen_.assign(count_groups_->size(), false);
    shrinks_ = frozen_;
    for (std::size_t s = 0; s < sites_.size(); ++s) collect(s);
    if (!hopeless_) {
      decide();
      rewrite();
    }
    auto changes = report_.finish();
    changes.share = share_;
    if (changes.all.calls_changed > 0) skeleton_.tolerance = share_;
    return changes;
  }

 private:
  const std::vector<std::int64_t>& array(std::int64_t id) const {
    return skeleton_.arrays[static_cast<std::size_t>(id)];
  }

  void find_sites() {
    const auto add = [&](bool in_pool) {
      return [this, in_pool](Node& node, const std::vector<std::uint64_t>& executions) {
        for (std::size_t i = 0; !node.is_loop() && i < node.call().arguments.size(); ++i)
          if (node.call().function->counted_type(i) >= 0) sites_.push_back({&node, i, executions, in_pool});
      };
    };
    each_node(skeleton_, add(false));
    for (auto& pool : skeleton_.pools)
      each_node(pool.body, std::vector<std::uint64_t>(skeleton_.locations.size(), pool.ends.size()), add(true));
  }

  // --- which counts change together

  /// Visits every count of a site: its group's id, its value, its datatype, how often; per choice where all is alike.
  void each_count(std::size_t s, const std::function<void(Id, std::int64_t, const Type&, double)>& visit) {
    const CountPlace& site = sites_[s];
    std::map<std::tuple<std::uint32_t, Id, std::int64_t>, double> done;  // executions of alike scalars
    for (std::size_t p = 0; p < site.node->where.size(); ++p) {
      const Sequence& sequence = site.argument().of(p);
      if (site.is_array()) {
        std::map<std::int64_t, double> times;
        each_value(sequence, site.executions[p], [&](std::int64_t id, double n) { times[id] += n; });
        for (const auto& [id, n] : times)
          for (std::size_t j = 0; j < array(id).size(); ++j)
            visit(ids_[s][p] ? element(s, p, j) : 0, array(id)[j], types_.of(*site.node, p, site.parameter, j), n);
        continue;
      }
      const Type type = types_.of(*site.node, p, site.parameter, 0);
      if (type.bytes == 0 || !ids_[s][p]) continue;
      const std::uint32_t choice = site.argument().choice.empty() ? 0 : site.argument().choice[p];
      done[{choice, count_groups_->find(*ids_[s][p]), type.bytes}] += static_cast<double>(site.executions[p]);
      if (sequence.kind == Sequence::Kind::arithmetic)
        each_value(sequence, site.executions[p], [&](std::int64_t v, double n) { visit(*ids_[s][p], v, type, n); });
    }
    for (const auto& [use, n] : done) {
      const auto& [choice, id, bytes] = use;
      const Sequence& sequence = site.argument().choices[choice];
      if (sequence.kind == Sequence::Kind::arithmetic) continue;
      for (const std::int64_t v : sequence.values)
        visit(id, v, {bytes, 0}, n / static_cast<double>(sequence.values.size()));
    }
  }

  Id element(std::size_t s, std::size_t p, std::size_t j) {
    const CountPlace& site = sites_[s];
    return count_groups_->group(*site.node, p, site.parameter, j, site.executions[p]).value();
  }

  /// Asks for the groups of a site's counts. Where nobody is at the other side, the count goes with the others.
  void join(std::size_t s) {
    const CountPlace& site = sites_[s];
    auto& ids = ids_.emplace_back();
    std::optional<Id> some;
    for (std::size_t p = 0; p < site.node->where.size(); ++p) {
      std::optional<Id>& id = ids.emplace_back();
      std::size_t elements = 1;
      if (site.is_array()) {
        elements = 0;
        each_value(site.argument().of(p), std::min(site.executions[p], kMostSteps),
                   [&](std::int64_t a, double) { elements = std::max(elements, array(a).size()); });
      }
      for (std::size_t j = 0; j < elements; ++j) {
        id = count_groups_->group(*site.node, p, site.parameter, j, site.executions[p]);
        if (id && site.in_pool && some) count_groups_->unite(*id, *some);
        if (id) some = id;
      }
    }
    for (auto& id : ids)
      if (!id && !site.is_array()) {
        if (!some) some = count_groups_->alone();
        id = some;
      }
  }

  // --- what becomes of them

  struct Count {
    Id group;
    std::int64_t bytes;
    double weight;
    std::int64_t unit;
  };
  struct OwnStep {
    Id group;
    SizeStep step;
  };

  void collect(std::size_t s) {
    const CountPlace& site = sites_[s];
    const bool buffered = site.function().mode == mpi::Mode::buffered;
    bool sends = false;
    for (const auto& buffer : site.function().parameters)
      sends = sends || (buffer.role == Role::buffer && buffer.count == static_cast<int>(site.parameter) &&
                        buffer.direction != mpi::Direction::out);
    std::vector<std::pair<Id, std::int64_t>> own;
    bool readable = true;
    for (std::size_t p = 0; p < site.node->where.size(); ++p)
      readable =
          readable && (site.argument().of(p).kind != Sequence::Kind::arithmetic || site.executions[p] <= kMostSteps);
    hopeless_ = hopeless_ || (site.is_array() && !readable);
    for (const auto& id : ids_[s])
      if (id) {
        const Id group = count_groups_->find(*id);
        if (!readable) frozen_[group] = true;
        if (buffered) shrinks_[group] = true;
      }
    each_count(s, [&](Id id, std::int64_t count, const Type& type, double times) {
      if (type.bytes == 0) return;
      const Id group = count_groups_->find(id);
      if (type.bytes < 0 || !readable) frozen_[group] = true;
      if (buffered) shrinks_[group] = true;
      if (type.bytes < 0 || count <= 0 || count > INT64_MAX / type.bytes) return;
      const double weight = site.in_pool ? 0 : sends ? times : kReceived * times;
      counts_.push_back({group, count * type.bytes, weight, type.bytes});
      own.emplace_back(group, count * type.bytes);
    });
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (std::size_t i = 1; i < own.size(); ++i)
      if (own[i].first == own[i - 1].first) steps_.push_back({own[i].first, {own[i - 1].second, own[i].second}});
    for (std::size_t i = 0; i < own.size(); ++i)
      if (i == 0 || own[i].first != own[i - 1].first) groups_of_.push_back({s, own[i].first});
  }

  /// Of each group: what stands for each of its sizes.
  void decide() {
    std::ranges::sort(counts_, {}, [](const Count& c) { return std::pair(c.group, c.bytes); });
    std::ranges::stable_sort(steps_, {}, &OwnStep::group);
    auto step = steps_.begin();
    for (std::size_t begin = 0; begin < counts_.size();) {
      const Id group = counts_[begin].group;
      std::vector<Size> sizes;
      std::size_t end = begin;
      for (; end < counts_.size() && counts_[end].group == group; ++end) {
        const Count& count = counts_[end];
        if (sizes.empty() || sizes.back().bytes != count.bytes) {
          sizes.push_back({count.bytes, count.weight, count.unit});
          continue;
        }
        sizes.back().weight += count.weight;
        const std::int64_t unit = std::lcm(sizes.back().unit, count.unit);  // divides the bytes
        sizes.back().unit = unit;
      }
      std::vector<SizeStep> steps;
      for (; step != steps_.end() && step->group == group; ++step) steps.push_back(step->step);
      begin = end;
      if (frozen_[group]) continue;
      const auto stands = representatives(sizes, steps, share_, shrinks_[group] ? Growth::never : growth_);
      auto& map = maps_[group];
      for (std::size_t i = 0; i < sizes.size(); ++i)
        if (stands[i] != sizes[i].bytes) map.emplace(sizes[i].bytes, stands[i]);
    }
  }

  std::int64_t settled(Id id, std::int64_t count, const Type& type) {
    if (type.bytes <= 0 || count <= 0) return count;
    const auto map = maps_.find(count_groups_->find(id));
    if (map == maps_.end() || count > INT64_MAX / type.bytes) return count;
    const auto found = map->second.find(count * type.bytes);
    return found == map->second.end() ? count : found->second / type.bytes;
  }

  std::int64_t settled_array(std::size_t s, std::size_t p, std::int64_t id) {
    const CountPlace& site = sites_[s];
    std::vector<std::int64_t> counts = array(id);
    if (!ids_[s][p]) return id;
    for (std::size_t j = 0; j < counts.size(); ++j)
      counts[j] = settled(element(s, p, j), counts[j], types_.of(*site.node, p, site.parameter, j));
    if (counts == array(id)) return id;
    if (array_ids_.empty())
      for (std::size_t i = 0; i < skeleton_.arrays.size(); ++i)
        array_ids_.try_emplace(skeleton_.arrays[i], static_cast<std::int64_t>(i));
    const auto [known, fresh] = array_ids_.try_emplace(counts, static_cast<std::int64_t>(skeleton_.arrays.size()));
    if (fresh) skeleton_.arrays.push_back(std::move(counts));
    return known->second;
  }

  Argument changed(std::size_t s) {
    const CountPlace& site = sites_[s];
    Argument result;
    result.rule = site.argument().rule;
    Choices choices;
    std::map<std::tuple<std::uint32_t, Id, std::int64_t, std::uint64_t>, std::uint32_t> known;
    for (std::size_t p = 0; p < site.node->where.size(); ++p) {
      const Sequence& sequence = site.argument().of(p);
      const std::uint64_t n = site.executions[p];
      if (site.is_array()) {
        result.choice.push_back(
            choices.add(mapped(sequence, n, [&](std::int64_t id) { return settled_array(s, p, id); })));
        continue;
      }
      const Type type = types_.of(*site.node, p, site.parameter, 0);
      const std::uint32_t choice = site.argument().choice.empty() ? 0 : site.argument().choice[p];
      const Id id = count_groups_->find(*ids_[s][p]);
      const auto [place, fresh] =
          known.try_emplace({choice, id, type.bytes, sequence.kind == Sequence::Kind::arithmetic ? n : 0}, 0);
      if (fresh) place->second = choices.add(mapped(sequence, n, [&](std::int64_t v) { return settled(id, v, type); }));
      result.choice.push_back(place->second);
    }
    result.choices = choices.take();
    if (result.choices.size() == 1) result.choice.clear();
    return result;
  }

  /// Numbers that it takes to say the counts.
  std::size_t numbers(const CountPlace& site, const Argument& argument) const {
    std::size_t sum = 0;
    std::set<std::int64_t> ids;
    for (const Sequence& sequence : argument.choices) {
      sum += sequence.values.size();
      if (!site.is_array() || sequence.kind == Sequence::Kind::arithmetic) continue;
      ids.insert(sequence.values.begin(), sequence.values.end());
    }
    for (const std::int64_t id : ids) sum += array(id).size();
    return sum;
  }

  /// Groups that meet in a statement change together or not at all: where that makes the statements' numbers fewer.
  void rewrite() {
    std::map<Id, std::size_t> number;
    Unions bundles;
    std::vector<std::optional<std::uint32_t>> bundle(sites_.size());
    for (const auto& [s, group] : groups_of_) {
      const auto [known, fresh] = number.try_emplace(group, bundles.size());
      if (fresh) bundles.add();
      if (bundle[s]) bundles.unite(*bundle[s], static_cast<std::uint32_t>(known->second));
      bundle[s] = static_cast<std::uint32_t>(known->second);
    }
    std::map<std::uint32_t, std::vector<std::size_t>> members;
    for (std::size_t s = 0; s < sites_.size(); ++s)
      if (bundle[s]) members[bundles.find(*bundle[s])].push_back(s);
    std::map<std::uint64_t, std::vector<std::size_t>> in_order;  // by first site: ids of unions say nothing
    for (auto& [_, sites] : members) in_order[sites.front()] = std::move(sites);
    for (const auto& [_, sites] : in_order) {
      const std::size_t arrays = skeleton_.arrays.size();
      std::vector<Argument> now;
      std::size_t before = 0, after = 0;
      for (const std::size_t s : sites) {
        now.push_back(changed(s));
        before += numbers(sites_[s], sites_[s].argument());
        after += numbers(sites_[s], now.back());
      }
      if (after >= before) {
        for (std::size_t i = arrays; i < skeleton_.arrays.size(); ++i) array_ids_.erase(skeleton_.arrays[i]);
        skeleton_.arrays.resize(arrays);
        continue;
      }
      for (std::size_t i = 0; i < sites.size(); ++i) take(sites_[sites[i]], std::move(now[i]));
    }
    for (std::size_t l = 0; l < growth_of_.size(); ++l)
      for (const auto& [slot, bytes] : growth_of_[l])
        skeleton_.locations[l].buffer_bytes.at(static_cast<std::size_t>(slot)) += bytes;
  }

  /// The site's argument becomes `now`.
  void take(const CountPlace& site, Argument now) {
    const Argument was = std::exchange(site.argument(), std::move(now));
    bool any = false;
    for (std::size_t p = 0; p < site.node->where.size(); ++p) {
      const Sequence &old = was.of(p), &fresh = site.argument().of(p);
      if (old == fresh) continue;
      any = true;
      grow(site, p, old, fresh);
    }
    if (any && !site.in_pool) report_.changed(site, was);
  }

  /// Buffers of this count at this position get room for what is more.
  void grow(const CountPlace& site, std::size_t p, const Sequence& old, const Sequence& fresh) {
    const std::uint32_t l = site.node->where[p];
    const int comm = site.function().find(Role::comm);
    std::uint64_t ranks = 1;
    if (comm >= 0)
      for (const auto& communicator : skeleton_.locations[l].communicators)
        ranks = std::max(ranks, static_cast<std::uint64_t>(communicator.size));
    std::int64_t most = 0;
    const std::uint64_t n = occurrences(old, fresh, site.executions[p]);
    for (std::uint64_t k = 0; k < n; ++k) {
      if (!site.is_array()) {
        const Type type = types_.of(*site.node, p, site.parameter, 0);
        most = std::max(most, (fresh.at(k) - old.at(k)) * std::max(type.extent, type.bytes));
        continue;
      }
      const auto &a = array(old.at(k)), &b = array(fresh.at(k));
      if (&a == &b) continue;
      std::int64_t sum = 0;
      for (std::size_t j = 0; j < a.size(); ++j) {
        const Type type = types_.of(*site.node, p, site.parameter, j);
        sum += std::max<std::int64_t>(0, b[j] - a[j]) * std::max(type.extent, type.bytes);
      }
      most = std::max(most, sum);
    }
    if (most <= 0) return;
    growth_of_.resize(skeleton_.locations.size());
    for (std::size_t i = 0; i < site.function().parameters.size(); ++i) {
      const mpi::Parameter& buffer = site.function().parameters[i];
      if (buffer.role != Role::buffer || buffer.count != static_cast<int>(site.parameter)) continue;
      const std::uint64_t bytes = static_cast<std::uint64_t>(most) * (buffer.per_rank != mpi::Ranks::none ? ranks : 1);
      const Sequence& places = site.node->call().arguments[i].of(p);
      const std::uint64_t last = site.executions[p] == 0 ? 0 : site.executions[p] - 1;
      std::set<std::int64_t> slots;
      if (places.kind != Sequence::Kind::arithmetic)
        for (const std::int64_t place : places.values) slots.insert(mpi::slot_of(place));
      else
        for (std::int64_t slot = std::min(mpi::slot_of(places.at(0)), mpi::slot_of(places.at(last)));
             slot <= std::max(mpi::slot_of(places.at(0)), mpi::slot_of(places.at(last))); ++slot)
          slots.insert(slot);
      for (const std::int64_t slot : slots)
        if (slot >= 0) growth_of_[l][slot] = std::max(growth_of_[l][slot], bytes);
    }
  }

  Skeleton& skeleton_;
  double share_;
  Growth growth_;
  Types types_;
  std::vector<CountPlace> sites_;
  std::optional<CountGroups> count_groups_;
  std::vector<std::vector<std::optional<Id>>> ids_;  // by site and position; of an array: of some element
  std::vector<bool> frozen_, shrinks_;               // by group
  bool hopeless_ = false;                            // some counts are not known
  std::vector<Count> counts_;
  std::vector<OwnStep> steps_;
  std::vector<std::pair<std::size_t, Id>> groups_of_;                  // of sites
  std::map<Id, std::unordered_map<std::int64_t, std::int64_t>> maps_;  // of bytes that change, by group
  std::map<std::vector<std::int64_t>, std::int64_t> array_ids_;
  std::vector<std::map<std::int64_t, std::uint64_t>> growth_of_;  // by location and slot
  CountReport report_;
};

}  // namespace

CountChanges merge_counts(const normalize::Normalized& normalized, Skeleton& skeleton, double share, Growth growth) {
  return CountMerger(normalized, skeleton, share, growth).run();
}

}  // namespace skelgen::merge
