#include "merge/align.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <unordered_map>

#include "mpi/mpi.h"

namespace skelgen::merge {
namespace {

using Score = std::int64_t;
constexpr Score kSame = 10, kSameCollective = 30;     // equal symbols
constexpr Score kOther = 6, kOtherCollective = 18;    // another peer or root
constexpr std::size_t kCells = std::size_t{1} << 24;  // of one table
constexpr std::size_t kWindow = 1024;                 // statements at a time where one table would be too large
constexpr std::size_t kAllCells = 50'000'000;         // of the whole alignment
constexpr std::uint64_t kVaries = ~std::uint64_t{0};  // trips of all loops that have lists of them
constexpr std::size_t kKnownScores = 4'000'000;       // of pairs of loops

}  // namespace

std::vector<std::uint32_t> shapes_of(const normalize::Normalized& normalized) {
  using Key = std::pair<const mpi::Function*, std::vector<std::int64_t>>;
  std::vector<std::uint32_t> shapes(normalized.symbols.size(), 0);
  std::vector<bool> known(normalized.symbols.size(), false);
  std::map<Key, std::uint32_t> number;
  for (const normalize::Record& record : normalized.records) {
    if (known[record.symbol]) continue;
    known[record.symbol] = true;
    const mpi::Function* function = normalized.symbols[record.symbol].function;
    Key key{function, {}};
    const auto& own = normalized.symbols[record.symbol].key;
    normalize::each_key(*function, [&](const mpi::Parameter& parameter, std::size_t at) {
      if (parameter.role != mpi::Role::peer && parameter.role != mpi::Role::root && !parameter.root_only)
        key.second.push_back(own.at(at));
    });
    // What stands behind the parameters' elements: pools, places in the program.
    for (std::size_t at = normalize::keys(*function); at < own.size(); ++at) key.second.push_back(own[at]);
    shapes[record.symbol] = number.emplace(std::move(key), static_cast<std::uint32_t>(number.size())).first->second;
  }
  return shapes;
}

namespace {

// Both sides of an alignment, in this form: a block of nodes with what scoring needs at hand.
struct Item {
  std::vector<ClassStatement> parts;
  std::vector<fold::Symbol> symbols;  // of a leaf, different ones
  std::uint32_t shape = 0;
  bool collective = false;
  std::vector<std::uint64_t> trips;  // of a loop, different ones
  std::vector<Item> body;
  Score self = 0;        // score if aligned with its like
  std::uint32_t id = 0;  // equal for equal ones
  bool is_loop() const { return !trips.empty(); }
};
using Items = std::vector<Item>;

template <class T>
void add_new(std::vector<T>& set, const std::vector<T>& more) {
  for (const T& x : more)
    if (std::find(set.begin(), set.end(), x) == set.end()) set.push_back(x);
}

template <class T>
bool common(const std::vector<T>& a, const std::vector<T>& b) {
  return std::any_of(a.begin(), a.end(), [&](const T& x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

Score total_self(std::span<const Item> block) {
  return std::accumulate(block.begin(), block.end(), Score{0}, [](Score s, const Item& i) { return s + i.self; });
}

class Aligner {
 public:
  Aligner(const normalize::Normalized& normalized, std::span<const ClassProgram> programs)
      : normalized_(normalized), programs_(programs), shapes_(shapes_of(normalized)) {}

  Items items(std::uint32_t program, std::uint32_t first, std::uint32_t end) {
    Items block;
    const ClassProgram& nodes = programs_[program];
    for (std::uint32_t i = first; i < end; i = nodes[i].end) {
      Item& item = block.emplace_back();
      item.parts = {{program, i}};
      if (nodes[i].is_loop()) {
        item.trips = {nodes[i].each.empty() ? nodes[i].trips : kVaries};
        item.body = items(program, i + 1, nodes[i].end);
        item.self = 2 * total_self(item.body);
      } else {
        item.symbols = {nodes[i].symbol};
        item.shape = shapes_[nodes[i].symbol];
        item.collective = normalized_.symbols[nodes[i].symbol].function->kind == mpi::Kind::collective;
        item.self = item.collective ? kSameCollective : kSame;
      }
      identify(item);
    }
    return block;
  }

  // Merges b into a.
  Items merge(Items a, Items b) {
    const std::vector<Move> moves = all_moves(a, b);
    Items merged;
    std::size_t i = 0, j = 0;
    for (const Move move : moves) {
      if (move == Move::first) {
        merged.push_back(std::move(a[i++]));
      } else if (move == Move::second) {
        merged.push_back(std::move(b[j++]));
      } else {
        merged.push_back(merge(std::move(a[i++]), std::move(b[j++])));
      }
    }
    return merged;
  }

  // Position by position, for programs of the same shape.
  void zip(Items& a, const Items& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i].parts.insert(a[i].parts.end(), b[i].parts.begin(), b[i].parts.end());
      add_new(a[i].symbols, b[i].symbols);
      zip(a[i].body, b[i].body);
      identify(a[i]);
    }
  }

  std::vector<std::uint64_t> form(std::uint32_t program) const {
    std::vector<std::uint64_t> all;
    for (const ClassNode& node : programs_[program]) {
      all.push_back(node.trips);
      all.push_back(node.end);
      all.push_back(node.is_loop() ? 0 : shapes_[node.symbol]);
    }
    return all;
  }

 private:
  enum class Move : std::uint8_t { both, first, second };

  void identify(Item& item) {
    std::vector<std::uint64_t> content{item.is_loop(), item.shape, item.symbols.size(), item.trips.size()};
    content.insert(content.end(), item.symbols.begin(), item.symbols.end());
    content.insert(content.end(), item.trips.begin(), item.trips.end());
    for (const Item& inner : item.body) content.push_back(inner.id);
    item.id = ids_.emplace(std::move(content), static_cast<std::uint32_t>(ids_.size())).first->second;
  }

  Item merge(Item a, Item b) {
    a.parts.insert(a.parts.end(), b.parts.begin(), b.parts.end());
    add_new(a.symbols, b.symbols);
    add_new(a.trips, b.trips);
    if (a.is_loop()) {
      a.body = merge(std::move(a.body), std::move(b.body));
      a.self = 2 * total_self(a.body);
    }
    identify(a);
    return a;
  }

  // Nothing scores more than these two together.
  static bool alike(const Item& a, const Item& b) {
    if (a.id == b.id) return true;
    if (a.is_loop() != b.is_loop()) return false;
    if (!a.is_loop()) return common(a.symbols, b.symbols);
    return common(a.trips, b.trips) && std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(), alike);
  }

  // 0: not to be aligned.
  Score score(const Item& a, const Item& b) {
    if (a.is_loop() != b.is_loop()) return 0;
    if (a.is_loop()) return known_loop_score(a, b);
    if (a.shape != b.shape) return 0;
    const bool same = common(a.symbols, b.symbols);
    return a.collective ? (same ? kSameCollective : kOtherCollective) : (same ? kSame : kOther);
  }

  // Programs repeat themselves: most pairs of loops were seen before.
  Score known_loop_score(const Item& a, const Item& b) {
    const std::uint64_t pair = std::uint64_t{a.id} << 32 | b.id;
    if (const auto known = scores_.find(pair); known != scores_.end()) return known->second;
    const Score score = loop_score(a, b);
    if (scores_.size() >= kKnownScores) scores_.clear();
    scores_.emplace(pair, score);
    return score;
  }

  Score loop_score(const Item& a, const Item& b) {
    const Score bodies = block_score(a.body, b.body);
    if (common(a.trips, b.trips)) return bodies > 0 ? 2 * bodies : 1;
    const Score least = std::min(a.self, b.self) / 2;  // the whole of the smaller body
    return 2 * bodies >= least ? bodies : 0;
  }

  Score block_score(const Items& a, const Items& b) {
    if ((a.size() + 1) * (b.size() + 1) > kCells) return std::min(total_self(a), total_self(b)) / 2;
    if (std::equal(a.begin(), a.end(), b.begin(), b.end(), alike)) return total_self(a);
    std::vector<Score> best(b.size() + 1, 0);
    for (const Item& item : a) {
      Score diagonal = 0;
      for (std::size_t j = 0; j < b.size(); ++j) {
        const Score s = score(item, b[j]);
        const Score both = s > 0 ? diagonal + s : 0;
        diagonal = best[j + 1];
        best[j + 1] = std::max({both, best[j + 1], best[j]});
      }
    }
    return best.back();
  }

  // Identical beginnings and ends belong together; the best alignment of what is between them.
  std::vector<Move> all_moves(std::span<const Item> a, std::span<const Item> b) {
    std::size_t begin = 0, end = 0;
    const std::size_t most = std::min(a.size(), b.size());
    while (begin < most && alike(a[begin], b[begin])) ++begin;
    while (begin + end < most && alike(a[a.size() - 1 - end], b[b.size() - 1 - end])) ++end;
    std::vector<Move> moves(begin, Move::both);
    const auto inner_a = a.subspan(begin, a.size() - begin - end), inner_b = b.subspan(begin, b.size() - begin - end);
    const bool small = (inner_a.size() + 1) * (inner_b.size() + 1) <= kCells;
    const std::vector<Move> inner = small ? best_moves(inner_a, inner_b) : window_moves(inner_a, inner_b);
    moves.insert(moves.end(), inner.begin(), inner.end());
    moves.insert(moves.end(), end, Move::both);
    return moves;
  }

  // Window by window: of each window's best alignment the first half is kept, the next window begins there.
  std::vector<Move> window_moves(std::span<const Item> a, std::span<const Item> b) {
    std::vector<Move> moves;
    std::size_t i = 0, j = 0;
    const auto take = [&](Move move) {
      moves.push_back(move);
      i += move != Move::second;
      j += move != Move::first;
    };
    while (i < a.size() || j < b.size()) {
      while (i < a.size() && j < b.size() && alike(a[i], b[j])) take(Move::both);
      const std::size_t wide = std::min(kWindow, a.size() - i), high = std::min(kWindow, b.size() - j);
      const bool last = i + wide == a.size() && j + high == b.size();
      const std::size_t from_i = i, from_j = j;
      for (const Move move : best_moves(a.subspan(i, wide), b.subspan(j, high))) {
        if (!last && (i - from_i > kWindow / 2 || j - from_j > kWindow / 2)) break;
        take(move);
      }
    }
    return moves;
  }

  std::vector<Move> best_moves(std::span<const Item> a, std::span<const Item> b) {
    const std::size_t width = b.size() + 1;
    std::vector<Move> table((a.size() + 1) * width, Move::second);
    std::vector<Score> best(width, 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
      Score diagonal = 0;
      table[i * width] = Move::first;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const Score s = score(a[i - 1], b[j - 1]);
        const Score both = s > 0 ? diagonal + s : -1;
        diagonal = best[j];
        Move& move = table[i * width + j];
        if (both >= best[j] && both >= best[j - 1]) {
          best[j] = both;
          move = Move::both;
        } else if (best[j] > best[j - 1]) {
          move = Move::first;
        } else {
          best[j] = best[j - 1];
        }
      }
    }
    std::vector<Move> moves;
    for (std::size_t i = a.size(), j = b.size(); i > 0 || j > 0;) {
      moves.push_back(table[i * width + j]);
      if (moves.back() != Move::second) --i;
      if (moves.back() != Move::first) --j;
    }
    std::reverse(moves.begin(), moves.end());
    return moves;
  }

  const normalize::Normalized& normalized_;
  std::span<const ClassProgram> programs_;
  std::vector<std::uint32_t> shapes_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> ids_;
  std::unordered_map<std::uint64_t, Score> scores_;  // of two loops, by their ids
};

std::vector<Aligned> result(Items items) {
  std::vector<Aligned> block;
  for (Item& item : items) block.push_back({std::move(item.parts), result(std::move(item.body))});
  return block;
}

/// Moves calls that stand in a statement with others of another peer or root to a near one of their own, which their
/// classes do not execute. Every class keeps its order: the two may meet anywhere between.
class Sorter {
 public:
  explicit Sorter(std::span<const ClassProgram> programs) : programs_(programs) {}

  void block(std::vector<Aligned>& block) const {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (block[i].body.empty())
        statement(block, i);
      else
        this->block(block[i].body);
    }
  }

 private:
  static constexpr std::size_t kNear =
      8;  // statements: more than the exchanges with the neighbours in two dimensions take

  fold::Symbol symbol(const ClassStatement& part) const { return programs_[part.program][part.node].symbol; }

  void statement(std::vector<Aligned>& block, std::size_t i) const {
    std::vector<fold::Symbol> symbols;  // by first part
    std::map<fold::Symbol, std::vector<ClassStatement>> calls_of;
    for (const ClassStatement& part : block[i].parts) {
      auto& calls = calls_of[symbol(part)];
      if (calls.empty()) symbols.push_back(symbol(part));
      calls.push_back(part);
    }
    for (std::size_t left = symbols.size(), s = 0; left > 1 && s < symbols.size(); ++s) {
      const auto own = [&](const ClassStatement& part) { return symbol(part) == symbols[s]; };
      const std::vector<ClassStatement>& calls = calls_of[symbols[s]];
      for (std::size_t j = i - std::min(i, kNear); j < std::min(block.size(), i + 1 + kNear); ++j) {
        if (j == i || !block[j].body.empty() || !std::ranges::all_of(block[j].parts, own)) continue;
        if (!meet(block, i, j, calls)) continue;
        std::erase_if(block[i].parts, own);
        --left;
        break;
      }
    }
  }

  static bool executes(const Aligned& statement, std::span<const ClassStatement> parts) {
    return std::ranges::any_of(parts, [&](const ClassStatement& part) {
      return std::ranges::count(statement.parts, part.program, &ClassStatement::program) > 0;
    });
  }

  /// Adds these calls of statement i to statement j, which may move towards i. False if their classes execute something
  /// in between that keeps them apart.
  static bool meet(std::vector<Aligned>& block, std::size_t i, std::size_t j,
                   const std::vector<ClassStatement>& calls) {
    if (executes(block[j], calls)) return false;
    const bool later = j > i;
    std::size_t at = later ? i + 1 : i - 1;  // where statement j comes to stand
    while (at != j && !executes(block[at], calls)) later ? ++at : --at;
    for (std::size_t k = at; k != j; later ? ++k : --k)
      if (executes(block[k], block[j].parts)) return false;
    const auto place = [&](std::size_t k) { return block.begin() + static_cast<std::ptrdiff_t>(k); };
    if (later)
      std::rotate(place(at), place(j), place(j + 1));
    else
      std::rotate(place(j), place(j + 1), place(at + 1));
    block[at].parts.insert(block[at].parts.end(), calls.begin(), calls.end());
    return true;
  }

  std::span<const ClassProgram> programs_;
};

}  // namespace

std::vector<Aligned> align(const normalize::Normalized& normalized, std::span<const ClassProgram> programs) {
  if (programs.empty()) return {};
  Aligner aligner(normalized, programs);
  std::vector<std::uint32_t> order(programs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return programs[x].size() > programs[y].size(); });
  const std::size_t longest = programs[order[0]].size();
  const std::size_t all_cells = std::accumulate(programs.begin(), programs.end(), std::size_t{0},
                                                [&](std::size_t s, const auto& p) { return s + longest * p.size(); });
  const auto whole = [&](std::uint32_t p) {
    return aligner.items(p, 0, static_cast<std::uint32_t>(programs[p].size()));
  };
  std::vector<Items> groups;
  std::map<std::vector<std::uint64_t>, std::size_t> group_of;
  for (const std::uint32_t p : order) {
    const bool cheap = all_cells <= kAllCells;
    const auto [entry, added] =
        group_of.emplace(cheap ? std::vector<std::uint64_t>{p} : aligner.form(p), groups.size());
    if (added) {
      groups.push_back(whole(p));
    } else {
      aligner.zip(groups[entry->second], whole(p));
    }
  }
  Items merged = std::move(groups[0]);
  for (std::size_t g = 1; g < groups.size(); ++g) merged = aligner.merge(std::move(merged), std::move(groups[g]));
  auto aligned = result(std::move(merged));
  Sorter(programs).block(aligned);
  return aligned;
}

}  // namespace skelgen::merge
