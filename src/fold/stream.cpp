#include "fold/stream.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "fold/border.h"
#include "fold/collapse.h"
#include "support/error.h"

namespace skelgen::fold {
namespace {

using Symbols = std::vector<Symbol>;

/// Puts loops in the place of tokens. What stands beside a token and continues its loop becomes a part of it.
class Unfolding {
 public:
  explicit Unfolding(const Tokens& tokens) : tokens_(tokens) {}

  Program program(Program folded) {
    int level = 0;
    for (const Node& node : folded)
      if (!node.is_loop()) level = std::max(level, tokens_.level(node.symbol));
    // Outer loops first: what is beside them still has the tokens of inner ones, as their bodies have.
    for (; level > 0; --level) folded = without(std::move(folded), level);
    for (Node& node : folded)
      if (node.is_loop()) node.body = program(std::move(node.body).take());
    return folded;
  }

 private:
  /// A loop of few trips in its surroundings.
  struct Loop {
    Program nodes;
    std::size_t place;  // of the loop
  };

  /// Without tokens of this level.
  Program without(Program folded, int level) {
    Program result;
    for (std::size_t i = 0; i < folded.size(); ++i) {
      if (folded[i].is_loop() || tokens_.level(folded[i].symbol) != level) {
        result.push_back(std::move(folded[i]));
        continue;
      }
      const Token token = tokens_[folded[i].symbol];
      const std::size_t before = take_before(result, token.body);
      std::size_t behind = 0;
      for (; i + 1 < folded.size() && continues(folded[i + 1], token.body, behind); ++i) behind += length_;
      const Program loop = loop_of(token, before, behind);
      result.insert(result.end(), loop.begin(), loop.end());
    }
    return result;
  }

  /// Takes away the last nodes that may precede a body. Returns their symbols' number.
  std::size_t take_before(Program& program, const Symbols& body) {
    std::size_t symbols = 0;
    while (!program.empty()) {
      expansion_.clear();
      if (!expand_into(expansion_, {&program.back(), 1}, most(body))) break;
      const std::size_t n = expansion_.size(), period = body.size();
      bool precedes = true;
      for (std::size_t k = 0; precedes && k < n; ++k)
        precedes = expansion_[n - 1 - k] == body[period - 1 - (symbols + k) % period];
      if (!precedes) break;
      symbols += n;
      program.pop_back();
    }
    return symbols;
  }

  /// Whether the node may stand `at` symbols behind the begin of a body; sets length_.
  bool continues(const Node& node, const Symbols& body, std::size_t at) {
    expansion_.clear();
    if (!expand_into(expansion_, {&node, 1}, most(body))) return false;
    length_ = expansion_.size();
    for (std::size_t k = 0; k < length_; ++k)
      if (expansion_[k] != body[(at + k) % body.size()]) return false;
    return true;
  }

  static std::size_t most(const Symbols& body) { return 2 * kCopies * body.size(); }

  /// Folds a few of the loop's periods with the symbols before and behind them, and lengthens the loop found.
  Program loop_of(const Token& token, std::size_t before, std::size_t behind) {
    const std::size_t period = token.body.size();
    auto [at, added] = loops_.try_emplace({token.body, before, behind, std::min<std::uint64_t>(token.trips, kCopies)});
    Loop& loop = at->second;
    if (added) {
      const std::size_t copies = std::get<3>(at->first);
      Symbols text(before + copies * period + behind);
      for (std::size_t i = 0; i < text.size(); ++i) text[i] = token.body[(i + period - before % period) % period];
      loop.nodes = fold(text, Mode::best);
      const auto loops_once = [&](const Node& node) {
        expansion_.clear();
        return node.is_loop() && node.trips > 2 && expand_into(expansion_, node.body, period) &&
               expansion_.size() == period;
      };
      loop.place = static_cast<std::size_t>(std::ranges::find_if(loop.nodes, loops_once) - loop.nodes.begin());
      if (loop.place == loop.nodes.size()) {
        loop.nodes.clear();
        for (std::size_t i = 0; i < before; ++i) loop.nodes.push_back({text[i], 1, {}, {}});
        loop.nodes.push_back({0, copies, fold(token.body, Mode::best), {}});
        for (std::size_t i = 0; i < behind; ++i) loop.nodes.push_back({token.body[i % period], 1, {}, {}});
        loop.place = before;
      }
    }
    const std::uint64_t more = token.trips - std::get<3>(at->first);
    Program result = loop.nodes;
    result.at(loop.place).trips += more;
    return result;
  }

  const Tokens& tokens_;
  std::map<std::tuple<Symbols, std::size_t, std::size_t, std::uint64_t>, Loop> loops_;
  Symbols expansion_;
  std::size_t length_ = 0;
};

}  // namespace

class Stream::Work {
 public:
  explicit Work(std::size_t block) : block_(std::max<std::size_t>(block, 1)), collapse_(tokens_, left_) {}

  void push(std::span<const Symbol> symbols) {
    if (std::ranges::any_of(symbols, [](Symbol s) { return s > kLargestStreamed; }))
      throw Error(Code::invalid_argument, "a symbol above 2^31 - 1 in a stream");
    while (!symbols.empty()) {
      const std::size_t now = std::min(symbols.size(), block_);
      collapse_.push(symbols.first(now));
      symbols = symbols.subspan(now);
      while (left_.size() >= 2 * block_) fold_block(block_);  // the last one is not short
    }
  }

  Program finish() {
    collapse_.finish();
    fold_block(left_.size());
    return std::move(program_);
  }

 private:
  void fold_block(std::size_t n) {
    const auto end = left_.begin() + static_cast<std::ptrdiff_t>(n);
    append(program_, Unfolding(tokens_).program(fold(std::span(left_.begin(), end), Mode::best)));
    left_.erase(left_.begin(), end);
  }

  std::size_t block_;
  Tokens tokens_;
  Symbols left_;  // not collapsed, or tokens
  Collapse collapse_;
  Program program_;
};

Stream::Stream(std::size_t block) : work_(std::make_unique<Work>(block)) {}
Stream::Stream(Stream&&) noexcept = default;
Stream::~Stream() = default;

void Stream::push(std::span<const Symbol> symbols) { work_->push(symbols); }

Program Stream::finish() && { return work_->finish(); }

}  // namespace skelgen::fold
