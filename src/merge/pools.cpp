#include "merge/pools.h"

#include <algorithm>
#include <map>
#include <optional>

#include "merge/choices.h"

namespace skelgen::merge {
namespace {

using mpi::Role;
using normalize::Normalized;
using skeleton::Argument;
using skeleton::Block;
using skeleton::Call;
using skeleton::Node;
using skeleton::Sequence;
using skeleton::Skeleton;

constexpr std::int64_t kNumberBytes = 4;
using Calls = std::vector<const Call*>;  // of a location, by number

Calls calls_of(const Skeleton& skeleton, std::size_t l) {
  Calls calls;
  skeleton::expand(skeleton, static_cast<std::uint32_t>(l), [&](const skeleton::ExpandedCall& call) {
    calls.push_back(call.call);
    return true;
  });
  return calls;
}

/// All calls of a block, the nodes that they are.
void index(Block& block, std::map<const Call*, Node*>& nodes) {
  for (Node& node : block) {
    if (node.is_loop())
      index(node.loop().body, nodes);
    else
      nodes[&node.call()] = &node;
  }
}

bool contains(const Block& block, const Call* call) {
  return std::any_of(block.begin(), block.end(), [&](const Node& node) {
    return node.is_loop() ? contains(node.loop().body, call) : &node.call() == call;
  });
}

class Attachment {
 public:
  Attachment(const Normalized& normalized, const normalize::Pool& pool, Skeleton& skeleton)
      : normalized_(normalized), pool_(pool), skeleton_(skeleton) {
    for (const auto& worker : pool.workers) where_.push_back(static_cast<std::uint32_t>(worker.location));
  }

  void attach() {
    if (!same_buffers() || !find_loop() || !find_sends()) return;
    skeleton::Pool pool;
    pool.ends.assign(pool_.dispatches.size(), 0);
    for (const auto& worker : pool_.workers) pool.ends[worker.numbers.back()] = 1;
    for (std::size_t i = 0; i < pool_.body; ++i) {
      pool.body.push_back(body_node(i));
      pool.compute_s.push_back(i == 0 ? std::vector<float>() : computation(i));
    }
    grow_buffers();
    // What varies is known by message.
    loop_->loop().between.samples = {};
    for (Node& node : loop_->loop().body) node.before.samples = {};
    for (Node* node : takes_) node->call().any_order = true;
    for (Node* node : sends_) node->call().dispatch = numbers(node);
    loop_->loop().pool = static_cast<int>(skeleton_.pools.size());
    end_->call().ends_pool = true;
    skeleton_.pools.push_back(std::move(pool));
  }

 private:
  /// One loop and one last receive behind it, the workers' and nobody else's.
  bool find_loop() {
    const Call *first = nullptr, *last = nullptr;
    for (const auto& worker : pool_.workers) {
      const Calls calls = calls_of(skeleton_, worker.location);
      const Call* end = calls[worker.receives.back()];
      if (last && end != last) return false;
      last = end;
      for (std::size_t t = 0; t + 1 < worker.receives.size(); ++t) {
        if (first && calls[worker.receives[t]] != first) return false;
        first = calls[worker.receives[t]];
      }
      // The loop has these iterations and no others.
      if (std::count(calls.begin(), calls.end(), first) != static_cast<std::ptrdiff_t>(worker.receives.size()) - 1)
        return false;
    }
    Block& program = skeleton_.program;
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (!program[i].is_loop() || !contains(program[i].loop().body, first)) continue;
      loop_ = &program[i];
      for (std::size_t j = i + 1; j < program.size() && !end_; ++j)
        if (!program[j].is_loop() && &program[j].call() == last) end_ = &program[j];
      // Between them nothing that a worker does; before the first receive nothing either.
      for (Node* node = loop_ + 1; end_ && node < end_; ++node)
        for (const std::uint32_t l : where_)
          if (node->position(l) >= 0) return false;
      const Node& receive = loop_->loop().body.front();
      return end_ && loop_->where == where_ && end_->where == where_ && !receive.is_loop() && &receive.call() == first;
    }
    return false;
  }

  /// The manager's statements, which nobody else executes; every message has room for its number.
  bool find_sends() {
    std::map<const Call*, Node*> nodes;
    index(skeleton_.program, nodes);
    const auto manager = static_cast<std::uint32_t>(pool_.manager);
    const Calls calls = calls_of(skeleton_, pool_.manager);
    const auto& location = normalized_.locations[pool_.manager];
    const auto add = [&](std::uint64_t call, std::vector<Node*>& to) {
      Node* node = nodes.at(calls[call]);
      if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
      return node->where == std::vector{manager};
    };
    for (const auto& match : location.matches)
      if (!add(match.call, takes_)) return false;
    std::map<std::uint64_t, std::int64_t> number;
    std::vector<bool> ends(pool_.dispatches.size(), false);
    for (const auto& worker : pool_.workers) ends[worker.numbers.back()] = true;
    for (std::uint32_t n = 0; n < pool_.dispatches.size(); ++n) {
      if (!add(pool_.dispatches[n], sends_)) return false;
      const auto& record = normalized_.records[location.calls[pool_.dispatches[n]]];
      const auto& f = *normalized_.symbols[record.symbol].function;
      const auto value = [&](Role role) { return record.values[static_cast<std::size_t>(f.find(role))]; };
      const auto type = value(Role::datatype);
      const bool room = has_room(type, value(Role::count));
      if (!room && !(ends[n] && is_short(type, value(Role::count)))) return false;
      number[pool_.dispatches[n]] = room ? std::int64_t{n} : -1;
    }
    for (std::uint64_t i = 0; i < calls.size(); ++i) {
      const auto node = nodes.find(calls[i]);
      if (node == nodes.end() || std::find(sends_.begin(), sends_.end(), node->second) == sends_.end()) continue;
      const auto known = number.find(i);
      numbers_[node->second].push_back(known == number.end() ? -1 : known->second);
    }
    return true;
  }

  /// A message begins with bytes that may hold its number.
  bool has_room(std::int64_t type, std::int64_t count) const {
    if (type < 0 || type >= mpi::kMade) return false;
    const auto at = static_cast<std::size_t>(type);
    if (normalized_.names[at] == "MPI_SHORT_INT") return false;  // the only one with a gap there
    return count * normalized_.name_bytes[at] >= kNumberBytes;
  }

  /// The message is shorter than a number, so it is known to end a loop.
  bool is_short(std::int64_t type, std::int64_t count) const {
    if (count == 0) return true;
    return type >= 0 && type < mpi::kMade &&
           count * normalized_.name_bytes[static_cast<std::size_t>(type)] < kNumberBytes;
  }

  /// A worker uses the same memory for every message: where it lies cannot travel with the message.
  bool same_buffers() const {
    for (const auto& worker : pool_.workers)
      for (std::size_t t = 1; t + 1 < worker.receives.size(); ++t)
        for (std::size_t i = 0; i < pool_.body; ++i) {
          const auto &one = record(worker, 0, i), &other = record(worker, t, i);
          const auto parameters = normalized_.symbols[one.symbol].function->parameters;
          for (std::size_t a = 0; a < parameters.size(); ++a)
            if (parameters[a].role == Role::buffer && one.values[a] != other.values[a]) return false;
        }
    return true;
  }

  Argument numbers(Node* node) const { return {{Sequence::of(numbers_.at(node))}, {}, {}}; }

  const normalize::Record& record(const normalize::Pool::Worker& worker, std::size_t task, std::size_t i) const {
    return normalized_.records[normalized_.locations[worker.location].calls[worker.receives[task] + i]];
  }

  /// Call number i of the body. Where data lies is a worker's own, and so is the receive of a message, whose number is
  /// not known before; what differs otherwise, be it between workers only, belongs to the message.
  Node body_node(std::size_t i) const {
    Node node;
    node.where = where_;
    Call call;
    const auto& symbol = normalized_.symbols[record(pool_.workers[0], 0, i).symbol];
    call.function = symbol.function;
    for (std::size_t a = 0; a < call.function->parameters.size(); ++a) {
      const Role role = call.function->parameters[a].role;
      Choices choices;
      Argument own;
      const std::int64_t common = record(pool_.workers[0], 0, i).values[a];
      bool constant = true;
      std::vector<std::int64_t> by_number(pool_.dispatches.size(), common);
      for (const auto& worker : pool_.workers) {
        own.choice.push_back(choices.add_constant(record(worker, 0, i).values[a]));
        for (std::size_t t = 0; t + 1 < worker.receives.size(); ++t) {
          const std::int64_t value = record(worker, t, i).values[a];
          constant = constant && value == common;
          by_number[worker.numbers[t]] = value;
        }
      }
      own.choices = choices.take();
      if (own.choices.size() == 1) own.choice.clear();
      const bool fixed = i == 0 || constant || role == Role::buffer || role == Role::status || role == Role::statuses;
      call.arguments.push_back(fixed ? own : Argument{{Sequence::of(by_number)}, {}, {}});
    }
    node.what = std::move(call);
    return node;
  }

  std::vector<float> computation(std::size_t i) const {
    std::vector<float> seconds(pool_.dispatches.size(), 0);
    for (const auto& worker : pool_.workers) {
      std::size_t t = 0;
      std::uint64_t call = 0;
      normalize::each_time(normalized_, worker.location, [&](double gap_s, double duration_s) {
        if (t + 1 < worker.receives.size() && call == worker.receives[t] + i)
          seconds[worker.numbers[t++]] = static_cast<float>(spent_s(worker.location, call, gap_s, duration_s));
        ++call;
      });
    }
    return seconds;
  }

  /// Computation up to a call, which is itself computation if it is known by name only.
  double spent_s(std::size_t l, std::uint64_t call, double gap_s, double duration_s) const {
    const auto& location = normalized_.locations[l];
    const auto& symbol = normalized_.symbols[normalized_.records[location.calls[call]].symbol];
    return gap_s + (symbol.function->kind == mpi::Kind::opaque ? duration_s : 0);
  }

  void grow_buffers() {
    std::uint64_t most = 0, furthest = 0;
    const auto each = [&](auto visit) {
      for (const auto& worker : pool_.workers) {
        auto& bytes = skeleton_.locations[worker.location].buffer_bytes;
        for (std::size_t i = 0; i < pool_.body; ++i) {
          const auto& one = record(worker, 0, i);
          const auto parameters = normalized_.symbols[one.symbol].function->parameters;
          for (std::size_t a = 0; a < parameters.size(); ++a)
            if (parameters[a].role == Role::buffer && one.values[a] > mpi::kInPlace)
              visit(bytes.at(static_cast<std::size_t>(mpi::slot_of(one.values[a]))),
                    static_cast<std::uint64_t>(mpi::offset_of(one.values[a])));
        }
      }
    };
    each([&](std::uint64_t& bytes, std::uint64_t offset) {
      most = std::max(most, bytes);
      furthest = std::max(furthest, offset);
    });
    each([&](std::uint64_t& bytes, std::uint64_t) { bytes = most + furthest; });
  }

  const Normalized& normalized_;
  const normalize::Pool& pool_;
  Skeleton& skeleton_;
  std::vector<std::uint32_t> where_;
  Node *loop_ = nullptr, *end_ = nullptr;
  std::vector<Node*> takes_, sends_;
  std::map<const Node*, std::vector<std::int64_t>> numbers_;
};

}  // namespace

void attach_pools(const Normalized& normalized, Skeleton& skeleton) {
  for (const auto& pool : normalized.pools) Attachment(normalized, pool, skeleton).attach();
}

}  // namespace skelgen::merge
