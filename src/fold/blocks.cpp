#include "fold/blocks.h"

#include <algorithm>
#include <unordered_map>

#include "fold/fixed.h"
#include "fold/placeholders.h"

namespace skelgen::fold {
namespace {

constexpr std::size_t kEntries = 16;  // of a list of trips that weigh as much as a symbol
constexpr std::size_t kNested = 4;    // times as much if it is within what another one repeats

/// What a list of trips weighs in symbols: little if it can be said by a rule.
std::size_t weight_of(const std::vector<std::uint64_t>& list) {
  bool arithmetic = true;
  for (std::size_t i = 2; i < list.size(); ++i) arithmetic = arithmetic && list[i] - list[i - 1] == list[1] - list[0];
  if (arithmetic) return 1;
  std::vector<std::size_t> border(list.size(), 0);  // Knuth, Morris & Pratt: longest border of each prefix
  for (std::size_t i = 1, k = 0; i < list.size(); ++i) {
    while (k > 0 && list[i] != list[k]) k = border[k - 1];
    if (list[i] == list[k]) ++k;
    border[i] = k;
  }
  return 1 + (list.size() - border.back() + kEntries - 1) / kEntries;
}

std::size_t weight_of(std::span<const Node> program, std::size_t nested, std::size_t factor) {
  std::size_t sum = 0;
  for (const Node& node : program) {
    if (!node.is_loop())
      ++sum;
    else if (node.each.empty())
      sum += weight_of(node.body.vector(), nested, factor);
    else
      sum += weight_of(node.each) * factor + weight_of(node.body.vector(), nested, nested);
  }
  return sum;
}

/// Puts loops in the place of blocks: first their form, then, walking it as it is executed, their trips.
class Unfolding {
 public:
  explicit Unfolding(const Text& text) : text_(text), next_(text.blocks.size(), 0), forms_(text.blocks.size()) {}

  Program program(const Program& program) {
    Program result = with_loops(program);
    execute(result);
    return settled(std::move(result));
  }

 private:
  /// A loop that was a block has the block's number as trips until it is settled.
  Program with_loops(const Program& program) {
    Program result;
    for (const Node& node : program) {
      if (node.is_loop()) {
        result.push_back({0, node.trips, with_loops(node.body), node.each});
      } else if (text_.is_block(node.symbol)) {
        const Program& form = form_of(node.symbol - text_.first);
        result.insert(result.end(), form.begin(), form.end());
      } else {
        result.push_back(node);
      }
    }
    return result;
  }

  /// Head and loop of a block, the same wherever it stands.
  const Program& form_of(std::size_t number) {
    if (forms_[number].empty()) {
      const Block& block = text_.blocks[number];
      Program form = with_loops(fixed(block.head, Mode::best));
      form.push_back({kPlaceholder, number, with_loops(fixed(block.body, Mode::best)), {}});
      forms_[number] = std::move(form);
    }
    return forms_[number];
  }

  void execute(std::span<Node> program) {
    for (Node& node : program) {
      if (!node.is_loop()) continue;
      std::uint64_t trips = node.trips;
      if (!is_placeholder(node) && !node.each.empty()) trips = node.each[executed_[&node]++];
      if (is_placeholder(node)) {
        trips = text_.blocks[node.trips].trips[next_[node.trips]++];
        node.each.push_back(trips);
      }
      for (std::uint64_t t = 0; t < trips; ++t) execute(node.body);
    }
  }

  const Text& text_;
  std::vector<std::size_t> next_;                          // place of each block that is executed next
  std::vector<Program> forms_;                             // of blocks; empty: not needed yet
  std::unordered_map<const Node*, std::size_t> executed_;  // loops with lists of their own
};

}  // namespace

Text collapse(const Text& text, const std::vector<Symbol>& body) {
  Text result{{}, text.blocks, text.first};
  const auto symbol = static_cast<Symbol>(text.first + text.blocks.size());
  Block& block = result.blocks.emplace_back(Block{{}, body, {}});
  const auto stands_at = [&](std::size_t i) {
    return i + body.size() <= text.symbols.size() &&
           std::equal(body.begin(), body.end(), text.symbols.begin() + static_cast<std::ptrdiff_t>(i));
  };
  for (std::size_t i = 0; i < text.symbols.size();) {
    std::uint64_t trips = 0;
    for (; stands_at(i); i += body.size()) ++trips;
    if (trips > 0) {
      block.trips.push_back(trips);
      result.symbols.push_back(symbol);
    } else {
      result.symbols.push_back(text.symbols[i++]);
    }
  }
  return result;
}

Program unfolded(const Text& text, const Program& program) { return Unfolding(text).program(program); }

std::size_t weight(std::span<const Node> form) { return weight_of(form, 1, 1); }

std::size_t strain(std::span<const Node> form) { return weight_of(form, kNested, 1); }

}  // namespace skelgen::fold
