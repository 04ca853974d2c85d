#include "fold/shared_loops.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace skelgen::fold {
namespace {

/// Nodes without trips: symbols, and brackets around those of loops.
using Form = std::vector<std::uint64_t>;
constexpr std::uint64_t kOpen = std::uint64_t{1} << 32, kClose = kOpen + 1;

void append_form(std::span<const Node> nodes, Form& form) {
  for (const Node& node : nodes) {
    if (!node.is_loop()) {
      form.push_back(node.symbol);
      continue;
    }
    form.push_back(kOpen);
    append_form(node.body.vector(), form);
    form.push_back(kClose);
  }
}

Form form_of(std::span<const Node> nodes) {
  Form form;
  append_form(nodes, form);
  return form;
}

struct Loops {
  std::size_t nodes;               ///< of the body
  std::size_t depth = 0;           ///< of the deepest one: how many loops it is in
  std::set<std::uint32_t> owners;  ///< that have such loops
};
using Bodies = std::map<Form, Loops>;

void collect(std::span<const Node> nodes, std::size_t depth, const std::set<std::uint32_t>& owners, Bodies& bodies) {
  for (const Node& node : nodes) {
    if (!node.is_loop()) continue;
    collect(node.body.vector(), depth + 1, owners, bodies);
    if (!node.each.empty()) continue;
    Loops& loops =
        bodies.try_emplace(form_of(node.body.vector()), Loops{.nodes = node.body.size(), .owners = {}}).first->second;
    loops.depth = std::max(loops.depth, depth);
    loops.owners.insert(owners.begin(), owners.end());
  }
}

using Body = Bodies::value_type;

/// depth: how many loops the nodes are in; most: the deepest that the body may stand.
void wrap(Program& nodes, std::size_t depth, std::size_t most, const Body& body) {
  const auto& [form, loops] = body;
  const std::size_t length = loops.nodes;
  if (depth > most) return;
  for (Node& node : nodes) {
    if (!node.is_loop()) continue;
    Program inner = std::move(node.body).take();
    wrap(inner, depth + 1, most, body);
    node.body = std::move(inner);
  }
  const auto stands_at = [&](std::size_t i) {
    if (length > nodes.size() - i || (!nodes[i].is_loop() && form[0] != nodes[i].symbol)) return false;
    return form_of(std::span(nodes).subspan(i, length)) == form;
  };
  Program all;
  for (std::size_t i = 0; i < nodes.size();) {
    if (!stands_at(i)) {
      all.push_back(std::move(nodes[i++]));
      continue;
    }
    const auto first = std::make_move_iterator(nodes.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back({.trips = 1, .body = Program(first, first + static_cast<std::ptrdiff_t>(length))});
    i += length;
  }
  nodes = std::move(all);
}

}  // namespace

void share_loops(std::span<Program> programs, std::span<const std::set<std::uint32_t>> owners, Owners kind) {
  // Inner bodies are shorter than outer ones, which are alike once inner ones are.
  std::set<Form> done;
  for (;;) {
    Bodies bodies;
    for (std::size_t i = 0; i < programs.size(); ++i) collect(programs[i], 0, owners[i], bodies);
    const Body* next = nullptr;
    for (const Body& body : bodies)
      if (!done.contains(body.first) && (!next || body.first.size() < next->first.size())) next = &body;
    if (!next) return;
    done.insert(next->first);
    for (std::size_t i = 0; i < programs.size(); ++i)
      if (std::ranges::none_of(owners[i], [&](std::uint32_t owner) { return next->second.owners.contains(owner); }))
        wrap(programs[i], 0, kind == Owners::runs ? SIZE_MAX : next->second.depth, *next);
  }
}

}  // namespace skelgen::fold
