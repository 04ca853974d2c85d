#include "network/advice.h"

#include <algorithm>
#include <cmath>

#include "skeleton/trips.h"

namespace skelgen::network {
namespace {

using mpi::Role;
using skeleton::Block;
using skeleton::Node;
using skeleton::Skeleton;

bool alike(const skeleton::Argument& one, const skeleton::Argument& other) {
  return one.choices == other.choices && one.choice == other.choice;
}

/// Whether messages of the second statement go where those of the first one go.
bool same_way(const Node& one, const Node& other) {
  const auto& a = one.call();
  const auto& b = other.call();
  if (a.function != b.function || one.where != other.where) return false;
  for (const auto role : {Role::peer, Role::root, Role::comm})
    if (const int at = a.function->find(role); at >= 0)
      if (!alike(a.arguments[static_cast<std::size_t>(at)], b.arguments[static_cast<std::size_t>(at)])) return false;
  return true;
}

/// Always to the same peer.
bool one_way(const skeleton::Call& call) {
  for (const auto role : {Role::peer, Role::root})
    if (const int at = call.function->find(role); at >= 0)
      for (const auto& choice : call.arguments[static_cast<std::size_t>(at)].choices)
        if (choice.kind != skeleton::Sequence::Kind::constant) return false;
  return true;
}

/// The location at this position of Node::where always sends to MPI_PROC_NULL.
bool sends_to_nobody(const skeleton::Call& call, std::size_t position) {
  const int at = call.function->find(Role::peer);
  if (at < 0) return false;
  const auto& peers = call.arguments[static_cast<std::size_t>(at)].of(position);
  return peers.kind == skeleton::Sequence::Kind::constant && peers.values[0] < 0;
}

class Advisor {
 public:
  Advisor(const Skeleton& skeleton, const Replay& replay, const MessageTimes& times, const Model& model)
      : skeleton_(skeleton), replay_(replay), times_(times), model_(model) {}

  void look_at(const Block& block, const std::vector<std::uint64_t>& times, const std::string& loop,
               const std::vector<std::uint64_t>& entered) {
    std::vector<const Node*> seen;
    std::size_t inner = 0;
    for (const auto& node : block) {
      if (node.is_loop()) {
        std::vector<std::uint64_t> inside(times.size(), 0), entries(times.size(), 0);
        for (std::size_t p = 0; p < node.where.size(); ++p) {
          entries[node.where[p]] = times[node.where[p]];
          inside[node.where[p]] = static_cast<std::uint64_t>(
              std::max<std::int64_t>(0, iterations_.of(node.loop().trips.of(p), times[node.where[p]])));
        }
        const auto name = (loop.empty() ? "loop " : loop + ".") + std::to_string(++inner);
        look_at(node.loop().body, inside, name, entries);
        continue;
      }
      const auto sent = replay_.sent.find(&node.call());
      if (sent == replay_.sent.end() || sent->second.messages == 0 || std::ranges::find(seen, &node) != seen.end())
        continue;
      std::vector<const Node*> group;
      for (const auto& other : block)
        if (!other.is_loop() && same_way(node, other) && replay_.sent.contains(&other.call())) group.push_back(&other);
      seen.insert(seen.end(), group.begin(), group.end());
      advise(group, times, !loop.empty() && only_sends(block, group) ? &entered : nullptr, loop);
    }
  }

  std::vector<Advice> result() && {
    std::erase_if(all_, [&](const Advice& one) { return one.now_s < kAdvised * replay_.run_s; });
    std::ranges::stable_sort(all_, std::greater<>(), [](const Advice& one) { return one.now_s - one.then_s; });
    return std::move(all_);
  }

 private:
  /// Whether the locations of a group of statements only send in the block, always to the same peer: what they send cannot
  /// depend on what others do meanwhile.
  static bool only_sends(const Block& block, const std::vector<const Node*>& group) {
    for (const auto* node : group)
      if (node->call().function->kind != mpi::Kind::send || !one_way(node->call())) return false;
    for (const auto& node : block) {
      if (std::ranges::find(group, &node) != group.end()) continue;
      const bool matters =
          node.is_loop() || (is_timed(*node.call().function) && node.call().function->kind != mpi::Kind::complete);
      if (matters && std::ranges::any_of(node.where, [&](std::uint32_t l) { return group[0]->position(l) >= 0; }))
        return false;
    }
    return true;
  }

  const Curve* curve(const Sent& sent) const {
    const Curve* best = nullptr;
    for (const auto& curve : model_.curves)
      if (curve.pattern == sent.pattern && (!best || (curve.ranks <= sent.ranks && curve.ranks > best->ranks)))
        best = &curve;
    return best;
  }

  void advise(const std::vector<const Node*>& group, const std::vector<std::uint64_t>& times,
              const std::vector<std::uint64_t>* entered, const std::string& loop) {
    double messages = 0, bytes = 0;
    for (const auto* node : group) {
      const auto& sent = replay_.sent.at(&node->call());
      messages += sent.messages, bytes += sent.bytes;
    }
    const auto& sent = replay_.sent.at(&group[0]->call());
    const auto* const is = curve(sent);
    if (!is || is->samples.empty()) return;
    Advice advice{.loop = loop, .function = group[0]->call().function, .bytes = bytes / messages};
    advice.congested = is->states.congested_from && advice.bytes >= *is->states.congested_from;
    if (!advice.congested && advice.bytes >= is->states.ideal_from) return;
    const auto seconds = [&](double length) {
      return sent.pattern == "pingpong" ? times_.message(length) : times_.collective(sent.pattern, sent.ranks, length);
    };
    const auto size = static_cast<double>(group.size());
    for (std::size_t p = 0; p < group[0]->where.size(); ++p) {
      if (sends_to_nobody(group[0]->call(), p)) continue;
      const std::uint32_t l = group[0]->where[p];
      const double calls = size * static_cast<double>(times[l]);
      if (calls <= advice.calls) continue;
      advice.calls = calls;
      advice.rank = skeleton_.locations[l].where.rank;
      advice.parts = size;
      if (entered && (*entered)[l] > 0) advice.parts = calls / static_cast<double>((*entered)[l]);
    }
    advice.now_s = advice.calls * seconds(advice.bytes);
    if (advice.congested) {
      advice.parts = std::ceil(advice.bytes / is->states.best_at);
      advice.then_s = advice.calls * advice.parts * seconds(advice.bytes / advice.parts);
    } else {
      advice.then_s = advice.calls / advice.parts * seconds(advice.bytes * advice.parts);
    }
    advice.then_s = std::min(advice.then_s, advice.now_s);
    all_.push_back(advice);
  }

  const Skeleton& skeleton_;
  const Replay& replay_;
  const MessageTimes& times_;
  const Model& model_;
  skeleton::Iterations iterations_;
  std::vector<Advice> all_;
};

}  // namespace

std::vector<Advice> advise(const Skeleton& skeleton, const Replay& replay, const MessageTimes& times,
                           const Model& model) {
  Advisor advisor(skeleton, replay, times, model);
  const std::vector<std::uint64_t> once(skeleton.locations.size(), 1);
  advisor.look_at(skeleton.program, once, "", once);
  return std::move(advisor).result();
}

}  // namespace skelgen::network
