#include "merge/merge.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>

#include "merge/align.h"
#include "merge/assemble.h"
#include "merge/attach.h"
#include "merge/pools.h"
#include "merge/rules.h"
#include "merge/sources.h"
#include "skeleton/groups.h"
#include "support/error.h"
#include "support/parallel.h"

namespace skelgen::merge {
namespace {

using skeleton::Argument;
using skeleton::Node;
using skeleton::Sequence;

// Who executes a statement, in order of locations: which of the statement's parts, and which member of its class.
struct Executor {
  std::uint32_t location, part, member;
};

// Computation varies enough to be kept as samples if its standard deviation is at least this share of all computation
// of a location.
constexpr double kLeastVariation = 0.002;

// Calls of a loop that are written one by one: as many as a grid of ranks has dimensions.
constexpr std::int64_t kMostOneByOne = 3;

skeleton::Samples::OfLocation samples_at(const MemberSamples& all, std::size_t place, std::uint64_t rows) {
  skeleton::Samples::OfLocation own;
  const std::uint32_t begin = all.begin[place], end = all.begin[place + 1];
  own.seconds.assign(all.seconds.begin() + begin, all.seconds.begin() + end);
  own.ends.assign(rows, 0);
  for (std::uint32_t at = begin; at < end; ++at) ++own.ends[all.row[at]];
  std::partial_sum(own.ends.begin(), own.ends.end(), own.ends.begin());
  return own;
}

class Assembly {
 public:
  Assembly(const normalize::Normalized& normalized, std::span<const normalize::Class> classes,
           std::span<const ClassProgram> programs, std::span<Attached> attached, std::uint64_t calls)
      : normalized_(normalized), classes_(classes), programs_(programs), attached_(attached), calls_(calls) {}

  skeleton::Block program(const std::vector<Aligned>& aligned) {
    skeleton::Block nodes;
    nodes.reserve(aligned.size());
    for (const Aligned& a : aligned) {
      top_ = &a;
      Node next = node(a);
      if (auto calls = one_by_one(next))
        std::ranges::move(*calls, std::back_inserter(nodes));
      else
        nodes.push_back(std::move(next));
    }
    return nodes;
  }

 private:
  skeleton::Block block(const std::vector<Aligned>& aligned) {
    skeleton::Block nodes;
    nodes.reserve(aligned.size());
    for (const Aligned& a : aligned) nodes.push_back(node(a));
    return nodes;
  }

  Node node(const Aligned& aligned) {
    Node node;
    std::vector<Executor> executors;
    for (std::uint32_t part = 0; part < aligned.parts.size(); ++part) {
      const auto& members = classes_[aligned.parts[part].program].members;
      for (std::uint32_t m = 0; m < members.size(); ++m)
        executors.push_back({static_cast<std::uint32_t>(members[m]), part, m});
    }
    std::sort(executors.begin(), executors.end(), [](auto& a, auto& b) { return a.location < b.location; });
    for (const Executor& e : executors) node.where.push_back(e.location);
    node.before = compute(aligned, executors, false);
    if (aligned.body.empty()) {
      node.what = call(aligned, executors, node.where);
    } else {
      node.what = loop(aligned, executors);
    }
    return node;
  }

  skeleton::Loop loop(const Aligned& aligned, const std::vector<Executor>& executors) {
    skeleton::Loop loop;
    Choices trips;
    for (const Executor& e : executors) {
      const ClassNode& own = of(aligned.parts[e.part]);
      const std::vector<std::int64_t> each(own.each.begin(), own.each.end());
      loop.trips.choice.push_back(each.empty() ? trips.add_constant(static_cast<std::int64_t>(own.trips))
                                               : trips.add(Sequence::of(each)));
    }
    finish(loop.trips, trips);
    loop.between = compute(aligned, executors, true);
    loop.body = block(aligned.body);
    return loop;
  }

  skeleton::Call call(const Aligned& aligned, const std::vector<Executor>& executors,
                      const std::vector<std::uint32_t>& where) {
    skeleton::Call call;
    call.function = normalized_.symbols[of(aligned.parts[0]).symbol].function;
    call.duration_s = means(executors, [&](const Executor& e) {
      const ClassStatement& part = aligned.parts[e.part];
      const double total = attached_[part.program].duration_s[e.member * programs_[part.program].size() + part.node];
      return Total{total, of(part).executions};
    });
    const auto parameters = call.function->parameters;
    call.arguments.resize(parameters.size());
    for (std::size_t a = 0; a < parameters.size(); ++a) argument(aligned, executors, a, call.arguments[a]);
    argument(aligned, executors, parameters.size(), call.order);
    set_rules(call, where);
    return call;
  }

  void set_rules(skeleton::Call& call, const std::vector<std::uint32_t>& where) const {
    const auto parameters = call.function->parameters;
    for (std::size_t a = 0; a < parameters.size(); ++a) {
      const bool names_rank = parameters[a].role == mpi::Role::peer || parameters[a].role == mpi::Role::root;
      if (names_rank || (skeleton::may_be_formula(parameters[a]) && call.arguments[a].choices.size() > 1))
        call.arguments[a].rule = find_rule(normalized_, where, call, call.arguments[a]);
    }
  }

  // The calls of a loop that makes one call a few times: where formulas of the rank give its arguments each time, as of
  // communicators of rows, then of columns, but none for all times. Nothing if that is not so.
  std::optional<skeleton::Block> one_by_one(const Node& node) const {
    const auto listed = [](const Argument& argument) { return argument.choices.size() > 1 && !argument.rule; };
    if (!node.is_loop() || node.loop().body.size() != 1 || node.loop().body[0].is_loop()) return {};
    const skeleton::Loop& loop = node.loop();
    const Argument& trips = loop.trips;
    if (trips.choices.size() != 1 || trips.choices[0].at(0) > kMostOneByOne ||
        std::ranges::none_of(loop.body[0].call().arguments, listed))
      return {};
    skeleton::Block calls;
    for (std::int64_t i = 0; i < trips.choices[0].at(0); ++i) {
      Node& one = calls.emplace_back(loop.body[0]);
      one.before = i == 0 ? node.before : loop.between;
      one.before.samples = {};
      const auto take = [&](Argument& argument) {
        Choices choices;
        for (std::uint32_t& choice : argument.choice)
          choice = choices.add_constant(argument.choices[choice].at(static_cast<std::uint64_t>(i)));
        if (argument.choice.empty()) choices.add_constant(argument.choices[0].at(static_cast<std::uint64_t>(i)));
        finish(argument, choices);
      };
      std::ranges::for_each(one.call().arguments, take);
      take(one.call().order);
      set_rules(one.call(), one.where);
      if (std::ranges::any_of(one.call().arguments, listed)) return {};
    }
    return calls;
  }

  // The classes' sequences become the statement's, numbered by first location.
  void argument(const Aligned& aligned, const std::vector<Executor>& executors, std::size_t a, Argument& argument) {
    constexpr std::uint32_t kNew = ~std::uint32_t{0};
    std::vector<std::vector<std::uint32_t>> number(aligned.parts.size());
    Choices choices;
    for (const Executor& e : executors) {
      const ClassArgument& own = attached_[aligned.parts[e.part].program].arguments[aligned.parts[e.part].node][a];
      if (number[e.part].empty()) number[e.part].assign(own.choices.all().size(), kNew);
      const std::uint32_t chosen = own.of_member[e.member];
      std::uint32_t& n = number[e.part][chosen];
      if (n == kNew) n = choices.add(own.choices.all()[chosen]);
      argument.choice.push_back(n);
    }
    finish(argument, choices);
  }

  static void finish(Argument& argument, Choices& choices) {
    argument.choices = choices.take();
    if (argument.choices.size() == 1) argument.choice.clear();
  }

  struct Total {
    double amount;
    std::uint64_t times;
  };

  // Totals of a statement's executors divided by how often it happens; empty if all are 0.
  template <class TotalOf>
  static std::vector<double> means(const std::vector<Executor>& executors, TotalOf total_of) {
    std::vector<double> result;
    bool any = false;
    for (const Executor& e : executors) {
      const Total total = total_of(e);
      result.push_back(total.amount == 0 ? 0 : total.amount / static_cast<double>(total.times));
      any = any || total.amount != 0;
    }
    if (!any) result.clear();
    return result;
  }

  // between: the computation between the iterations of a loop, else the one before the node.
  skeleton::Compute compute(const Aligned& aligned, const std::vector<Executor>& executors, bool between) const {
    const auto place = [&](const ClassStatement& part) {
      return part.node + (between ? programs_[part.program].size() : 0);
    };
    const auto times = [&](const ClassStatement& part) {
      return between ? of(part).iterations - of(part).entered : of(part).executions;
    };
    skeleton::Compute compute;
    compute.mean_s = means(executors, [&](const Executor& e) {
      const ClassStatement& part = aligned.parts[e.part];
      const std::size_t places = 2 * programs_[part.program].size();
      return Total{attached_[part.program].gap_s[e.member * places + place(part)], times(part)};
    });
    for (std::size_t c = 0; c < normalized_.counters.size(); ++c)
      compute.counters.push_back(means(executors, [&](const Executor& e) {
        const ClassStatement& part = aligned.parts[e.part];
        const std::size_t places = 2 * programs_[part.program].size();
        const std::size_t at = (e.member * places + place(part)) * normalized_.counters.size() + c;
        return Total{attached_[part.program].counted[at], times(part)};
      }));
    if (compute.mean_s.empty() || (&aligned == top_ && !between)) return compute;  // the latter happens once
    bool matters = false;
    for (const Executor& e : executors) {
      const ClassStatement& part = aligned.parts[e.part];
      const Attached& attached = attached_[part.program];
      const auto loop = std::find_if(top_->parts.begin(), top_->parts.end(),
                                     [&](const ClassStatement& other) { return other.program == part.program; });
      compute.samples.of.push_back(
          samples_at(attached.samples[e.member], place(part), sampled_rows(of(*loop).trips, calls_)));
      const double varies_s = deviation(compute.samples.of.back()) * static_cast<double>(times(part));
      matters = matters || varies_s > kLeastVariation * attached.compute_s[e.member];
    }
    if (!matters) compute.samples = {};
    return compute;
  }

  const ClassNode& of(const ClassStatement& part) const { return programs_[part.program][part.node]; }

  const normalize::Normalized& normalized_;
  std::span<const normalize::Class> classes_;
  std::span<const ClassProgram> programs_;
  std::span<Attached> attached_;
  std::uint64_t calls_;           // of all locations
  const Aligned* top_ = nullptr;  // the statement at top level that is being made
};

void require_values(const normalize::Normalized& normalized) {
  for (std::size_t r = 0; r < normalized.records.size(); ++r) {
    const normalize::Record& record = normalized.records[r];
    const mpi::Function* function = normalized.symbols[record.symbol].function;
    if (record.values.size() != function->parameters.size())
      throw Error(Code::internal, "record " + std::to_string(r) + " has " + std::to_string(record.values.size()) +
                                      " values for " + std::string(function->name));
  }
}

}  // namespace

skeleton::Skeleton assemble(const normalize::Normalized& normalized, std::span<const normalize::Class> classes,
                            const Alignment& alignment) {
  require_values(normalized);
  std::vector<Attached> attached(classes.size());
  std::uint64_t calls = 0;
  for (const auto& location : normalized.locations) calls += location.calls.size();
  parallel_for(classes.size(),
               [&](std::size_t c) { attached[c] = attach(normalized, classes[c], alignment.nodes[c], calls); });
  skeleton::Skeleton skeleton;
  skeleton.program = Assembly(normalized, classes, alignment.nodes, attached, calls).program(alignment.merged);
  skeleton.arrays = normalized.arrays;
  skeleton.names = normalized.names;
  skeleton.name_bytes = normalized.name_bytes;
  skeleton.scratch = normalized.scratch;
  skeleton.counters = normalized.counters;
  for (std::uint32_t l = 0; l < normalized.locations.size(); ++l) {
    const normalize::LocationCalls& own = normalized.locations[l];
    skeleton::LocationData& data = skeleton.locations.emplace_back();
    data.where = own.where;
    data.buffer_bytes = own.buffer_bytes;
    data.working_set_bytes = own.working_set_bytes;
    data.communicators = own.communicators;
    data.windows = own.windows;
    data.files = own.files;
    data.turns = own.turns;
  }
  attach_sources(normalized, skeleton);
  attach_pools(normalized, skeleton);
  return skeleton;
}

skeleton::Skeleton into_spmd(const normalize::Normalized& normalized, std::span<const fold::Program> programs) {
  if (programs.size() != normalized.classes.size())
    throw Error(Code::internal, std::to_string(programs.size()) + " folded programs for " +
                                    std::to_string(normalized.classes.size()) + " classes");
  Alignment alignment;
  for (const fold::Program& program : programs) alignment.nodes.push_back(class_program(program));
  alignment.merged = align(normalized, alignment.nodes);
  return assemble(normalized, normalized.classes, alignment);
}

}  // namespace skelgen::merge
