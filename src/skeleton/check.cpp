#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "skeleton/groups.h"
#include "skeleton/skeleton.h"
#include "skeleton/trips.h"
#include "support/error.h"

namespace skelgen::skeleton {
namespace {

class Checker {
 public:
  Checker(const Skeleton& skeleton, const Places* places) : skeleton_(skeleton), places_(places) {}

  // occurrences: by location, how often the block is executed; 0: not a member. first: the block is a loop's body.
  void block(const Block& nodes, const std::vector<std::uint64_t>& occurrences, bool body, const std::string& path) {
    std::vector<bool> started(occurrences.size(), !body);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      node_ = path + std::to_string(i) + (node.is_loop() ? " (loop)" : "");
      at_ = &node;
      where(node, occurrences);
      compute(node.before, node.where.size());
      for (std::size_t p = 0; p < node.where.size(); ++p) {
        if (!started[node.where[p]] && !node.before.mean_s.empty() && node.before.mean_s[p] != 0)
          fail(fmt::format("computation before the first node of a loop's body on location {}", node.where[p]));
        started[node.where[p]] = true;
      }
      node.is_loop() ? loop(node, occurrences) : call(node, occurrences);
    }
  }

  /// A pool has one loop at the top level and one last receive behind it, its workers' both, and one number for each
  /// message.
  void pools() {
    std::vector<const Node*> loops(skeleton_.pools.size()), ends(skeleton_.pools.size());
    const Node* open = nullptr;
    for (std::size_t i = 0; i < skeleton_.program.size(); ++i) {
      const Node& node = skeleton_.program[i];
      node_ = std::to_string(i);
      at_ = &node;
      if (node.is_loop() && node.loop().pool >= 0) {
        if (std::exchange(loops[static_cast<std::size_t>(node.loop().pool)], &node)) fail("a second loop of its pool");
        if (open) fail("a loop of a pool inside of another one's");
        open = &node;
      } else if (!node.is_loop() && node.call().ends_pool) {
        if (!open || open->where != node.where) fail("ends a loop that is not there");
        ends[static_cast<std::size_t>(open->loop().pool)] = open;
        open = nullptr;
      }
    }
    for (std::size_t p = 0; p < loops.size(); ++p) {
      node_ = fmt::format("of pool {}", p);
      at_ = nullptr;
      if (!loops[p] || !ends[p]) fail("no loop, or no end of it");
      const Pool& pool = skeleton_.pools[p];
      if (pool.body.front().where != loops[p]->where) fail("other locations than run its loop");
      if (std::ranges::count(pool.ends, 1) != std::ssize(loops[p]->where)) fail("not one end for each worker");
      if (pool.body.front().call().function->kind != mpi::Kind::recv) fail("a message that is not received");
    }
  }

  void pool(const Pool& pool, std::size_t number) {
    node_ = fmt::format("body of pool {}", number);
    if (pool.body.empty() || pool.compute_s.size() != pool.body.size()) fail("without computation or calls");
    const std::vector<std::uint64_t> messages(skeleton_.locations.size(), pool.ends.size());
    for (std::size_t i = 0; i < pool.body.size(); ++i) {
      at_ = &pool.body[i];
      if (pool.body[i].is_loop()) fail("a loop");
      where(pool.body[i], messages);
      call(pool.body[i], messages);
      const auto& seconds = pool.compute_s[i];
      if (seconds.size() != (i == 0 ? 0 : pool.ends.size())) fail("computation of other messages");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    if (places_) throw Error(Code::corrupt, places_->of(at_), {}, text);
    throw Error(Code::internal, "node " + node_ + ": " + text);
  }

  void where(const Node& node, const std::vector<std::uint64_t>& occurrences) const {
    if (node.where.empty()) fail("executed by nobody");
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const std::uint32_t l = node.where[p];
      if (l >= occurrences.size()) fail(fmt::format("location {} of {}", l, occurrences.size()));
      if (p > 0 && node.where[p - 1] >= l) fail("locations not ascending");
      if (occurrences[l] == 0) fail(fmt::format("location {} does not execute the enclosing loop", l));
    }
  }

  void compute(const Compute& compute, std::size_t positions) const {
    if (!compute.mean_s.empty() && compute.mean_s.size() != positions)
      fail("computation for other locations than execute it");
    for (const double s : compute.mean_s)
      if (!std::isfinite(s) || s < 0) fail("computation that is no time");
    if (!compute.counters.empty() && compute.counters.size() != skeleton_.counters.size())
      fail("other counters than the skeleton has");
    for (const auto& mean : compute.counters) {
      if (!mean.empty() && mean.size() != positions) fail("counters for other locations than execute it");
      if (!std::ranges::all_of(mean, [](double n) { return std::isfinite(n) && n >= 0; }))
        fail("a counter value that is negative or not finite");
    }
    if (!compute.work.empty() && compute.work.size() != positions) fail("work for other locations than execute it");
    for (const std::uint32_t number : compute.work)
      if (number > skeleton_.works.size()) fail(fmt::format("work {} of {}", number, skeleton_.works.size()));
    if (!compute.samples.of.empty() && compute.samples.of.size() != positions)
      fail("samples for other locations than execute it");
    for (const auto& samples : compute.samples.of) {
      if (!std::is_sorted(samples.ends.begin(), samples.ends.end()) ||
          (samples.ends.empty() ? 0 : samples.ends.back()) != samples.seconds.size())
        fail("rows that do not cover their samples");
      for (const float s : samples.seconds)
        if (!std::isfinite(s) || s < 0) fail("a sample that is no time");
    }
  }

  // Shape of an argument, and that its sequences describe every occurrence.
  void argument(const Argument& argument, const Node& node, const std::vector<std::uint64_t>& occurrences,
                const std::string& name) const {
    if (argument.choices.empty()) fail(name + " has no values");
    if (!argument.choice.empty() && argument.choice.size() != node.where.size())
      fail(name + " given for other locations than execute it");
    for (const Sequence& s : argument.choices) {
      const std::size_t size = s.values.size();
      const bool right = s.kind == Sequence::Kind::constant     ? size == 1
                         : s.kind == Sequence::Kind::arithmetic ? size == 2
                                                                : size > 0;
      if (!right) fail(name + " has a sequence of the wrong shape");
    }
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      if (!argument.choice.empty() && argument.choice[p] >= argument.choices.size()) fail(name + " has no such choice");
      const Sequence& s = argument.of(p);
      if (s.kind == Sequence::Kind::table && s.values.size() != occurrences[node.where[p]])
        fail(fmt::format("{} has {} values for {} occurrences on location {}", name, s.values.size(),
                         occurrences[node.where[p]], node.where[p]));
    }
  }

  void loop(const Node& node, const std::vector<std::uint64_t>& occurrences) {
    const Loop& loop = node.loop();
    const std::string path = node_ + ".";
    argument(loop.trips, node, occurrences, "trips");
    compute(loop.between, node.where.size());
    if (loop.body.empty()) fail("a loop over nothing");
    if (loop.pool >= static_cast<int>(skeleton_.pools.size()) || loop.pool < -1 ||
        (loop.pool >= 0 && node_.find('.') != std::string::npos))
      fail(fmt::format("a loop of pool {}", loop.pool));
    for (const Sequence& trips : loop.trips.choices)
      if (trips.kind != Sequence::Kind::arithmetic && std::ranges::min(trips.values) < 0)
        fail("a loop of less than no trips");
    std::vector<std::uint64_t> inside(occurrences.size(), 0);
    Iterations iterations;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const std::int64_t all = iterations.of(loop.trips.of(p), occurrences[node.where[p]]);
      if (all < 1) fail("a loop of no trips");
      inside[node.where[p]] = static_cast<std::uint64_t>(all);
    }
    block(loop.body, inside, true, path);
  }

  void call(const Node& node, const std::vector<std::uint64_t>& occurrences) const {
    const Call& call = node.call();
    if (!call.function) fail("a call of no function");
    const auto parameters = call.function->parameters;
    if (call.arguments.size() != parameters.size())
      fail(fmt::format("{} with {} arguments", call.function->name, call.arguments.size()));
    if (!call.duration_s.empty() && call.duration_s.size() != node.where.size())
      fail("durations for other locations than execute it");
    argument(call.order, node, occurrences, "order");
    if (!call.answers.empty() && call.answers.size() != node.where.size())
      fail("answers of other locations than execute it");
    if (call.matched) argument(*call.matched, node, occurrences, "the source that was matched");
    if (!call.answers.empty() && std::ranges::max(call.answers) > 4) fail("an answer to a message of long ago");
    if (call.ends_pool && node_.find('.') != std::string::npos) fail("ends a pool inside of a loop");
    if (call.any_order && !call.matched) fail("any order, but no sources");
    if (call.dispatch) argument(*call.dispatch, node, occurrences, "the number of the message");
    for (std::size_t a = 0; a < parameters.size(); ++a) {
      const std::string name = fmt::format("{} of {}", parameters[a].name, call.function->name);
      argument(call.arguments[a], node, occurrences, name);
      ids(mpi::written_role(*call.function, parameters[a]), call.arguments[a], name);
      if (call.arguments[a].rule) rule(node, call.arguments[a], name);
    }
  }

  void ids(mpi::Role role, const Argument& argument, const std::string& name) const {
    const bool array = is_array(role) || role == mpi::Role::info,
               named = role == mpi::Role::datatype || role == mpi::Role::op;
    if (!array && !named) return;
    const auto limit = static_cast<std::int64_t>(array ? skeleton_.arrays.size() : skeleton_.names.size());
    for (const Sequence& s : argument.choices) {
      if (s.kind == Sequence::Kind::arithmetic) continue;
      for (const std::int64_t v : s.values)
        if ((v >= limit && (array || v < mpi::kMade)) || (array && v < 0))
          fail(fmt::format("{} is number {} of {}", name, v, limit));
    }
  }

  void rule(const Node& node, const Argument& argument, const std::string& name) const {
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      if (holds(skeleton_, node.call(), p, node.where[p], argument)) continue;
      const auto [least, most] = ranks_of(argument.of(p));
      const auto right = rule_at(skeleton_, node.call(), p, node.where[p], *argument.rule);
      fail(fmt::format("{} is {} on location {}, not {}", name, right == least ? most : least, node.where[p],
                       formula(*argument.rule)));
    }
  }

  const Skeleton& skeleton_;
  const Places* places_;
  std::string node_;
  const Node* at_ = nullptr;
};

// Whose turn it is must be a thread of the same rank; turns are in the order of the calls.
void check_turns(const std::vector<LocationData>& locations, const Places* places) {
  for (std::size_t l = 0; l < locations.size(); ++l) {
    const auto& own = locations[l];
    const auto main = static_cast<std::int64_t>(l) - own.where.thread;  // locations of a rank stand side by side
    const auto is_thread = [&](std::int32_t thread) {
      const auto at = static_cast<std::size_t>(main + thread);
      return thread != own.where.thread && at < locations.size() &&
             locations[at].where == Location{own.where.rank, thread};
    };
    std::uint64_t last = 0;
    for (const auto& [call, thread, calls] : own.turns)
      if (call < std::exchange(last, call) || calls == 0 || !is_thread(thread))
        throw Error(places ? Code::corrupt : Code::internal, places ? places->file : std::string(), {},
                    fmt::format("location {} waits before call {} for {} calls of thread {}", l, call, calls, thread));
  }
}

void check_works(const Skeleton& skeleton, const Places* places) {
  for (std::size_t w = 0; w < skeleton.works.size(); ++w) {
    const auto& counts = skeleton.works[w].counts;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i].feature >= skeleton.features.size() || (i > 0 && counts[i].feature <= counts[i - 1].feature) ||
          !std::isfinite(counts[i].times) || counts[i].times <= 0)
        throw Error(places ? Code::corrupt : Code::internal, places ? places->file : std::string(), {},
                    fmt::format("work {} counts what is no feature, or twice, or not how often", w + 1));
  }
}

}  // namespace

std::string Places::of(const Node* node) const {
  const auto line = lines.find(node);
  return line == lines.end() ? file : fmt::format("{}:{}", file, line->second);
}

std::uint32_t Places::line(const Call& call) const {
  for (const auto& [node, line] : lines)
    if (!node->is_loop() && &node->call() == &call) return line;
  return 0;
}

void check(const Skeleton& skeleton, const Places* places) {
  check_turns(skeleton.locations, places);
  check_works(skeleton, places);
  Checker checker(skeleton, places);
  checker.block(skeleton.program, std::vector<std::uint64_t>(skeleton.locations.size(), 1), false, "");
  for (std::size_t p = 0; p < skeleton.pools.size(); ++p) checker.pool(skeleton.pools[p], p);
  checker.pools();
}

}  // namespace skelgen::skeleton
