#include "fold/fold.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fold/cheapest.h"
#include "fold/fixed.h"
#include "fold/longest_first.h"
#include "fold/varying.h"

namespace skelgen::fold {
namespace {

/// Puts the segments together. Recurses into bodies only, each at most half as long as what it is in: there may be very
/// many parts left and right of loops.
Program assemble(std::span<const Symbol> text, const std::vector<Segment>& segments, std::uint32_t number) {
  Program program;
  std::vector<std::pair<std::uint32_t, bool>> todo{{number, false}};  // segment; true: only its loop
  while (!todo.empty()) {
    const auto [current, loop_only] = todo.back();
    todo.pop_back();
    const Segment& segment = segments[current];
    if (loop_only) {
      program.push_back({0, segment.trips, assemble(text, segments, segment.body), {}});
    } else if (segment.trips == 0) {
      for (Index i = segment.begin; i < segment.end; ++i) program.push_back({text[i], 1, {}, {}});
    } else {
      todo.push_back({segment.right, false});
      todo.push_back({current, true});
      todo.push_back({segment.left, false});
    }
  }
  return program;
}

/// Symbols in the folded form.
std::uint64_t cost_of(const std::vector<Segment>& segments, std::uint32_t number) {
  std::uint64_t cost = 0;
  std::vector<std::uint32_t> todo{number};
  while (!todo.empty()) {
    const Segment& segment = segments[todo.back()];
    todo.pop_back();
    if (segment.trips == 0)
      cost += segment.end - segment.begin;
    else
      todo.insert(todo.end(), {segment.left, segment.body, segment.right});
  }
  return cost;
}

Program assemble(std::span<const Symbol> text, const Cheapest& cheapest, std::uint32_t number) {
  Program program;
  for (const Part& part : cheapest.bodies[number]) {
    if (part.trips > 0)
      program.push_back({0, part.trips, assemble(text, cheapest, part.body), {}});
    else
      for (Index i = part.begin; i < part.end; ++i) program.push_back({text[i], 1, {}, {}});
  }
  return program;
}

/// Walks a program as it is executed. A loop with varying trips must know which time it is.
class Expansion {
 public:
  std::vector<Symbol> text(const Program& program) {
    append(program);
    return std::move(text_);
  }

 private:
  void append(const Program& program) {
    for (const Node& node : program) {
      if (!node.is_loop()) {
        text_.push_back(node.symbol);
        continue;
      }
      const std::uint64_t trips = node.each.empty() ? node.trips : node.each.at(times_[&node]++);
      if (constant(node.body)) {
        repeat(node.body, trips);
      } else {
        for (std::uint64_t trip = 0; trip < trips; ++trip) append(node.body);
      }
    }
  }

  void repeat(const Program& body, std::uint64_t trips) {
    if (trips == 0) return;
    const std::size_t begin = text_.size();
    append(body);
    const std::size_t length = text_.size() - begin;
    for (std::uint64_t trip = 1; trip < trips; ++trip)
      for (std::size_t i = 0; i < length; ++i) text_.push_back(text_[begin + i]);
  }

  static bool constant(const Program& program) {
    return std::ranges::all_of(program, [](const Node& node) { return node.each.empty() && constant(node.body); });
  }

  std::vector<Symbol> text_;
  std::unordered_map<const Node*, std::size_t> times_;  // that a loop with varying trips was executed
};

std::string trips_of(const Node& node) {
  if (node.each.empty()) return std::to_string(node.trips);
  std::string all;
  for (const auto trips : node.each) {
    all += all.empty() ? '(' : ' ';
    all += std::to_string(trips);
  }
  return all + ")";
}

void print_into(const Program& program, const std::function<std::string(Symbol)>& name, std::string& out) {
  for (const Node& node : program) {
    if (!out.empty()) out += ' ';
    if (node.is_loop()) {
      out += trips_of(node) + " x {";
      print_into(node.body, name, out);
      out += " }";
    } else {
      out += name(node.symbol);
    }
  }
}

std::string letter(Symbol symbol) {
  if (symbol < 26) return std::string(1, static_cast<char>('a' + symbol));
  std::string number = "#";
  number += std::to_string(symbol);
  return number;
}

}  // namespace

Program fixed(std::span<const Symbol> text, Mode mode) {
  auto runs = strings::runs(text);
  if (mode == Mode::seed) return assemble(text, longest_first(static_cast<Index>(text.size()), std::move(runs)), 0);
  const Cheapest best = cheapest(text, runs, kBodyWork);
  const auto segments = longest_first(static_cast<Index>(text.size()), std::move(runs));
  return cost_of(segments, 0) <= best.cost ? assemble(text, segments, 0) : assemble(text, best, best.whole);
}

Program fold(std::span<const Symbol> text, Mode mode) {
  Program program = fixed(text, mode);
  return mode == Mode::best ? with_varying_trips(text, std::move(program)) : program;
}

std::size_t length(const Program& program) {
  std::size_t sum = 0;
  for (const Node& node : program) sum += node.is_loop() ? length(node.body) : 1;
  return sum;
}

std::vector<Symbol> expand(const Program& program) { return Expansion().text(program); }

std::string print(const Program& program) { return print(program, letter); }

std::string print(const Program& program, const std::function<std::string(Symbol)>& name) {
  std::string text;
  print_into(program, name, text);
  return text;
}

}  // namespace skelgen::fold
