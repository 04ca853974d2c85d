#include "fold/joint.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "fold/uncounted.h"

namespace skelgen::fold {
namespace {

constexpr Symbol kEnd = ~Symbol{0};  // behind each text
// Numbers in lists that a statement is worth that stands twice: more than kStatement, since copies of a step tell the reader
// less than one step with lists of trips.
constexpr double kCopied = 4 * kStatement;
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

/// How often symbols stand in the texts, and beside each other. Symbols are numbered anew, those that are there only.
struct Counts {
  std::vector<Symbol> symbols;        // by number
  std::vector<std::uint32_t> number;  // by symbol
  std::vector<std::size_t> times;
  std::vector<std::size_t> pairs;  // [first * symbols + second]
  std::vector<std::size_t> run;    // shortest stretch of copies ..
  std::vector<bool> runs_differ;   // .. and whether there are longer ones
  std::size_t pair(std::size_t a, std::size_t b) const { return pairs[a * symbols.size() + b]; }
};

struct Step {
  enum class Kind { none, repeat, join, copy } kind = Kind::none;
  Symbol a = 0, b = 0;
  double gain = 0;
};

class Rewriting {
 public:
  explicit Rewriting(std::vector<Symbol> text, std::size_t symbols) : text_(std::move(text)), terminals_(symbols) {}

  /// So many steps, or until there is nothing left to do, or no work. Returns after how many there was least to say.
  std::size_t run(std::size_t most, std::uint64_t work) {
    double least = weight();
    std::size_t best = 0;
    while (steps_ < most) {
      const Counts counts = count();
      const std::uint64_t next = text_.size() + counts.pairs.size();
      stopped_ = next > work;
      if (stopped_) break;
      work -= next;
      if (!chains(counts)) {
        Step step = best_step(counts, kHighest);
        if (step.kind == Step::Kind::none) step = best_step(counts, kEnd);
        if (step.kind == Step::Kind::none) break;
        apply(step);
      }
      ++steps_;
      if (const double now = weight(); now <= least) least = now, best = steps_;
    }
    return best;
  }

  std::size_t steps() const { return steps_; }
  bool stopped() const { return stopped_; }
  std::span<const Symbol> text() const { return text_; }
  bool is_unit(Symbol s) const { return s >= terminals_; }
  const Unit& unit(Symbol s) const { return units_[s - terminals_]; }
  std::size_t terminals() const { return terminals_; }
  std::size_t units() const { return units_.size(); }

 private:
  std::size_t statements(Symbol s) const { return is_unit(s) ? unit(s).statements : 1; }
  std::size_t height(Symbol s) const { return is_unit(s) ? unit(s).height : 0; }

  Counts count() const {
    Counts counts;
    counts.number.assign(terminals_ + units_.size(), kEnd);
    for (const Symbol s : text_) {
      if (s == kEnd) continue;
      if (counts.number[s] == kEnd) {
        counts.number[s] = static_cast<std::uint32_t>(counts.symbols.size());
        counts.symbols.push_back(s);
        counts.times.push_back(0);
      }
      ++counts.times[counts.number[s]];
    }
    const std::size_t n = counts.symbols.size();
    counts.pairs.assign(n * n, 0);
    counts.run.assign(n, 0);
    counts.runs_differ.assign(n, false);
    for (std::size_t i = 0, begin = 0; i + 1 < text_.size(); ++i) {
      if (text_[i] == kEnd) {
        begin = i + 1;
        continue;
      }
      const std::size_t a = counts.number[text_[i]];
      if (text_[i + 1] != kEnd) ++counts.pairs[a * n + counts.number[text_[i + 1]]];
      if (text_[i + 1] == text_[i]) continue;
      const std::size_t length = i + 1 - begin;
      if (counts.run[a] == 0) counts.run[a] = length;
      counts.runs_differ[a] = counts.runs_differ[a] || counts.run[a] != length;
      begin = i + 1;
    }
    return counts;
  }

  /// Symbols that always stand together become one. False if there are none.
  bool chains(const Counts& counts) {
    const std::size_t n = counts.symbols.size();
    std::vector<std::size_t> after(n, n);
    std::vector<bool> has_before(n, false);
    bool any = false;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        if (a != b && counts.pair(a, b) > 1 && counts.pair(a, b) == counts.times[a] &&
            counts.times[a] == counts.times[b])
          after[a] = b, has_before[b] = any = true;
    if (!any) return false;
    std::vector<Symbol> replaced(n, kEnd);  // by the number of the first of a chain
    std::vector<std::size_t> length(n, 0);
    for (std::size_t a = 0; a < n; ++a) {
      if (has_before[a] || after[a] == n) continue;
      Unit unit;
      for (std::size_t s = a; s < n; s = after[s]) {
        unit.parts.push_back({counts.symbols[s], {}});
        unit.statements += statements(counts.symbols[s]);
        unit.height = std::max(unit.height, height(counts.symbols[s]));
      }
      length[a] = unit.parts.size();
      replaced[a] = add(std::move(unit));
    }
    std::size_t to = 0;
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t a = text_[i] == kEnd ? n : counts.number[text_[i]];
      const bool here = a < n && replaced[a] != kEnd;
      const Symbol s = here ? replaced[a] : text_[i];
      i += here ? length[a] : 1;
      text_[to++] = s;
    }
    text_.resize(to);
    return true;
  }

  /// What removes most symbols of the text for each number that it needs.
  Step best_step(const Counts& counts, std::size_t highest) const {
    Step best;
    const auto offer = [&](Step::Kind kind, std::size_t a, std::size_t b, double removed, double numbers) {
      if (const double gain = removed / (numbers + 1); gain > best.gain)
        best = {kind, counts.symbols[a], counts.symbols[b], gain};
    };
    const std::size_t n = counts.symbols.size();
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) {
        const auto both = static_cast<double>(counts.pair(a, b));
        if (both == 0) continue;
        const auto as = static_cast<double>(counts.times[a]), bs = static_cast<double>(counts.times[b]);
        if (a == b) {
          if (height(counts.symbols[a]) < highest)
            offer(Step::Kind::repeat, a, a, both, counts.runs_differ[a] ? as - both : 0);
          continue;
        }
        const double places = as + bs - both;
        const double lists = (both < as) + (both < bs);
        offer(Step::Kind::join, a, b, both, (lists > 1 ? kBothMissing : 1) * lists * places);
        const auto again = static_cast<double>((both < as) * statements(counts.symbols[a]) +
                                               (both < bs) * statements(counts.symbols[b]));
        offer(Step::Kind::copy, a, b, both, kCopied * again);
      }
    return best;
  }

  /// Numbers that say the text and all lists.
  double weight() const {
    double sum = 0;
    for (const Symbol s : text_)
      if (s != kEnd) sum += kCopied * static_cast<double>(statements(s));
    return sum + numbers_;
  }

  Symbol add(Unit unit) {
    for (const Part& part : unit.parts) {
      numbers_ += static_cast<double>(part.trips.size());
      if (is_unit(part.symbol)) units_[part.symbol - terminals_].placed = true;
    }
    units_.push_back(std::move(unit));
    return static_cast<Symbol>(terminals_ + units_.size() - 1);
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
    for (Part& part : units_[a - terminals_].parts) {
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
    const Symbol whole = static_cast<Symbol>(terminals_ + units_.size());
    const Symbol a = step.a, b = step.b;
    std::vector<std::uint64_t> first, second;
    std::size_t to = 0;
    for (std::size_t i = 0; i < text_.size();) {
      const Symbol s = text_[i];
      const bool both = s == a && i + 1 < text_.size() && text_[i + 1] == b;
      if (step.kind == Step::Kind::repeat && s == a) {
        std::size_t end = i;
        while (text_[end] == a) ++end;
        first.push_back(end - i);
        i = end;
      } else if (step.kind == Step::Kind::copy && both) {
        i += 2;
      } else if (step.kind == Step::Kind::join && (s == a || s == b)) {
        first.push_back(s == a);
        second.push_back(s == b || both);
        i += both ? 2 : 1;
      } else {
        text_[to++] = s;
        ++i;
        continue;
      }
      text_[to++] = whole;
    }
    text_.resize(to);
    Unit unit;
    if (step.kind == Step::Kind::repeat) {
      unit = {{{a, std::move(first)}}, statements(a), height(a) + 1};
    } else {
      put(a, std::move(first), unit);
      put(b, std::move(second), unit);
    }
    add(std::move(unit));
  }

  std::vector<Symbol> text_;
  std::size_t terminals_;
  std::vector<Unit> units_;
  double numbers_ = 0;  // in lists
  std::size_t steps_ = 0;
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

Joint fold_jointly(std::span<const std::vector<Symbol>> texts, std::uint64_t most_work) {
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
  Rewriting rewriting(all, symbols.size());
  const std::size_t best = rewriting.run(kMostSteps, most_work);
  const bool stopped = rewriting.stopped();
  if (best < rewriting.steps()) {
    rewriting = Rewriting(std::move(all), symbols.size());
    rewriting.run(best, most_work);
  }
  std::vector<Program> programs;
  Unfolding unfolding(rewriting, symbols);
  auto rest = rewriting.text();
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const auto size = static_cast<std::size_t>(std::ranges::find(rest, kEnd) - rest.begin());
    programs.push_back(unfolding.program(rest.first(size)));
    rest = rest.subspan(size + 1);
  }
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const std::span text(texts[t]);
    Program begin = fold(text.first(middles[t].first), Mode::best),
            end = fold(text.subspan(middles[t].second), Mode::best);
    Program& program = programs[t] = unfolding.settled(std::move(programs[t]));
    program.insert(program.begin(), std::move_iterator(begin.begin()), std::move_iterator(begin.end()));
    program.insert(program.end(), std::move_iterator(end.begin()), std::move_iterator(end.end()));
  }
  return {std::move(programs), stopped};
}

}  // namespace skelgen::fold
