#include "fold/joint.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "fold/uncounted.h"

namespace skelgen::fold {
namespace {

constexpr Symbol kEnd = ~Symbol{0};  // behind each text
// Numbers in lists that a statement is worth that stands twice: more than kStatement, since copies of a step tell the reader
// less than one step with lists of trips.
constexpr double kCopied = 4 * kStatement;
// Where that leaves more statements of a text than a reader or a compiler takes, they are worth more: the order of calls is
// then in the lists alone.
constexpr double kManyCopied = 64 * kCopied;
constexpr std::size_t kMostDifferent = 512, kMostSymbols = std::size_t{1} << 24, kMostSteps = 4096;
constexpr double kBothMissing = 1.5;  // weight of lists that say which of two symbols is there
constexpr std::size_t kEnds = 64;     // symbols
constexpr std::size_t kHighest = 8;   // of a unit, unless nothing else is left

/// Something some times in a row; once each time if there is no list.
struct Part {
  Symbol symbol;
  std::vector<std::uint64_t> trips;  // at each place where the unit stands, in order
};

/// What a symbol that was not in the texts stands for.
struct Unit {
  std::vector<Part> parts;
  std::size_t statements = 0;
  std::size_t height = 0;  // loops in each other
  bool placed = false;     // in another unit
};

struct Step {
  enum class Kind { none, repeat, join, copy } kind = Kind::none;
  Symbol a = 0, b = 0;
  double gain = 0;
};

/// The texts, rewritten step by step. A step costs what it changes, and a look at the pairs of symbols that stand beside
/// each other: how often they do is known all the time.
class Rewriting {
 public:
  /// copied: numbers that a statement is worth that stands twice.
  Rewriting(std::vector<Symbol> text, std::size_t symbols, double copied)
      : text_(std::move(text)), terminals_(symbols), copied_(copied) {
    const std::size_t n = text_.size();
    before_.resize(n);
    behind_.resize(n);
    of_.resize(symbols);
    for (std::size_t i = 0; i < n; ++i) {
      before_[i] = i == 0 ? kNowhere : static_cast<Place>(i - 1);
      behind_[i] = i + 1 == n ? kNowhere : static_cast<Place>(i + 1);
      if (text_[i] == kEnd) continue;
      of_[text_[i]].places.push_back(static_cast<Place>(i));
      ++of_[text_[i]].times;
      if (i > 0) count(text_[i - 1], text_[i], 1);
    }
    for (Symbol s = 0; s < symbols; ++s)
      if (of_[s].times > 0) there_.push_back(s);
  }

  /// So many steps, or until there is nothing left to do, or no work. Returns after how many there was least to say.
  std::size_t run(std::size_t most, std::uint64_t work) {
    double least = weight();
    std::size_t best = 0;
    work_ = text_.size();
    while (steps_ < most) {
      stopped_ = work_ > work;
      if (stopped_) break;
      number();
      if (!chains()) {
        Step step = best_step(kHighest);
        if (step.kind == Step::Kind::none) step = best_step(kEnd);
        if (step.kind == Step::Kind::none) break;
        apply(step);
      }
      ++steps_;
      if (const double now = weight(); now <= least) least = now, best = steps_;
    }
    return best;
  }

  std::size_t steps() const { return steps_; }
  /// Of the text.
  std::size_t statements() const {
    std::size_t sum = 0;
    for (const Symbol s : there_) sum += statements(s) * of_[s].times;
    return sum;
  }
  bool stopped() const { return stopped_; }
  std::vector<Symbol> text() const {
    std::vector<Symbol> text;
    for (Place p = text_.empty() ? kNowhere : 0; p != kNowhere; p = behind_[p]) text.push_back(text_[p]);
    return text;
  }
  bool is_unit(Symbol s) const { return s >= terminals_; }
  const Unit& unit(Symbol s) const { return units_[s - terminals_]; }
  std::size_t terminals() const { return terminals_; }
  std::size_t units() const { return units_.size(); }

 private:
  using Place = std::uint32_t;  // in text_
  static constexpr Place kNowhere = ~Place{0};
  static constexpr Symbol kGone = kEnd - 1;

  struct Neighbour {
    Symbol symbol;
    std::uint32_t times;
  };
  struct OfSymbol {
    std::vector<Place> places;          // ascending; some may hold other symbols by now
    std::size_t first = 0;              // of `places` that does not
    std::size_t times = 0;              // in the text
    std::vector<Neighbour> behind;      // by symbol; may be 0 times
    std::size_t number = 0;             // in the order of first places
    std::optional<bool> runs_differ{};  // some of its stretches of copies are longer than others
  };

  std::size_t statements(Symbol s) const { return is_unit(s) ? unit(s).statements : 1; }
  std::size_t height(Symbol s) const { return is_unit(s) ? unit(s).height : 0; }

  /// b stands `more` times more behind a.
  void count(Symbol a, Symbol b, int more) {
    if (a >= kGone || b >= kGone) return;
    auto& behind = of_[a].behind;
    auto found = std::ranges::lower_bound(behind, b, {}, &Neighbour::symbol);
    if (found == behind.end() || found->symbol != b) found = behind.insert(found, {b, 0});
    found->times += static_cast<std::uint32_t>(more);
  }

  Symbol at(Place p) const { return p == kNowhere ? kEnd : text_[p]; }

  /// `length` symbols from p on become one.
  void replace(Place p, std::size_t length, Symbol by) {
    const Symbol left = at(before_[p]);
    count(left, text_[p], -1);
    Place end = p;
    for (std::size_t i = 0; i < length; ++i) {
      count(text_[end], at(behind_[end]), -1);
      --of_[text_[end]].times;
      text_[end] = kGone;
      end = behind_[end];
    }
    text_[p] = by;
    behind_[p] = end;
    if (end != kNowhere) before_[end] = p;
    count(left, by, 1);
    count(by, at(end), 1);
    of_[by].places.push_back(p);
    ++of_[by].times;
    work_ += length;
  }

  /// Forgets places that hold other symbols by now.
  std::vector<Place>& places(Symbol s) {
    auto& own = of_[s];
    work_ += own.places.size();
    std::erase_if(own.places, [&](Place p) { return text_[p] != s; });
    own.first = 0;
    return own.places;
  }

  Place first_place(Symbol s) {
    auto& own = of_[s];
    while (text_[own.places[own.first]] != s) ++own.first;
    return own.places[own.first];
  }

  /// Symbols that are there are numbered by their first places.
  void number() {
    std::erase_if(there_, [&](Symbol s) { return of_[s].times == 0; });
    std::ranges::sort(there_, {}, [&](Symbol s) { return first_place(s); });
    for (std::size_t n = 0; n < there_.size(); ++n) of_[there_[n]].number = n;
    work_ += there_.size();
  }

  bool runs_differ(Symbol s) {
    auto& known = of_[s].runs_differ;
    if (known) return *known;
    known = false;
    std::size_t run = 0, first_run = 0;
    Place next = kNowhere;
    const auto end_of_run = [&] {
      if (first_run == 0) first_run = run;
      known = *known || run != first_run;
      run = 0;
    };
    for (const Place p : places(s)) {
      if (run > 0 && p != next) end_of_run();
      ++run;
      next = behind_[p];
    }
    end_of_run();
    return *known;
  }

  /// Symbols that always stand together become one. False if there are none.
  bool chains() {
    const std::size_t n = there_.size();
    std::vector<std::size_t> after(n, n);
    std::vector<bool> has_before(n, false);
    bool any = false;
    for (std::size_t a = 0; a < n; ++a) {
      const OfSymbol& own = of_[there_[a]];
      const Symbol b = at(behind_[first_place(there_[a])]);
      if (b >= kGone || b == there_[a] || own.times < 2 || of_[b].times != own.times) continue;
      const auto pair = std::ranges::lower_bound(own.behind, b, {}, &Neighbour::symbol);
      if (pair->times == own.times) after[a] = of_[b].number, has_before[after[a]] = any = true;
    }
    if (!any) return false;
    const std::vector<Symbol> there = there_;
    for (std::size_t a = 0; a < n; ++a) {
      if (has_before[a] || after[a] == n) continue;
      Unit unit;
      for (std::size_t s = a; s < n; s = after[s]) {
        unit.parts.push_back({there[s], {}});
        unit.statements += statements(there[s]);
        unit.height = std::max(unit.height, height(there[s]));
      }
      const std::size_t length = unit.parts.size();
      const Symbol whole = add(std::move(unit));
      for (const Place p : places(there[a])) replace(p, length, whole);
    }
    return true;
  }

  /// The step that removes most symbols from the text for each number that it adds to lists. Of steps that are equally good, the one whose
  /// symbols a, b come first in the text.
  Step best_step(std::size_t highest) {
    Step best;
    const auto offer = [&](Step::Kind kind, Symbol a, Symbol b, double removed, double numbers) {
      const double gain = removed / (numbers + 1);
      const auto order = [&](Symbol x, Symbol y) { return std::pair(of_[x].number, of_[y].number); };
      if (gain > best.gain ||
          (gain == best.gain && best.kind != Step::Kind::none && order(a, b) < order(best.a, best.b)))
        best = {kind, a, b, gain};
    };
    for (const Symbol a : there_) {
      auto& behind = of_[a].behind;
      work_ += behind.size();
      std::erase_if(behind, [](const Neighbour& b) { return b.times == 0; });
      for (std::size_t i = 0; i < behind.size(); ++i) {
        const Symbol b = behind[i].symbol;
        const auto both = static_cast<double>(behind[i].times);
        const auto as = static_cast<double>(of_[a].times), bs = static_cast<double>(of_[b].times);
        if (a == b) {
          if (height(a) < highest) offer(Step::Kind::repeat, a, a, both, runs_differ(a) ? as - both : 0);
          continue;
        }
        const double places = as + bs - both;
        const double lists = (both < as) + (both < bs);
        offer(Step::Kind::join, a, b, both, (lists > 1 ? kBothMissing : 1) * lists * places);
        const auto again = static_cast<double>((both < as) * statements(a) + (both < bs) * statements(b));
        offer(Step::Kind::copy, a, b, both, copied_ * again);
      }
    }
    return best;
  }

  /// Numbers that say the text and all lists.
  double weight() const { return copied_ * static_cast<double>(statements()) + numbers_; }

  Symbol add(Unit unit) {
    const auto symbol = static_cast<Symbol>(terminals_ + units_.size());
    units_.emplace_back();
    of_.emplace_back();
    there_.push_back(symbol);
    set(symbol, std::move(unit));
    return symbol;
  }

  void set(Symbol symbol, Unit unit) {
    for (const Part& part : unit.parts) {
      numbers_ += static_cast<double>(part.trips.size());
      if (is_unit(part.symbol)) units_[part.symbol - terminals_].placed = true;
    }
    units_[symbol - terminals_] = std::move(unit);
  }

  /// The parts that a becomes where it stands in another unit with these trips, 0 or 1.
  void put(Symbol a, std::vector<std::uint64_t> trips, Unit& into) {
    into.statements += statements(a);
    if (std::ranges::all_of(trips, [](auto t) { return t == 1; })) {
      into.parts.push_back({a, {}});
      into.height = std::max(into.height, height(a));
      return;
    }
    // A loop alone takes these trips over; so does everything in a unit that is high already.
    const bool loop = is_unit(a) && unit(a).parts.size() == 1 && !unit(a).parts[0].trips.empty();
    if (!is_unit(a) || unit(a).placed || !(loop || height(a) >= kHighest)) {
      into.parts.push_back({a, std::move(trips)});
      into.height = std::max(into.height, height(a) + 1);
      return;
    }
    for (const Part& part : std::exchange(units_[a - terminals_].parts, {})) {
      numbers_ -= static_cast<double>(part.trips.size());
      auto next = part.trips.begin();
      std::vector<std::uint64_t> own = trips;
      if (!part.trips.empty())
        for (auto& t : own)
          if (t) t = *next++;
      into.height = std::max(into.height, height(part.symbol) + 1);
      into.parts.push_back({part.symbol, std::move(own)});
    }
  }

  void apply(const Step& step) {
    const Symbol a = step.a, b = step.b, whole = add({});
    std::vector<std::uint64_t> first, second;
    std::vector<Place> where = places(a);
    if (step.kind == Step::Kind::join) {
      const auto middle = static_cast<std::ptrdiff_t>(where.size());
      const auto& others = places(b);
      where.insert(where.end(), others.begin(), others.end());
      std::inplace_merge(where.begin(), where.begin() + middle, where.end());
    }
    for (const Place p : where) {
      if (text_[p] == kGone) continue;
      const bool both = text_[p] == a && at(behind_[p]) == b;
      std::size_t length = 1 + both;
      if (step.kind == Step::Kind::repeat) {
        length = 1;
        for (Place end = behind_[p]; at(end) == a; end = behind_[end]) ++length;
        first.push_back(length);
      } else if (step.kind == Step::Kind::join) {
        first.push_back(text_[p] == a);
        second.push_back(text_[p] == b || both);
      } else if (!both) {
        continue;
      }
      replace(p, length, whole);
    }
    of_[a].runs_differ.reset();
    of_[b].runs_differ.reset();
    Unit unit;
    if (step.kind == Step::Kind::repeat) {
      unit = {{{a, std::move(first)}}, statements(a), height(a) + 1};
    } else {
      put(a, std::move(first), unit);
      put(b, std::move(second), unit);
    }
    set(whole, std::move(unit));
  }

  std::vector<Symbol> text_;            // what was removed is kGone
  std::vector<Place> before_, behind_;  // of what was not
  std::vector<OfSymbol> of_;            // by symbol
  std::vector<Symbol> there_;           // in the text
  std::size_t terminals_;
  double copied_;
  std::vector<Unit> units_;
  double numbers_ = 0;  // in lists
  std::size_t steps_ = 0;
  std::uint64_t work_ = 0;  // symbols and pairs of symbols that were looked at
  bool stopped_ = false;
};

/// Puts loops in the place of units, in the order in which texts are executed.
class Unfolding {
 public:
  Unfolding(const Rewriting& rewriting, std::span<const Symbol> symbols) : rewriting_(rewriting), symbols_(symbols) {
    next_.resize(rewriting.units());
    for (std::size_t u = 0; u < next_.size(); ++u)
      next_[u].assign(rewriting.unit(static_cast<Symbol>(rewriting.terminals() + u)).parts.size(), 0);
  }

  /// Of the next text. Its lists are not settled.
  Program program(std::span<const Symbol> text) {
    Program result = with_loops(fold(text, Mode::best));
    execute(result);
    return result;
  }

  /// Of a text from above, when all are known: loops that are entered once each time in all texts are none, others stay
  /// loops in all texts that enter them, so that the texts have the same ones.
  Program settled(Program program) const {
    Program result;
    for (Node& node : program) {
      if (is_uncounted(node)) {
        const Place& place = places_[node.trips];
        const std::uint64_t most = node.each.empty() ? 0 : *std::ranges::max_element(node.each);
        if (most == 0) continue;
        Program body = settled(std::move(node.body).take());
        if (place.least == 1 && place.most == 1) {
          append(result, std::move(body));
          continue;
        }
        if (!place.varies) node.each.clear();
        result.push_back({0, most, std::move(body), std::move(node.each)});
      } else {
        if (node.is_loop()) node.body = settled(std::move(node.body).take());
        result.push_back(std::move(node));
      }
    }
    return result;
  }

 private:
  /// Where a part stands in what a symbol of the rewritten texts becomes, and the trips there in all texts.
  struct Place {
    Symbol unit;
    std::size_t part;
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    bool varies = false;  // within a text
  };

  Program with_loops(const Program& program) {
    Program result;
    for (const Node& node : program) {
      if (node.is_loop()) {
        result.push_back({0, node.trips, with_loops(node.body), {}});
        continue;
      }
      const auto [known, fresh] = forms_.try_emplace(node.symbol);
      if (fresh) known->second = form_of(node.symbol);
      append(result, known->second);
    }
    return result;
  }

  /// A loop with a list has the number of its place as trips until it is settled.
  Program form_of(Symbol symbol) {
    if (!rewriting_.is_unit(symbol)) return {{symbols_[symbol], 1, {}, {}}};
    Program form;
    const Unit& unit = rewriting_.unit(symbol);
    for (std::size_t p = 0; p < unit.parts.size(); ++p) {
      Program body = form_of(unit.parts[p].symbol);
      if (unit.parts[p].trips.empty()) {
        append(form, std::move(body));
      } else {
        form.push_back({kUncounted, places_.size(), std::move(body), {}});
        places_.push_back({symbol, p});
      }
    }
    return form;
  }

  void execute(std::span<Node> program) {
    for (Node& node : program) {
      if (!node.is_loop()) continue;
      std::uint64_t trips = node.trips;
      if (is_uncounted(node)) {
        Place& place = places_[node.trips];
        trips = rewriting_.unit(place.unit)
                    .parts[place.part]
                    .trips[next_[place.unit - rewriting_.terminals()][place.part]++];
        place.varies = place.varies || (!node.each.empty() && trips != node.each[0]);
        place.least = std::min(place.least, trips);
        place.most = std::max(place.most, trips);
        node.each.push_back(trips);
      }
      for (std::uint64_t t = 0; t < trips; ++t) execute({node.body.begin(), node.body.end()});
    }
  }

  static void append(Program& program, Program more) {
    program.insert(program.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }

  const Rewriting& rewriting_;
  std::span<const Symbol> symbols_;
  std::vector<std::vector<std::size_t>> next_;  // trips of each unit's parts that are executed next
  std::vector<Place> places_;
  std::unordered_map<Symbol, Program> forms_;
};

/// A text without its ends: what stands in it once only, within kEnds symbols of an end, and all before or behind that.
std::pair<std::size_t, std::size_t> middle(std::span<const Symbol> text) {
  std::unordered_map<Symbol, std::size_t> times;
  for (const Symbol s : text) ++times[s];
  const auto once = [&](Symbol s) { return times.at(s) == 1; };
  const std::size_t near = std::min(kEnds, text.size() / 4);
  const auto first = text.first(near), last = text.last(near);
  const auto begin = std::ranges::find_if(first.rbegin(), first.rend(), once).base() - first.begin();
  const auto end = static_cast<std::ptrdiff_t>(text.size() - near) + (std::ranges::find_if(last, once) - last.begin());
  return {begin, std::max(begin, end)};
}

}  // namespace

Joint fold_jointly(std::span<const std::vector<Symbol>> texts, std::uint64_t most_work, std::size_t many_statements) {
  std::unordered_map<Symbol, Symbol> numbers;
  std::vector<Symbol> symbols, all;
  std::vector<std::pair<std::size_t, std::size_t>> middles;
  std::size_t together = 0;
  for (const auto& text : texts) together += text.size();
  if (together > kMostSymbols) return {};
  for (const std::span<const Symbol> text : texts) {
    const auto [begin, end] = middles.emplace_back(middle(text));
    for (const Symbol s : text.subspan(begin, end - begin)) {
      const auto [known, fresh] = numbers.try_emplace(s, static_cast<Symbol>(symbols.size()));
      if (fresh) symbols.push_back(s);
      if (symbols.size() > kMostDifferent) return {};
      all.push_back(known->second);
    }
    all.push_back(kEnd);
  }
  bool stopped = false;
  const auto rewritten = [&](double copied) {
    Rewriting rewriting(all, symbols.size(), copied);
    const std::size_t best = rewriting.run(kMostSteps, most_work);
    stopped = rewriting.stopped();
    if (best == rewriting.steps()) return rewriting;
    Rewriting again(all, symbols.size(), copied);
    again.run(best, most_work);
    return again;
  };
  Rewriting rewriting = rewritten(kCopied);
  if (rewriting.statements() > many_statements * texts.size()) rewriting = rewritten(kManyCopied);
  std::vector<Program> programs;
  Unfolding unfolding(rewriting, symbols);
  const std::vector<Symbol> text = rewriting.text();
  std::span<const Symbol> rest(text);
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const auto size = static_cast<std::size_t>(std::ranges::find(rest, kEnd) - rest.begin());
    programs.push_back(unfolding.program(rest.first(size)));
    rest = rest.subspan(size + 1);
  }
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const std::span all_of_it(texts[t]);
    Program begin = fold(all_of_it.first(middles[t].first), Mode::best),
            end = fold(all_of_it.subspan(middles[t].second), Mode::best);
    Program& program = programs[t] = unfolding.settled(std::move(programs[t]));
    program.insert(program.begin(), std::move_iterator(begin.begin()), std::move_iterator(begin.end()));
    program.insert(program.end(), std::move_iterator(end.begin()), std::move_iterator(end.end()));
  }
  return {std::move(programs), stopped};
}

}  // namespace skelgen::fold
