#include "generalize/generalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "generalize/growth.h"
#include "generalize/instance.h"
#include "generalize/shapes.h"
#include "mpi/values.h"
#include "skeleton/groups.h"
#include "support/error.h"
#include "support/format.h"
#include "text/words.h"

namespace skelgen::generalize {
namespace {

using mpi::Role;
using skeleton::Argument;
using skeleton::Block;
using skeleton::Call;
using skeleton::Communicator;
using skeleton::Compute;
using skeleton::Node;
using skeleton::RankRule;
using skeleton::Sequence;
using skeleton::Skeleton;
using Values = std::vector<std::int64_t>;

constexpr std::size_t kMostElements = 64;   ///< of a list that has a rule for each element
constexpr std::size_t kMostListRows = 160;  ///< places at which a rule over elements is sought; all are checked
constexpr std::uint64_t kMostTrips = 4096;  ///< of a loop, whose values are lists over its trips
constexpr std::size_t kMostTexts = 4;       ///< values that are words, for different ranks
constexpr std::uint32_t kAllRanks = 40;     ///< of a number that was not traced: rules are compared on all of them
constexpr double kDefinition = 3;           ///< what a definition adds to the description
constexpr double kGuessedSpace =
    1;  ///< added for each dimension or coordinate of a guessed space: planes are more common
constexpr double kMattersShare = 0.01;  ///< of all computation

/// One value of one place: location, and which element of a list.
struct At {
  std::uint32_t l;
  std::int64_t value;
};

/// A number of ranks that was not traced, to see where rules differ.
std::vector<std::uint32_t> probes_of(std::span<const std::uint32_t> ranks) {
  const Family family = family_of({ranks.begin(), ranks.end()});
  const std::uint32_t most = ranks.back();
  std::vector<std::uint32_t> probes;
  if (family == Family::any) return {most + ranks.front(), 2 * most, 3 * most};
  for (std::uint32_t n = most + 1; probes.size() < 3 && n < (std::uint32_t{1} << 24); ++n)
    if (belongs(n, family)) probes.push_back(n);
  return probes;
}

/// Ranks of a probe at which rules are compared.
std::set<std::uint32_t> some_of(std::uint32_t ranks, bool all) {
  std::set<std::uint32_t> some{0, 1, 2, 3, ranks / 2, ranks - 1};
  for (std::uint32_t r = 0; all && r < ranks; ++r) some.insert(r);
  for (std::uint32_t i = 1; i < 8; ++i) some.insert(i * ranks / 8 + (i * 5) % 3);
  std::erase_if(some, [&](std::uint32_t r) { return r >= ranks; });
  return some;
}

class Generalizer {
 public:
  Generalizer(const Skeleton& united, std::span<const std::uint32_t> ranks, Grid grid, Trips trips, Counts counts,
              Known& known)
      : united_(united),
        ranks_(ranks),
        literal_(united.arrays, united.names),
        grid_(grid),
        trips_(trips),
        counts_(counts),
        basis_(known.basis),
        lists_(known.lists),
        reached_(known.reached),
        guessed_(known.guessed),
        of_all_(known.of_all) {
    reached_ = 0;
    for (std::uint32_t run = 0; run < ranks.size(); ++run)
      for (std::uint32_t r = 0; r < ranks[run]; ++r) places_.push_back({run, r});
  }

  Generalized run() {
    refuse_what_has_no_rules();
    base_.names = {"p", "r", "k"};
    for (const auto& [run, r] : places_) base_.run.push_back(run), base_.variables.push_back(start(ranks_[run], r));
    for (const std::uint32_t p : probes_of(ranks_))
      for (const std::uint32_t r : some_of(p, p <= kAllRanks)) {
        base_.run.push_back(Rows::kNotTraced);
        base_.variables.push_back(start(p, r));
      }
    define_grid();
    if (!basis_) basis_.emplace(base_);
    measure();
    std::string shared = communicators();
    const std::string machine = machines();
    std::vector<std::uint32_t> all(places_.size());
    std::iota(all.begin(), all.end(), 0u);
    program_ = "program {\n";
    block(united_.program, all, std::vector<std::uint64_t>(all.size(), 1), 1);
    program_ += "}\n";
    const std::string buffers = this->buffers();
    result_.growth_error = std::sqrt(error_ / std::max(1e-300, weight_));
    result_.imbalance = imbalance_ / std::max(1e-300, weight_);
    result_.text = "skeleton 1";
    if (!united_.mpi_name.empty()) result_.text += " " + mpi::quoted(united_.mpi_name);
    if (united_.cpu_time) result_.text += " cpu";
    if (result_.tolerance > 0) result_.text += fmt::format(" tolerance {}", result_.tolerance);
    result_.text += fmt::format("\nranks any from ({})\n", fmt::join(ranks_, ", "));
    result_.text +=
        fmt::format("computation_error {:.4g}\n", std::clamp(result_.computation_error(), 1e-4, kMostError));
    for (const auto& [name, note] : united_.notes)
      result_.text += fmt::format("note {} {}\n", mpi::quoted(name), mpi::quoted(note));
    std::string needs;
    for (const std::string& condition : result_.needs) needs += fmt::format("needs {}\n", condition);
    result_.text += definitions(needs + shared + buffers + program_) + needs + machine + buffers + shared + files() +
                    names() + program_;
    return std::move(result_);
  }

 private:
  struct Place {
    std::uint32_t run, r;
  };

  static Values start(std::uint32_t p, std::uint32_t r) {
    return {static_cast<std::int64_t>(p), static_cast<std::int64_t>(r), kUndefined};
  }

  /// No rule was found.
  [[noreturn]] static void refuse(const std::string& what, const std::string& remedy = {}) {
    throw Error(Code::mismatch, what, remedy);
  }
  /// The program has something that is not generalised, whatever the traces say of it.
  [[noreturn]] static void refuse_unsupported(const std::string& what) { throw Error(Code::unsupported, what); }

  void refuse_what_has_no_rules() const {
    if (!united_.pools.empty())
      refuse_unsupported(
          "messages are handed out to whoever is free: who gets how many depends on time, not on the number of ranks");
    if (skeleton::has_threads(united_) && united_.locations.size() != places_.size())
      refuse_unsupported("several threads of a rank call MPI");
  }

  // --- the grid

  void define(const std::string& name, Expression rule) {
    definitions_.emplace_back(name, text(rule, base_.names));
    for (Values& variables : base_.variables) variables.push_back(rule.at(variables));
    base_.names.push_back(name);
  }

  bool is_guessed_space() const { return grid_.kind == Grid::Kind::space || grid_.kind == Grid::Kind::space_last; }

  /// Dimensions, then coordinates: the last one is that of the next rank.
  void define_grid() {
    using enum Operation;
    if (grid_.kind == Grid::Kind::none) return;
    std::vector<Expression> sizes;
    const Expression p = named(0), r = named(1);
    if (grid_.kind != Grid::Kind::found) base_.guessed = static_cast<std::uint32_t>(base_.names.size());
    if (grid_.kind == Grid::Kind::found) {
      sizes = found_sizes();
    } else {
      const bool last = grid_.kind == Grid::Kind::plane_last || grid_.kind == Grid::Kind::space_last;
      const std::int64_t d = is_guessed_space() ? 3 : 2;
      for (std::int64_t i = 0; i < d; ++i) sizes.push_back(operation(dims, p, number(d), number(last ? d - 1 - i : i)));
    }
    static constexpr const char* kSizes[] = {"px", "py", "pz"};
    static constexpr const char* kCoordinates[] = {"cx", "cy", "cz"};
    std::vector<Expression> by_name;
    std::vector<std::string> texts;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      texts.push_back(text(sizes[d], base_.names));
      by_name.push_back(named(static_cast<std::uint32_t>(base_.names.size())));
      define(kSizes[d], sizes[d]);
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      std::optional<Expression> stride;
      for (std::size_t after = d + 1; after < sizes.size(); ++after)
        stride = stride ? operation(multiply, std::move(*stride), by_name[after]) : by_name[after];
      Expression coordinate = stride ? operation(floor_divide, r, std::move(*stride)) : r;
      if (d > 0) coordinate = operation(modulo, std::move(coordinate), by_name[d]);
      define(kCoordinates[d], std::move(coordinate));
    }
    define_ratio(by_name);
    result_.grid = fmt::format("{} = {}", fmt::join(kSizes, kSizes + sizes.size(), " x "), fmt::join(texts, " x "));
  }

  /// How much longer one side of a plane is, where it is at some numbers of ranks: 1 or 2 of most grids.
  void define_ratio(const std::vector<Expression>& sizes) {
    if (sizes.size() != 2) return;
    for (const std::size_t longer : {0u, 1u}) {
      const Expression ratio = operation(Operation::divide, sizes[longer], sizes[1 - longer]);
      std::set<std::int64_t> values;
      for (const Values& variables : base_.variables) values.insert(ratio.at(variables));
      if (values.contains(kUndefined) || values == std::set<std::int64_t>{1}) continue;
      define("wide", ratio);
      base_.ratio = base_.names.back();
      return;
    }
  }

  /// Those of the Cartesian communicator of all ranks.
  std::vector<Expression> found_sizes() {
    Rows by_run{base_.names, {}, {}};
    std::set<std::int64_t> seen;
    std::vector<std::uint32_t> row_of(ranks_.size());
    for (std::size_t i = 0; i < base_.run.size(); ++i) {
      if (base_.variables[i][1] != 0) continue;
      if (base_.run[i] != Rows::kNotTraced) row_of[base_.run[i]] = static_cast<std::uint32_t>(by_run.run.size());
      by_run.variables.push_back(base_.variables[i]);
      by_run.run.push_back(base_.run[i]);
    }
    const auto* const first = cartesian(united_, ranks_, 0);
    std::vector<Expression> sizes;
    for (std::size_t d = 0; d < first->dimensions.size(); ++d) {
      std::vector<Sample> samples;
      for (std::uint32_t run = 0; run < ranks_.size(); ++run)
        samples.push_back({row_of[run], cartesian(united_, ranks_, run)->dimensions[d].size});
      const auto n = static_cast<std::int64_t>(first->dimensions.size());
      const auto size = [&](const Expression& e) {
        return std::ranges::all_of(samples, [&](const Sample& s) { return e.at(by_run.variables[s.row]) == s.value; });
      };
      const Expression balanced = operation(Operation::dims, named(0), number(n), number(static_cast<std::int64_t>(d)));
      if (n > 1 && size(balanced)) {
        sizes.push_back(balanced);
        continue;
      }
      const Basis basis(by_run);
      const auto rule = basis.find(samples);
      if (!rule)
        refuse(fmt::format("the sizes of dimension {} of the grid follow no rule: {}", d, list(samples, by_run)));
      if (rule->needs) need(*rule->needs, by_run);
      sizes.push_back(rule->expression);
    }
    return sizes;
  }

  std::string list(std::span<const Sample> samples, const Rows& rows) const {
    std::vector<std::string> items;
    for (const Sample& s : samples) items.push_back(fmt::format("{} at {} ranks", s.value, rows.variables[s.row][0]));
    return fmt::format("{}", fmt::join(items, ", "));
  }

 public:
  /// The grid of the first Cartesian communicator of all ranks of a run; nullptr: it has none.
  static const mpi::Grid* cartesian(const Skeleton& united, std::span<const std::uint32_t> ranks, std::uint32_t run) {
    const std::size_t first = std::accumulate(ranks.begin(), ranks.begin() + run, std::size_t{0});
    for (const Communicator& comm : united.locations[first].communicators)
      if (comm.grid && comm.size == static_cast<int>(ranks[run])) return &*comm.grid;
    return nullptr;
  }

 private:
  // --- rules

  /// "rank 3 of 8"
  std::string place(std::uint32_t l) const {
    return fmt::format("rank {} of {}", places_[l].r, ranks_[places_[l].run]);
  }

  /// A few of the values, of different runs.
  std::string examples(std::span<const At> values) const {
    std::vector<std::string> items;
    std::set<std::pair<std::uint32_t, std::int64_t>> seen;
    for (const At& one : values) {
      if (items.size() == 6) break;
      if (!seen.emplace(places_[one.l].run, one.value).second) continue;
      items.push_back(fmt::format("{} on {}", one.value, place(one.l)));
    }
    return fmt::format("{}", fmt::join(items, ", "));
  }

  /// Counts the rule, and says what the traces leave open.
  std::string use(const Rule& rule, const Rows& rows, const std::string& what) {
    const std::string text = generalize::text(rule.expression, rows.names);
    result_.cost += rule.cost;
    if (rule.expression.operation != Operation::constant) {
      ++result_.rules;
      if (rule.contradicted == 0 && rule.confirmed > 0 && !rule.weak) ++result_.confirmed;
    }
    if (rule.needs) need(*rule.needs, rows);
    if (const Expression* const rival = rival_of(rule, rows); rival)
      doubt(what,
            fmt::format("{} and {} give the same at all traced ranks", text, generalize::text(*rival, rows.names)));
    else if (rule.weak)
      doubt(what, fmt::format("{} follows from two values, as any line through them", text));
    else if (is_guess(rule))
      doubt(what, fmt::format("{} needs all of the traces: without any one of them another rule is as simple", text));
    return text;
  }

  /// The first rival of a rule that gives another value on a rank that executes the statement at hand; a rival that cannot
  /// be compared counts, too. nullptr: there is none.
  const Expression* rival_of(const Rule& rule, const Rows& rows) const {
    if (rule.rivals.empty()) return nullptr;
    const auto differs = [&](const Expression& rival) {
      bool compared = false;
      for (std::size_t row = 0; row < rows.run.size(); ++row) {
        const auto& variables = rows.variables[row];
        const auto holds = [&](const Condition& condition) { return condition.is.at(variables) != 0; };
        const std::int64_t one = rule.expression.at(variables), other = rival.at(variables);
        if (rows.run[row] != Rows::kNotTraced || one == kUndefined || other == kUndefined) continue;
        if (!std::ranges::all_of(executing_, holds)) continue;
        if (one != other) return true;
        compared = true;
      }
      // A rule over the elements of a list has no value in these rows, and of large numbers of ranks they hold some ranks only.
      return !compared;
    };
    const auto found = std::ranges::find_if(rule.rivals, differs);
    return found == rule.rivals.end() ? nullptr : &*found;
  }

  /// Of the ranks that execute the statement at hand only: on others the rule may have no value.
  void need(const Expression& condition, const Rows& rows) {
    std::string text = generalize::text(condition, rows.names);
    if (!executing_.empty())
      text =
          fmt::format("!({}) || ({})", fmt::join(std::views::transform(executing_, &Condition::text), ") || !("), text);
    if (std::ranges::find(result_.needs, text) == result_.needs.end()) result_.needs.push_back(text);
  }

  /// Nothing confirms it: what it says of other numbers of ranks is no more than a guess.
  static bool is_guess(const Rule& rule) { return rule.weak || (rule.contradicted > 0 && rule.confirmed == 0); }

  bool refused_as_guess(const Rule& rule, bool refuse) {
    if (!refuse || !is_guess(rule)) return false;
    guessed_ = true;
    return true;
  }

  /// All ranks of a run are alike.
  bool by_run(std::span<const Sample> samples) const {
    std::map<std::uint32_t, std::int64_t> of_run;
    return std::ranges::all_of(samples, [&](const Sample& s) {
      return of_run.try_emplace(places_[s.row].run, s.value).first->second == s.value;
    });
  }

  void doubt(const std::string& what, const std::string& why) {
    if (std::ranges::none_of(result_.doubts, [&](const Doubt& d) { return d.what == what && d.why == why; }))
      result_.doubts.push_back({what, why});
  }

  /// Whether the samples are of one run only: then nothing says how they go on.
  bool of_one_run(std::span<const At> values) const {
    return ranks_.size() > 1 &&
           std::ranges::all_of(values, [&](const At& one) { return places_[one.l].run == places_[values[0].l].run; });
  }

  std::optional<std::string> rule_text(std::span<const At> values, const std::string& what) {
    if (of_one_run(values)) return {};
    std::vector<Sample> samples;
    for (const At& one : values) samples.push_back({one.l, one.value});
    auto rule = basis_->find(samples, known_of(samples));
    if (!rule) return {};
    if (of_all_runs(samples)) {
      if (!rule->weak && rule->expression.operation != Operation::constant && !rule_of_all(samples))
        of_all_.push_back(*rule);
    } else if (const Rule* const known = is_guess(*rule) ? rule_of_all(samples) : nullptr) {
      // A statement that some runs lack has the rule of another value that all runs have.
      rule = Rule{.expression = known->expression,
                  .cost = std::min(rule->cost, known->cost),
                  .rivals = known->rivals,
                  .needs = known->needs};
    }
    if (refused_as_guess(*rule, !guesses_)) return {};
    return "$(" + use(*rule, base_, what) + ")";
  }

  bool of_all_runs(std::span<const Sample> samples) const {
    std::set<std::uint32_t> runs;
    for (const Sample& s : samples) runs.insert(places_[s.row].run);
    return runs.size() == ranks_.size();
  }

  /// A rule of another value, which all runs have, that gives these, too; nullptr: there is none.
  const Rule* rule_of_all(std::span<const Sample> samples) const {
    const auto gives = [&](const Rule& rule) {
      return std::ranges::all_of(
          samples, [&](const Sample& s) { return rule.expression.at(base_.variables[s.row]) == s.value; });
    };
    const auto found = std::ranges::find_if(of_all_, gives);
    return found == of_all_.end() ? nullptr : &*found;
  }

  /// Limits for values at numbers of ranks that were not traced: peers in MPI_COMM_WORLD are ranks; other values are not negative if
  /// no traced one is.
  Basis::Known known_of(std::span<const Sample> samples) const {
    if (!peers_)
      return std::ranges::all_of(samples, [](const Sample& s) { return s.value >= 0; }) ? Basis::Known::sizes
                                                                                        : Basis::Known::nothing;
    std::set<std::pair<std::uint32_t, std::int64_t>> seen;
    const bool different = std::ranges::all_of(
        samples, [&](const Sample& s) { return s.value >= 0 && seen.emplace(places_[s.row].run, s.value).second; });
    // One rank of each run says nothing of whether others have different ones.
    return different && seen.size() > ranks_.size() ? Basis::Known::different : Basis::Known::ranks;
  }

  /// "[r > 0]" for those of `around` that are in `where`; empty: all are.
  std::optional<std::string> who(const std::vector<std::uint32_t>& where, const std::vector<std::uint32_t>& around,
                                 const std::string& what) {
    if (where == around) return "";
    std::vector<At> members;
    for (const std::uint32_t l : where) members.push_back({l, 1});
    const bool once = of_one_run(members);
    if (once && trips_ == Trips::confirmed) {
      guessed_ = true;
      return {};
    }
    std::vector<Sample> samples;
    for (const std::uint32_t l : around) samples.push_back({l, std::ranges::binary_search(where, l) ? 1 : 0});
    const auto rule = basis_->condition(samples);
    if (!rule || rule->expression.operation == Operation::constant) return {};
    if (refused_as_guess(*rule, trips_ == Trips::confirmed && by_run(samples))) return {};
    if (once) {
      const std::uint32_t run = places_[where[0]].run;
      const bool all =
          std::ranges::all_of(samples, [&](const Sample& s) { return places_[s.row].run != run || s.value; });
      if (all) return {};
      doubt("who executes " + what, fmt::format("only ranks of the run of {} do", ranks_[run]));
    }
    return "[" + use(*rule, base_, "who executes " + what) + "] ";
  }

  /// "r > 0" of "[r > 0] ".
  static std::string bare(const std::string& condition) { return condition.substr(1, condition.size() - 3); }

  /// "[!(r > 0)] " for "[r > 0] ".
  static std::string opposite(const std::string& condition) { return fmt::format("[!({})] ", bare(condition)); }

  // --- values

  /// Calls `what`; if it finds nothing, result_ is as it was before, so that no doubts of the attempt stay.
  template <class Try>
  auto attempt(const Try& what) {
    const Generalized before = result_;
    auto result = what();
    if (!result) result_ = before;
    return result;
  }

  /// The text of `one` or of `other`: the one whose rules cost less, where each doubt costs 1; `one` if they cost the same.
  template <class One, class Other>
  std::optional<std::string> cheaper(const One& one, const Other& other) {
    const Generalized before = result_;
    const auto first = attempt(one);
    Generalized with_first = std::exchange(result_, before);
    const auto second = attempt(other);
    const auto description = [](const Generalized& of) { return of.cost + static_cast<double>(of.doubts.size()); };
    if (second && (!first || description(result_) < description(with_first))) return second;
    result_ = std::move(with_first);
    return first;
  }

  /// Text of one value for each place, all places together: a literal, or with a rule in it. Nothing: there is no rule.
  std::optional<std::string> scalar(Role role, std::span<const At> values, const std::string& what) {
    if (mpi::is_array(role) || role == Role::info) return array(role, values, what);
    std::string first = literal_(role, values[0].value);
    if (std::ranges::all_of(values, [&](const At& one) { return one.value == values[0].value; })) {
      if (!of_one_run(values) && mpi::slot_letter(role) == 0 && mpi::properties(role).word(values[0].value).empty())
        return constant(values, what);
      return first;
    }
    const auto mapped = [&](const auto& part) {
      std::vector<At> parts;
      for (const At& one : values) parts.push_back({one.l, part(one.value)});
      return parts;
    };
    const char letter = mpi::slot_letter(role);
    if (role == Role::buffer ||
        (role == Role::target && std::ranges::all_of(values, [](const At& v) { return mpi::is_place(v.value); }))) {
      if (std::ranges::any_of(values, [](const At& v) { return mpi::slot_of(v.value) < 0; })) return {};
      if (const auto text = attempt([&] { return offset_in_messages(values, what); })) return text;
      const auto slots = mapped([](std::int64_t v) { return mpi::slot_of(v); });
      const auto offsets = mapped([](std::int64_t v) { return mpi::offset_of(v); });
      const auto slot = number_of(slots, what), offset = number_of(offsets, what);
      if (!slot || !offset) return {};
      return *offset == "0" ? "b" + *slot : fmt::format("b{}+{}", *slot, *offset);
    }
    if (role == Role::datatype || role == Role::op) {
      if (std::ranges::any_of(values, [](const At& v) { return v.value < mpi::kMade; })) return {};
      const auto slot = number_of(mapped([](std::int64_t v) { return v - mpi::kMade; }), what);
      return slot ? std::optional(letter + *slot) : std::nullopt;
    }
    if (letter == 0 || role == Role::target) return rule_text(values, what);
    const bool slots = std::ranges::all_of(
        values, [&](const At& v) { return v.value >= 0 && mpi::properties(role).word(v.value).empty(); });
    if (!slots) return {};
    const auto slot = rule_text(values, what);
    return slot ? std::optional(letter + *slot) : std::nullopt;
  }

  std::optional<std::string> number_of(std::span<const At> values, const std::string& what) {
    if (std::ranges::all_of(values, [&](const At& one) { return one.value == values[0].value; }))
      return std::to_string(values[0].value);
    return rule_text(values, what);
  }

  /// A number of elements, also of a list of peers.
  std::optional<std::string> how_many(std::span<const At> values, const std::string& what) {
    const bool peers = std::exchange(peers_, false);
    auto text = number_of(values, what);
    peers_ = peers;
    return text;
  }

  /// The same number everywhere. It may be the size of a dimension, or another number that was the same at all traced
  /// numbers of ranks.
  std::string constant(std::span<const At> values, const std::string& what) {
    const std::int64_t number = values[0].value;
    if (number > 1) {
      std::vector<Sample> samples;
      for (const At& one : values) samples.push_back({one.l, one.value});
      const auto rule = basis_->find(samples);
      if (const Expression* const rival = rule ? rival_of(*rule, base_) : nullptr; rival)
        doubt(what, fmt::format(
                        "{} and {} are the same at all traced ranks", number,
                        generalize::text(rule->expression.operation == Operation::constant ? *rival : rule->expression,
                                         base_.names)));
    }
    return std::to_string(number);
  }

  const Values& elements(std::int64_t id) const { return united_.arrays[static_cast<std::size_t>(id)]; }

  std::optional<std::string> array(Role role, std::span<const At> values, const std::string& what) {
    const std::string first = literal_(role, values[0].value);
    if (std::ranges::all_of(values, [&](const At& one) { return one.value == values[0].value; })) return first;
    if (role == Role::info || role == Role::text || role == Role::texts) return {};
    const Role element = mpi::properties(role).element.value_or(Role::integer);
    std::vector<std::pair<std::uint32_t, std::span<const std::int64_t>>> lists;
    for (const At& one : values) lists.emplace_back(one.l, elements(one.value));
    const auto text = items(element, lists, what);
    return text ? std::optional("(" + *text + ")") : std::nullopt;
  }

  /// Lists of each location as items of one list: each element by itself where all are as long, else a rule over k.
  std::optional<std::string> items(Role element,
                                   const std::vector<std::pair<std::uint32_t, std::span<const std::int64_t>>>& lists,
                                   const std::string& what) {
    const std::size_t length = lists[0].second.size();
    const bool as_long = std::ranges::all_of(lists, [&](const auto& one) { return one.second.size() == length; });
    if (as_long && length <= kMostElements) {
      std::vector<std::string> items;
      for (std::size_t k = 0; k < length; ++k) {
        std::vector<At> values;
        for (const auto& [l, list] : lists) values.push_back({l, list[k]});
        const auto item = scalar(element, values, what);
        if (!item) break;
        items.push_back(*item);
      }
      if (items.size() == length) return text::runs(items);
    }
    length_.clear();
    const auto shape = repeated(without_places(lists)), loose = first_and_rest(without_places(lists));
    if (auto text = attempt([&] { return repeating(shape, element, lists, what); })) return text;
    const auto over_all = [&] { return over_k(element, lists, what); };
    const auto first_apart = [&]() -> std::optional<std::string> {
      auto text = repeating(loose, element, lists, what);
      if (!text) return {};
      constexpr double kApart = 1;  // and its doubt
      result_.cost += kApart;
      doubt(what, "that only the first time is another one than all later ones is seen too seldom to be sure");
      return text;
    };
    if (auto text = loose ? cheaper(over_all, first_apart) : attempt(over_all)) return text;
    return attempt([&] { return progressing(element, lists, what); });
  }

  using Lists = std::vector<std::pair<std::uint32_t, std::span<const std::int64_t>>>;

  static std::vector<List> without_places(const Lists& lists) {
    std::vector<List> all;
    for (const auto& [l, list] : lists) all.push_back(list);
    return all;
  }

  static std::vector<At> at_places(const Lists& lists, const std::vector<std::int64_t>& values) {
    std::vector<At> all;
    for (std::size_t i = 0; i < lists.size(); ++i) all.push_back({lists[i].first, values[i]});
    return all;
  }

  /// "512 / p" of "$(512 / p)".
  static std::string inside(const std::string& number) {
    return number.starts_with("$(") ? number.substr(2, number.size() - 3) : number;
  }

  /// Some items, then others again and again.
  std::optional<std::string> repeating(const std::optional<Repeated>& shape, Role element, const Lists& lists,
                                       const std::string& what) {
    if (!shape) return {};
    std::vector<std::string> items;
    for (std::size_t k = 0; k < shape->head + shape->block; ++k) {
      std::vector<At> values;
      for (const auto& [l, list] : lists)
        if (k < list.size()) values.push_back({l, list[k]});
      const auto item = scalar(element, values, what);
      if (!item) return {};
      items.push_back(*item);
    }
    std::vector<At> times;
    for (const auto& [l, list] : lists)
      times.push_back({l, static_cast<std::int64_t>((list.size() - shape->head) / shape->block)});
    const auto number = how_many(times, what + ", how many");
    if (!number) return {};
    const std::span all(items);
    const auto block = fmt::format("$each(k < {}: {})", inside(*number), fmt::join(all.subspan(shape->head), ", "));
    length_ = plain(fmt::format("{} * ({}) + {}", shape->block, inside(*number), shape->head));
    return shape->head > 0 ? fmt::format("{}, {}", fmt::join(all.first(shape->head), ", "), block) : block;
  }

  /// Progressions behind one another: the levels of a multigrid cycle, or the distances of a butterfly.
  std::optional<std::string> progressing(Role element, const Lists& lists, const std::string& what) {
    if (mpi::is_array(element) || element == Role::info) return {};  // numbers of lists say nothing
    std::vector<Values> shifted;                                     // slots as numbers
    std::string before;
    if (const char letter = mpi::slot_letter(element); letter != 0) {
      before = letter;
      if (element == Role::datatype || element == Role::op) return {};
    }
    for (const auto& [l, list] : lists) {
      Values& own = shifted.emplace_back(list.begin(), list.end());
      for (std::int64_t& v : own) {
        if (before.empty()) continue;
        if (element == Role::buffer) {
          if (mpi::slot_of(v) < 0 || mpi::offset_of(v) != 0) return {};
          v = mpi::slot_of(v);
        } else if (!mpi::properties(element).word(v).empty()) {
          return {};
        }
      }
    }
    const auto parts = progressions(std::vector<List>(shifted.begin(), shifted.end()));
    if (!parts) return {};
    std::vector<std::string> items, lengths;
    std::string last;  // of the part before, which has these values
    const std::vector<std::int64_t>* lasts = nullptr;
    for (const Progression& part : *parts) {
      const auto number = [&](const std::vector<std::int64_t>& values, const char* which) {
        const auto text = number_of(at_places(lists, values), fmt::format("{}, {}", what, which));
        return text ? std::optional(inside(*text)) : std::nullopt;
      };
      auto times = how_many(at_places(lists, part.times), what + ", how many are equal");
      auto first = lasts && !before.empty() ? as_far_from(part.first, *lasts, last) : std::nullopt;
      if (!first) first = number(part.first, "the first");
      if (!times || !first) return {};
      times = inside(*times);
      const bool geometric = part.step == Progression::Step::twice || part.step == Progression::Step::half;
      const auto runs_at = at_places(lists, part.runs);
      std::optional<std::string> runs = known_runs(runs_at);
      last = *first;
      if (part.step == Progression::Step::none) {
        runs = "1";
      } else if (geometric) {
        // How far it goes follows from where it begins and ends.
        const auto end = number(part.last, "the last");
        if (!end) return {};
        last = *end;
        const bool up = part.step == Progression::Step::twice;
        if (!runs) {
          runs = named_as("n", fmt::format("log2(({}) / ({})) + 1", up ? last : *first, up ? *first : last));
          runs_.emplace_back(runs_at, *runs);
        }
      } else if (!runs) {
        runs = how_many(runs_at, what + ", how many are different");
        if (runs) runs = inside(*runs);
      }
      if (!runs) return {};
      const std::string k = *times == "1" ? "k" : fmt::format("floor(k / ({}))", *times);
      std::string item = *first;
      if (part.step == Progression::Step::twice) item = fmt::format("({}) * (1 << {})", *first, k);
      if (part.step == Progression::Step::half) item = fmt::format("({}) / (1 << {})", *first, k);
      if (part.step == Progression::Step::add) {
        item = fmt::format("{} + ({}) * {}", *first, part.difference, k);
        last = fmt::format("{} + ({}) * ({} - 1)", *first, part.difference, *runs);
      }
      lasts = &part.last;
      lengths.push_back(plain(fmt::format("({}) * ({})", *times, *runs)));
      items.push_back(fmt::format("$each(k < {}: {}$({}))", lengths.back(), before, plain(item)));
    }
    length_ = plain(fmt::format("{}", fmt::join(lengths, " + ")));
    return fmt::format("{}", fmt::join(items, ", "));
  }

  std::optional<std::string> over_k(Role element,
                                    const std::vector<std::pair<std::uint32_t, std::span<const std::int64_t>>>& lists,
                                    const std::string& what) {
    std::vector<At> lengths;
    std::size_t longest = 0;
    for (const auto& [l, list] : lists) {
      lengths.push_back({l, static_cast<std::int64_t>(list.size())});
      longest = std::max(longest, list.size());
    }
    const auto length = how_many(lengths, what + ", how many");
    if (!length) return {};
    const std::string bound = inside(*length);
    // Values that stand for slots: numbers behind a letter.
    std::string before;
    std::function<std::optional<std::int64_t>(std::int64_t)> part = [](std::int64_t v) { return std::optional(v); };
    const char letter = mpi::slot_letter(element);
    if (element == Role::datatype || element == Role::op || mpi::is_array(element)) return {};
    if (element == Role::buffer) return places_over_k(lists, bound, what);
    if (letter != 0) before = letter;
    const auto equal_all = [&] {
      return std::ranges::all_of(lists, [&](const auto& one) {
        return std::ranges::all_of(one.second, [&](std::int64_t v) { return v == lists[0].second[0]; });
      });
    };
    if (longest > 0 && !lists[0].second.empty() && equal_all())
      return fmt::format("$each(k < {}: {})", bound, literal_(element, lists[0].second[0]));
    if (letter != 0 && std::ranges::any_of(lists, [&](const auto& one) {
          return std::ranges::any_of(one.second,
                                     [&](std::int64_t v) { return !mpi::properties(element).word(v).empty(); });
        }))
      return {};
    const auto alike = [](const auto& one) {
      return std::ranges::all_of(one.second, [&](std::int64_t v) { return v == one.second[0]; });
    };
    if (letter == 0 && std::ranges::all_of(lists, alike)) {
      std::vector<At> values;
      for (const auto& [l, list] : lists)
        if (!list.empty()) values.push_back({l, list[0]});
      const auto value = values.empty() ? std::nullopt : attempt([&] { return number_of(values, what); });
      if (value) return fmt::format("$each(k < {}: {})", bound, *value);
    }
    const auto rule = rule_over_k(lists);
    if (!rule) return {};
    return fmt::format("$each(k < {}: {}$({}))", bound, before, use(*rule, base_, what));
  }

  /// Places in one buffer, as messages behind its begin.
  std::optional<std::string> places_over_k(const Lists& lists, const std::string& bound, const std::string& what) {
    if (!unit_) return {};
    const std::int64_t slot = lists[0].second.empty() ? -1 : mpi::slot_of(lists[0].second[0]);
    std::vector<Values> messages;
    Lists numbers;
    for (const auto& [l, list] : lists) {
      std::vector<At> places;
      for (const std::int64_t place : list) places.push_back({l, place});
      if (slot < 0 || std::ranges::any_of(list, [&](std::int64_t place) { return mpi::slot_of(place) != slot; }))
        return {};
      const auto own = in_messages(places);
      if (!own) return {};
      messages.emplace_back();
      for (const At& one : *own) messages.back().push_back(one.value);
    }
    for (std::size_t i = 0; i < lists.size(); ++i) numbers.emplace_back(lists[i].first, messages[i]);
    const auto rule = rule_over_k(numbers);
    if (!rule) return {};
    const auto place = behind_messages(slot, use(*rule, base_, what), what);
    return place ? std::optional(fmt::format("$each(k < {}: {})", bound, *place)) : std::nullopt;
  }

  std::optional<Rule> rule_over_k(const Lists& lists) {
    std::size_t total = 0;
    for (const auto& [l, list] : lists) total += list.size();
    // Some of the places, if there are many; those of all traces, ends and middle.
    Rows rows{base_.names, {}, {}};
    std::vector<Sample> samples;
    const std::size_t step = total / kMostListRows + 1;
    std::size_t at = 0;
    for (const auto& [l, list] : lists)
      for (std::size_t k = 0; k < list.size(); ++k, ++at) {
        if (at % step != 0 && k > 1 && k + 1 < list.size()) continue;
        samples.push_back({static_cast<std::uint32_t>(rows.run.size()), list[k]});
        rows.variables.push_back(base_.variables[l]);
        rows.variables.back()[2] = static_cast<std::int64_t>(k);
        rows.run.push_back(places_[l].run);
      }
    if (samples.empty()) return {};
    for (std::size_t i = 0; i < base_.run.size(); ++i) {
      if (base_.run[i] != Rows::kNotTraced || base_.variables[i][1] > 3) continue;
      for (const std::int64_t k : {0, 1, 2, 3, 5}) {
        rows.variables.push_back(base_.variables[i]);
        rows.variables.back()[2] = k;
        rows.run.push_back(Rows::kNotTraced);
      }
    }
    rows.ratio = base_.ratio;
    rows.guessed = base_.guessed;
    const auto rule = basis_of(std::move(rows)).find(samples);
    if (!rule || refused_as_guess(*rule, !guesses_)) return {};
    return rule;
  }

  /// Arguments of a statement often have lists of the same lengths.
  const Basis& basis_of(Rows rows) {
    for (const Basis& known : lists_)
      if (known.rows().variables == rows.variables && known.rows().run == rows.run) return known;
    return lists_.emplace_back(std::move(rows));
  }

  /// The loop whose body is looked at: trips by location, as far as they are always the same, and what they are if a
  /// list in it says so.
  struct Inside {
    std::map<std::uint32_t, std::int64_t> trips{};
    std::string length{};
  };

  /// By location of a statement: what it sees there.
  struct Seen {
    std::uint32_t l;
    const Sequence* sequence;
    std::uint64_t executions;
  };

  /// Whether MPI's own formula says the same, and so what it is.
  std::optional<std::string> formula(const Argument& argument, const Node& node, const Call& call,
                                     const std::string& what) {
    if (!argument.rule || argument.rule->kind == RankRule::Kind::constant) return {};
    if (std::ranges::any_of(argument.choices, [](const Sequence& s) { return s.kind != Sequence::Kind::constant; }))
      return {};
    const RankRule& rule = *argument.rule;
    // A distance or a length of rows above 1 may be the size of a dimension.
    if (rule.kind != RankRule::Kind::neighbour && std::abs(rule.c) > 1) return {};
    if (rule.kind == RankRule::Kind::exclusive_or && rule.c > 1) return {};
    std::vector<std::uint32_t> right, wrong;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const std::int64_t value = argument.of(p).values[0];
      // Rank 0 - 1 is no rank, though MPI_PROC_NULL has its number.
      const bool may_be = value >= 0 || rule.kind == RankRule::Kind::neighbour;
      const bool holds = may_be && skeleton::rule_at(united_, call, p, node.where[p], rule) == value;
      (holds ? right : wrong).push_back(node.where[p]);
    }
    std::vector<At> all;
    for (const std::uint32_t l : right) all.push_back({l, 0});
    if (right.empty() || of_one_run(all)) return {};
    ++result_.rules;
    ++result_.confirmed;
    if (wrong.empty()) return skeleton::formula(rule);
    std::set<std::int64_t> others;
    for (std::size_t p = 0; p < node.where.size(); ++p)
      if (std::ranges::binary_search(wrong, node.where[p])) others.insert(argument.of(p).values[0]);
    if (others.size() != 1) return {};
    const auto first = who(right, node.where, what);
    if (!first) return {};
    return fmt::format("{}{} | {}{}", *first, skeleton::formula(rule), opposite(*first),
                       literal_(Role::peer, *others.begin()));
  }

  /// Whether the communicator of the call is as large as MPI_COMM_WORLD.
  bool among_all(const Call& call, const Node& node) const {
    const int comm = call.function->find(Role::comm);
    if (comm < 0) return false;
    const Argument& argument = call.arguments[static_cast<std::size_t>(comm)];
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const Sequence& slot = argument.of(p);
      if (slot.kind != Sequence::Kind::constant) return false;
      for (const Communicator& one : united_.locations[node.where[p]].communicators)
        if (one.slot == slot.values[0] && one.size != static_cast<int>(ranks_[places_[node.where[p]].run]))
          return false;
    }
    return true;
  }

  std::string argument(const Argument& argument, Role role, const Node& node,
                       const std::vector<std::uint64_t>& executions, const Call* call, const std::string& what) {
    peers_ = call && role == Role::peer && among_all(*call, node);
    if (call)
      if (const auto known = formula(argument, node, *call, what)) return *known;
    std::vector<Seen> seen;
    for (std::size_t p = 0; p < node.where.size(); ++p) seen.push_back({node.where[p], &argument.of(p), executions[p]});
    const auto index = call ? static_cast<std::size_t>(&argument - call->arguments.data()) : 0;
    const bool counts = call && mpi::is_array(role) && call->function->counted_type(index) >= 0;
    const auto means = [&] {
      return call && may_have_means(node) ? attempt([&] { return by_means(index, *call, seen, what); }) : std::nullopt;
    };
    if (all_means_)
      if (const auto text = means()) return *text;
    if (!all_means_ || !counts) {
      // r == 0 says more than arithmetic with slots
      const bool few = mpi::slot_letter(role) != 0 && different(seen) == 2;
      if (few)
        if (const auto text = attempt([&] { return by_text(role, seen, node, what); })) return *text;
      if (const auto text = attempt([&] { return sequences(role, seen, what); })) return *text;
      if (!few)
        if (const auto text = attempt([&] { return by_text(role, seen, node, what); })) return *text;
      if (const auto text = means()) return *text;
    }
    std::vector<At> values;
    for (const Seen& one : seen) values.push_back({one.l, one.sequence->values[0]});
    std::string examples;
    if (mpi::is_array(role)) {
      std::vector<std::string> items;
      std::set<std::uint32_t> runs;
      for (const At& one : values)
        if (runs.insert(places_[one.l].run).second)
          items.push_back(fmt::format("{} on {}", literal_(role, one.value), place(one.l)));
      examples = fmt::format("{}", fmt::join(items, ", "));
    } else {
      examples = this->examples(values);
    }
    const bool vary =
        std::ranges::any_of(seen, [](const Seen& one) { return one.sequence->kind != Sequence::Kind::constant; });
    refuse(fmt::format("no rule of p and r gives {}: {}{}{}; the statement is {} of {}", what, examples,
                       vary ? ", first of several" : "", no_means_.empty() ? "" : ", " + no_means_,
                       call_text(first_call(node), 0), place(first_call(node).where[0])),
           counts && counts_ == Counts::exact
               ? "see docs/generalize.md for what rules are made of, and for --approximate"
               : "see docs/generalize.md for what rules are made of");
  }

  /// Whether means may take the place of a call's counts: all of them are lists in one datatype, and all ranks make the call. Then both sides
  /// of the collective have the same mean.
  bool may_have_means(const Node& node) const {
    const Call& call = node.call();
    const mpi::Function& function = *call.function;
    const bool collective = function.kind == mpi::Kind::collective || function.kind == mpi::Kind::collective_init;
    if (counts_ != Counts::means || !collective || node.where.size() != places_.size()) return false;
    std::set<std::int64_t> types;
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      const int type = function.counted_type(a);
      if (type < 0) continue;
      const auto of_type = static_cast<std::size_t>(type);
      if (!mpi::is_array(function.parameters[a].role) || function.parameters[of_type].role != Role::datatype)
        return false;
      for (std::size_t p = 0; p < node.where.size(); ++p) {
        const Sequence& own = call.arguments[of_type].of(p);
        types.insert(own.values.begin(), own.values.end());
      }
    }
    return types.size() == 1;
  }

  /// Lists of a collective's counts, and where the blocks begin: of each rank's, in each call, the mean of all of the run.
  std::optional<std::string> by_means(std::size_t index, const Call& call, const std::vector<Seen>& seen,
                                      const std::string& what) {
    const mpi::Function& function = *call.function;
    const int counts = function.displaced_counts(index);
    if (function.counted_type(index) < 0 && counts < 0) return {};
    const auto each_list = [&](const auto& visit) {  // by location and how often
      for (const Seen& one : seen) {
        const bool steps = one.sequence->kind == Sequence::Kind::arithmetic;
        const std::uint64_t n = steps ? one.executions : one.sequence->values.size();
        for (std::uint64_t k = 0; k < n; ++k)
          visit(one.l, elements(one.sequence->at(k)), one.executions / n + (k < one.executions % n ? 1 : 0));
      }
    };
    std::string element;
    if (counts >= 0) {
      const auto known = means_.find(static_cast<std::size_t>(counts));
      if (known == means_.end()) return {};
      element = fmt::format("k * ({})", known->second);
    } else {
      std::map<std::uint32_t, std::pair<double, double>> by_run;  // sum, number
      each_list([&](std::uint32_t l, const Values& list, std::uint64_t times) {
        auto& [sum, number] = by_run[places_[l].run];
        number += static_cast<double>(times * list.size());
        for (const std::int64_t v : list) sum += static_cast<double>(times) * static_cast<double>(v);
      });
      std::vector<At> means;
      for (const Seen& one : seen) {
        const auto& [sum, number] = by_run[places_[one.l].run];
        if (number > 0) means.push_back({one.l, std::llround(sum / number)});
      }
      const auto rule = means.empty() ? std::nullopt : how_many(means, what + ", its mean");
      if (!rule) {
        no_means_ = fmt::format("nor has the mean over all ranks: {}", examples(means));
        return {};
      }
      element = inside(*rule);
    }
    std::vector<At> lengths;
    for (const Seen& one : seen) lengths.push_back({one.l, std::ssize(elements(one.sequence->values[0]))});
    const auto length = how_many(lengths, what + ", how many");
    if (!length) return {};
    // How far they are off.
    const Expression rule = parse(element, base_.names, what);
    double most = 0;
    bool zeros = false;
    each_list([&](std::uint32_t l, const Values& list, std::uint64_t) {
      auto variables = base_.variables[l];
      for (std::size_t k = 0; k < list.size(); ++k) {
        variables[2] = static_cast<std::int64_t>(k);
        const auto was = static_cast<double>(list[k]), now = static_cast<double>(rule.at(variables));
        if (was == now) continue;
        zeros = zeros || was == 0 || now == 0;
        if (was != 0) most = std::max(most, std::abs((now - was) / was));
      }
    });
    constexpr double kMostOff = 0.999;  // a tolerance is less than 1
    if (zeros || most > kMostOff) {
      no_means_ = zeros ? "nor is there a mean, as some of these are 0 and others are not"
                        : "nor is there a mean, as some of these are less than half of it";
      return {};
    }
    if (counts < 0) means_[index] = element;
    result_.tolerance = std::max(result_.tolerance, std::ceil(1000 * most) / 1000);
    if (most > 0)
      doubt(what, fmt::format("data decide; the mean takes their place, which differs from them by up to {}",
                              format_percent(most)));
    return fmt::format("($each(k < {}: $({})))", inside(*length), plain(element));
  }

  std::optional<std::string> sequences(Role role, const std::vector<Seen>& seen, const std::string& what) {
    using Kind = Sequence::Kind;
    const Kind kind = seen[0].sequence->kind;
    const std::size_t length = seen[0].sequence->values.size();
    const bool alike = std::ranges::all_of(
        seen, [&](const Seen& one) { return one.sequence->kind == kind && one.sequence->values.size() == length; });
    const auto values_at = [&](std::size_t k) {
      std::vector<At> values;
      for (const Seen& one : seen) values.push_back({one.l, one.sequence->values[k]});
      return values;
    };
    if (alike && kind == Kind::constant) return scalar(role, values_at(0), what);
    const bool steps = kind == Kind::arithmetic && !mpi::is_array(role);  // numbers of lists say nothing
    if (alike && steps && same(seen)) return stepping(role, *seen[0].sequence);
    if (alike && steps && mpi::slot_letter(role) == 0) {
      const auto first = number_of(values_at(0), what), step = number_of(values_at(1), what + ", its step");
      // A step is written with its sign.
      const bool up = std::ranges::all_of(seen, [](const Seen& one) { return one.sequence->values[1] > 0; });
      if (first && step && up) return fmt::format("{} + {}k", *first, *step);
    }
    if (alike && same(seen) && kind != Kind::arithmetic) {
      const auto text = text::runs(seen[0].sequence->values, [&](std::int64_t v) { return literal_(role, v); });
      return fmt::format("{}({})", kind == Kind::periodic ? "periodic" : "table", text);
    }
    const auto trips = [&] { return as_trips(role, seen, what); };
    const auto lists = [&] { return as_lists(role, seen, what); };
    if (!shorter_than_trips(seen)) {
      if (auto text = attempt(trips)) return text;
      return lists();
    }
    if (auto text = attempt(lists)) return text;
    return trips();
  }

  /// Each repeats some values within the trips of the loop around.
  bool shorter_than_trips(const std::vector<Seen>& seen) const {
    return loop_ && std::ranges::all_of(seen, [&](const Seen& one) {
             const auto trips = loop_->trips.find(one.l);
             return trips != loop_->trips.end() && one.sequence->kind == Sequence::Kind::periodic &&
                    std::ssize(one.sequence->values) < trips->second;
           });
  }

  /// An element for each trip of the loop.
  std::optional<std::string> as_trips(Role role, const std::vector<Seen>& seen, const std::string& what) {
    const auto own = by_trip(seen);
    if (!own) return {};
    const Lists lists = places_of(seen, *own);
    const auto text = items(role, lists, what);
    if (!text) return {};
    note_length(lists);
    return "periodic(" + *text + ")";
  }

  /// A period, or all executions.
  std::optional<std::string> as_lists(Role role, const std::vector<Seen>& seen, const std::string& what) {
    using Kind = Sequence::Kind;
    std::vector<Values> own;
    bool table = false;
    for (const auto& [l, sequence, executions] : seen) {
      Values all = sequence->values;
      if (sequence->kind == Kind::arithmetic) {
        if (executions > 4096) return {};
        all.clear();
        for (std::uint64_t k = 0; k < executions; ++k) all.push_back(sequence->at(k));
        table = true;
      }
      table = table || (sequence->kind == Kind::table && all.size() == executions && executions > 1);
      own.push_back(std::move(all));
    }
    if (table)  // what is constant or periodic elsewhere is the same in as many executions
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen[i].executions > 65536) return {};
        own[i].clear();
        for (std::uint64_t k = 0; k < seen[i].executions; ++k) own[i].push_back(seen[i].sequence->at(k));
      }
    const Lists lists = places_of(seen, own);
    const auto text = items(role, lists, what);
    if (!text) return {};
    note_length(lists);
    return fmt::format("{}({})", table ? "table" : "periodic", *text);
  }

  /// Values at each trip of the loop around, where they are the same each time that it is executed, and trips differ between
  /// locations: else a list may be shorter than the trips on some only.
  std::optional<std::vector<Values>> by_trip(const std::vector<Seen>& seen) const {
    if (!loop_) return {};
    std::vector<Values> all;
    std::set<std::int64_t> different;
    for (const auto& [l, sequence, executions] : seen) {
      const auto trips = loop_->trips.find(l);
      if (trips == loop_->trips.end() || trips->second < 1) return {};
      const auto n = static_cast<std::uint64_t>(trips->second), values = sequence->values.size();
      const bool again = sequence->kind == Sequence::Kind::constant || executions == n ||
                         (sequence->kind == Sequence::Kind::periodic && n % values == 0);
      if (!again || executions % n != 0 || n > kMostTrips) return {};
      different.insert(trips->second);
      Values& own = all.emplace_back();
      for (std::uint64_t k = 0; k < n; ++k) own.push_back(sequence->at(k));
    }
    if (different.size() < 2) return {};
    return all;
  }

  static Lists places_of(const std::vector<Seen>& seen, const std::vector<Values>& own) {
    Lists lists;
    for (std::size_t i = 0; i < seen.size(); ++i) lists.emplace_back(seen[i].l, own[i]);
    return lists;
  }

  /// "TEXT + 8" where all values are as far from others that have this text.
  static std::optional<std::string> as_far_from(const std::vector<std::int64_t>& values,
                                                const std::vector<std::int64_t>& others, const std::string& text) {
    const std::int64_t distance = values[0] - others[0];
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] - others[i] != distance) return {};
    return distance == 0 ? text : fmt::format("{} {} {}", text, distance < 0 ? '-' : '+', std::abs(distance));
  }

  /// A name of its own for an expression: "n1".
  std::string named_as(const std::string& letter, const std::string& expression) {
    const std::string name = letter + std::to_string(runs_.size() + 1);
    definitions_.emplace_back(name, plain(expression));
    return name;
  }

  /// Without brackets that are not needed.
  std::string plain(const std::string& expression) const {
    Names names = base_.names;
    for (std::size_t i = names.size() - 3; i < definitions_.size(); ++i) names.push_back(definitions_[i].first);
    return text(simplified(parse(expression, names, expression)), names);
  }

  /// The name that a progression with the same numbers of runs was given before; nothing if there is none, or the number is constant.
  std::optional<std::string> known_runs(const std::vector<At>& runs) const {
    if (std::ranges::all_of(runs, [&](const At& one) { return one.value == runs[0].value; })) return {};
    for (const auto& [known, text] : runs_)
      if (std::ranges::equal(known, runs, [](const At& a, const At& b) { return a.l == b.l && a.value == b.value; }))
        return text;
    return {};
  }

  /// A list with an element for each trip of the loop says how many there are.
  void note_length(const Lists& lists) {
    if (!loop_ || length_.empty() || !loop_->length.empty() || lists.size() != loop_->trips.size()) return;
    for (const auto& [l, list] : lists) {
      const auto trips = loop_->trips.find(l);
      if (trips == loop_->trips.end() || trips->second != std::ssize(list)) return;
    }
    loop_->length = length_;
  }

  /// How many sequences are different; 3: more than 2.
  static int different(const std::vector<Seen>& seen) {
    const Sequence* second = nullptr;
    for (const Seen& one : seen) {
      if (*one.sequence == *seen[0].sequence || (second && *one.sequence == *second)) continue;
      if (second) return 3;
      second = one.sequence;
    }
    return second ? 2 : 1;
  }

  static bool same(const std::vector<Seen>& seen) {
    return std::ranges::all_of(seen, [&](const Seen& one) { return *one.sequence == *seen[0].sequence; });
  }

  std::string stepping(Role role, const Sequence& sequence) const {
    const std::int64_t step = sequence.values[1];
    std::int64_t size = std::abs(step);
    const bool buffers = role == Role::buffer || (role == Role::target && mpi::is_place(sequence.values[0]));
    const bool slots = buffers && size % mpi::kLargestBuffer == 0 && size > 0;
    if (slots) size /= mpi::kLargestBuffer;
    return fmt::format("{} {} {}k{}", literal_(role, sequence.values[0]), step < 0 ? '-' : '+',
                       size == 1 ? "" : std::to_string(size), slots ? " slots" : "");
  }

  /// Groups of ranks that see different things, each with a condition: "[r == 0] b0 | [r > 0] NULL".
  std::optional<std::string> by_text(Role role, const std::vector<Seen>& seen, const Node& node,
                                     const std::string& what) {
    // Words apart from numbers, which may have a rule of their own.
    std::map<std::string, std::vector<Seen>> groups;
    for (const Seen& one : seen) {
      std::string key = "number";
      if (one.sequence->kind == Sequence::Kind::constant) {
        const std::int64_t v = one.sequence->values[0];
        const bool word =
            !mpi::properties(role).word(v).empty() || ((role == Role::datatype || role == Role::op) && v < mpi::kMade);
        if (word) key = literal_(role, v);
        if (mpi::is_array(role)) key = "length " + std::to_string(elements(v).size());
      }
      groups[key].push_back(one);
    }
    if (groups.size() == 1 && !seen.empty()) {
      groups.clear();
      for (const Seen& one : seen) groups[shown(role, *one.sequence)].push_back(one);
    }
    if (groups.size() < 2 || groups.size() > kMostTexts) return {};
    // A text that occurs at one number of ranks only does not tell who has it at other numbers.
    for (const auto& [key, members] : groups)
      if (std::ranges::all_of(members, [&](const Seen& one) { return run_of(one) == run_of(members[0]); })) return {};
    std::vector<std::string> items;
    std::optional<std::string> condition;
    for (const auto& [key, members] : groups) {
      std::vector<std::uint32_t> where;
      for (const Seen& one : members) where.push_back(one.l);
      const bool rest = groups.size() == 2 && condition;
      condition = rest ? opposite(*condition) : who(where, node.where, what);
      const auto text = sequences(role, members, what);
      if (!condition || !text) return {};
      items.push_back(*condition + *text);
    }
    return fmt::format("{}", fmt::join(items, " | "));
  }

  std::uint32_t run_of(const Seen& one) const { return places_[one.l].run; }

  std::string shown(Role role, const Sequence& sequence) const {
    std::string text = std::to_string(static_cast<int>(sequence.kind));
    for (const std::int64_t v : sequence.values) text += " " + literal_(role, v);
    return text;
  }

  // --- computation

  /// What all locations compute together, by run.
  void measure() {
    for (std::uint32_t l = 0; l < places_.size(); ++l) total_ += skeleton::total_compute(united_, l);
  }

  /// A time of those ranks of `where` that compute, `around` all that could.
  void compute(const Compute& compute, const char* word, const Node& node, const std::vector<std::uint64_t>& executions,
               const std::vector<std::uint32_t>& around, const std::string& where, const std::string& indent) {
    if (compute.mean_s.empty()) return;
    double spent = 0;
    for (std::size_t p = 0; p < node.where.size(); ++p) spent += compute.mean_s[p] * static_cast<double>(executions[p]);
    const auto runs = times_of(compute, node, {});
    double largest = 0;
    for (const RunTimes& run : runs)
      for (const auto& [r, seconds] : run.seconds) largest = std::max(largest, seconds);
    if (largest == 0) return;
    FittedTimes fitted = fit_times(runs);
    // What is hardly measured is not followed anywhere.
    if (spent < kMattersShare * total_ || !(fitted.times.level.seconds > 0)) {
      fitted.times = {{std::ranges::max(runs, {}, &RunTimes::mean).mean(), 0, 0}};
      fitted.error = 0;
    } else if (auto parts = by_group(compute, node, around, where, fitted.cost)) {
      weight_ += spent;
      for (const Part& part : *parts) {
        error_ += spent * part.share * part.fitted.error * part.fitted.error;
        imbalance_ += spent * part.share * part.fitted.uneven;
        if (part.share > 0)
          program_ += fmt::format("{}{}{} $time({})\n", indent, part.who, word, text(part.fitted.times));
      }
      return;
    }
    error_ += spent * fitted.error * fitted.error;
    weight_ += spent;
    imbalance_ += spent * fitted.uneven;
    program_ += fmt::format("{}{}{} $time({})\n", indent, where, word, text(fitted.times));
  }

  /// Computing times of the ranks of each run. group: by position in node.where, whether the rank counts; empty: all do.
  std::vector<RunTimes> times_of(const Compute& compute, const Node& node, const std::vector<bool>& group) const {
    std::map<std::uint32_t, RunTimes> by_run;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      if (!group.empty() && !group[p]) continue;
      const auto& [run, r] = places_[node.where[p]];
      by_run[run].ranks = ranks_[run];
      by_run[run].seconds.emplace_back(r, compute.mean_s[p]);
    }
    std::vector<RunTimes> runs;
    for (auto& [run, times] : by_run) runs.push_back(std::move(times));
    return runs;
  }

  /// Ranks that compute alike, and others that do not, as those at an edge.
  struct Part {
    std::string who;
    FittedTimes fitted;
    double share = 0;  ///< of the time
  };

  /// Groups of ranks whose times are apart in every run, each with a condition that is sure. Every rank is in one of them at any number of
  /// ranks: a condition counts where those before it do not hold, and the last group is the rest of `executing`. Nothing where there are no
  /// groups, or where they predict what is left out no better than `cost`.
  std::optional<std::vector<Part>> by_group(const Compute& compute, const Node& node,
                                            const std::vector<std::uint32_t>& around, const std::string& executing,
                                            double cost) {
    constexpr double kAlike = 0.4;  // of the largest difference; smaller ones are noise
    const auto all = groups_by_time(compute, node, 0);
    if (auto parts = parts_of(compute, node, around, executing, cost, all)) return parts;
    const auto few = groups_by_time(compute, node, kAlike);
    return few == all ? std::nullopt : parts_of(compute, node, around, executing, cost, few);
  }

  /// The same for given groups.
  std::optional<std::vector<Part>> parts_of(const Compute& compute, const Node& node,
                                            const std::vector<std::uint32_t>& around, const std::string& executing,
                                            double cost, const std::vector<std::size_t>& group_of) {
    constexpr double kPrice = 1.5;
    if (group_of.empty()) return {};
    const Generalized before = result_;
    const bool guessed = guessed_;
    std::vector<Part> parts;
    std::string others;  // "!(A) && !(B)": in none of the groups so far
    double all = 0, whole = 0;
    bool sure = true;
    for (const double seconds : compute.mean_s) whole += seconds;
    const std::size_t last = *std::ranges::max_element(group_of);
    for (std::size_t g = 0; g <= last && sure; ++g) {
      std::vector<bool> members;
      std::vector<std::uint32_t> where;
      double sum = 0;
      for (std::size_t p = 0; p < node.where.size(); ++p) {
        members.push_back(group_of[p] == g);
        if (!members.back()) continue;
        where.push_back(node.where[p]);
        sum += compute.mean_s[p];
      }
      const auto condition = g == last ? executing : who(where, around, "how long a rank computes");
      sure = condition && result_.doubts.size() == before.doubts.size() && result_.needs.size() == before.needs.size();
      if (!sure) break;
      std::vector<std::string> terms;
      if (!others.empty()) terms.push_back(others);
      if (!condition->empty()) terms.push_back(others.empty() ? bare(*condition) : "(" + bare(*condition) + ")");
      parts.push_back(
          {fmt::format("[{}] ", fmt::join(terms, " && ")), fit_times(times_of(compute, node, members)), sum / whole});
      if (g < last) others += fmt::format("{}!({})", others.empty() ? "" : " && ", bare(*condition));
      all += parts.back().fitted.cost * parts.back().share;
    }
    result_ = before;  // rules are counted, and forms compared, by what is called
    guessed_ = guessed;
    if (!sure || !(kPrice * all < cost)) return {};
    return parts;
  }

  /// By node.where a number from 0 on, the same for ranks whose times are near each other and far from all others; as many in each run.
  /// Times that differ by less than `alike` of the largest difference between neighbours are near each other. Empty: there are no such groups, or more than 4.
  std::vector<std::size_t> groups_by_time(const Compute& compute, const Node& node, double alike) const {
    constexpr double kApart = 0.05;  // of the largest time
    constexpr std::size_t kMost = 4;
    std::map<std::uint32_t, std::vector<std::pair<double, std::size_t>>> by_run;
    for (std::size_t p = 0; p < node.where.size(); ++p)
      by_run[places_[node.where[p]].run].emplace_back(compute.mean_s[p], p);
    std::vector<std::size_t> groups(node.where.size());
    std::optional<std::size_t> number;
    for (auto& [run, times] : by_run) {
      std::ranges::sort(times);
      double most = 0;
      for (std::size_t i = 1; i < times.size(); ++i) most = std::max(most, times[i].first - times[i - 1].first);
      const double apart = std::max(kApart * times.back().first, alike * most);
      std::size_t group = 0;
      double begin = times[0].first;
      for (std::size_t i = 0; i < times.size(); ++i) {
        if (i > 0 && times[i].first - times[i - 1].first > apart) {
          ++group;
          begin = times[i].first;
        }
        if (times[i].first - begin > apart / 2) return {};
        groups[times[i].second] = group;
      }
      if (group == 0 || group >= kMost || (number && *number != group)) return {};
      number = group;
    }
    return groups;
  }

  // --- the program

  std::string described(const Node& node) const {
    const std::string_view name = first_call(node).call().function->name;
    return node.is_loop() ? fmt::format("the loop around {}", name) : std::string(name);
  }

  static const Node& first_call(const Node& node) {
    const Node* first = &node;
    while (first->is_loop()) first = &first->loop().body.front();
    return *first;
  }

  void block(const Block& nodes, const std::vector<std::uint32_t>& around, const std::vector<std::uint64_t>& times,
             std::size_t level) {
    const std::string indent(2 * level, ' ');
    for (const Node& node : nodes) {
      reached_ = result_.statements++;
      std::vector<std::uint64_t> executions;
      for (const std::uint32_t l : node.where) executions.push_back(times[l]);
      const std::string what = described(node);
      const auto by_trips = node.is_loop() ? trips_of_all(node, around, what) : std::nullopt;
      const auto where = by_trips ? fmt::format("[{}] ", by_trips->condition) : who(node.where, around, what);
      if (!where) refuse_structure(node, around);
      compute(node.before, "compute", node, executions, around, *where, indent);
      const std::size_t outer = executing_.size();
      if (!where->empty()) executing_.push_back({bare(*where), parse(bare(*where), base_.names, bare(*where))});
      if (!node.is_loop()) {
        call(node, executions, *where, indent);
        executing_.resize(outer);
        continue;
      }
      const auto& loop = node.loop();
      std::vector<std::uint64_t> inside(places_.size(), 0), between(node.where.size(), 0);
      std::vector<Seen> seen;
      Inside within;
      for (std::size_t p = 0; p < node.where.size(); ++p) {
        const auto& trips = loop.trips.of(p);
        inside[node.where[p]] = static_cast<std::uint64_t>(trips.sum(executions[p]));
        between[p] = inside[node.where[p]] - std::min(inside[node.where[p]], trips.positive(executions[p]));
        seen.push_back({node.where[p], &trips, executions[p]});
        if (trips.kind == Sequence::Kind::constant) within.trips.emplace(node.where[p], trips.values[0]);
      }
      guesses_ = trips_ == Trips::any;
      auto trips = by_trips ? std::optional("$(" + by_trips->number + ")")
                            : attempt([&] { return sequences(Role::count, seen, "the trips of " + what); });
      guesses_ = true;
      std::string outside = std::exchange(program_, {});
      auto* const around_it = std::exchange(loop_, &within);
      compute(loop.between, "between", node, between, node.where, "", indent + "  ");
      block(loop.body, node.where, inside, level + 1);
      loop_ = around_it;
      if (!trips && !within.length.empty()) trips = "$(" + within.length + ")";
      if (!trips) trips = argument(loop.trips, Role::count, node, executions, nullptr, "the trips of " + what);
      program_ = fmt::format("{}{}{}loop {} {{\n{}{}}}\n", outside, indent, *where, *trips, program_, indent);
      executing_.resize(outer);
    }
  }

  /// The trips of a loop, and the condition that there are any.
  struct TripsOfAll {
    std::string number, condition;
  };
  /// With 0 for those of `around` that do not execute it, where that is simpler than a condition and the trips of the others.
  std::optional<TripsOfAll> trips_of_all(const Node& node, const std::vector<std::uint32_t>& around,
                                         const std::string& what) {
    if (node.where == around) return {};
    std::vector<Sample> own, all, executes;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const auto& trips = node.loop().trips.of(p);
      if (trips.kind != Sequence::Kind::constant) return {};
      own.push_back({node.where[p], trips.values[0]});
    }
    for (std::size_t p = 0; const std::uint32_t l : around) {
      const bool does = p < own.size() && own[p].row == l;
      all.push_back({l, does ? own[p++].value : 0});
      executes.push_back({l, does ? 1 : 0});
    }
    const auto price = [&](const std::optional<Rule>& rule) {
      return rule ? rule->cost + (is_guess(*rule) || rival_of(*rule, base_) ? 1 : 0) : 1e9;
    };
    const auto in_one_run = [&](const Sample& s) { return places_[s.row].run == places_[own[0].row].run; };
    if (std::ranges::all_of(own, in_one_run)) return {};  // nothing says how they go on
    const auto rule = basis_->find(all, Basis::Known::nothing);
    if (!rule || is_guess(*rule)) return {};
    constexpr double kCompared = 2;  // "> 0"
    if (price(rule) + kCompared >= price(basis_->condition(executes)) + price(basis_->find(own, known_of(own))))
      return {};
    const Expression some = operation(Operation::greater, rule->expression, number(0));
    return TripsOfAll{use(*rule, base_, "the trips of " + what), generalize::text(some, base_.names)};
  }

  /// Which ranks execute a statement follows no rule: the first of them that does, and one that does not.
  [[noreturn]] void refuse_structure(const Node& node, const std::vector<std::uint32_t>& around) const {
    std::set<std::uint32_t> with, without;
    for (const std::uint32_t l : around)
      (std::ranges::binary_search(node.where, l) ? with : without).insert(places_[l].run);
    const Node& first = first_call(node);
    const std::string made = call_text(first, 0);
    for (const std::uint32_t run : without)
      if (!with.contains(run)) {
        const std::uint32_t other = ranks_[*with.begin()];
        refuse(fmt::format("the program differs: with {} ranks {} calls {}, with {} no rank does", other,
                           place(first.where[0]), made, ranks_[run]),
               "trace numbers of ranks at which the program does the same");
      }
    std::vector<std::string> who;
    for (std::uint32_t run = 0; run < ranks_.size(); ++run) {
      std::vector<std::uint32_t> own;
      for (const std::uint32_t l : node.where)
        if (places_[l].run == run) own.push_back(places_[l].r);
      who.push_back(fmt::format("[{}] of {}", text::ranges(own), ranks_[run]));
    }
    refuse(fmt::format("no rule of p and r says which ranks call {}: {}", made, fmt::join(who, ", ")),
           "see docs/generalize.md for what rules are made of");
  }

  std::string call_text(const Node& node, std::size_t p) const {
    const Call& call = node.call();
    std::vector<std::string> arguments;
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      const auto& parameter = call.function->parameters[a];
      arguments.push_back(
          fmt::format("{}={}", parameter.name,
                      literal_(written_role(*call.function, parameter), call.arguments[a].of(p).values[0])));
    }
    return fmt::format("{}({})", call.function->name, fmt::join(arguments, ", "));
  }

  /// The length of a call's messages: offsets in its buffers may be so many of them.
  struct Unit {
    std::map<std::uint32_t, std::int64_t> bytes{};  ///< by location
    std::int64_t element = 0;                       ///< bytes of an element
    std::vector<At> counts{};
  };

  /// Nothing where all ranks' messages are as long, or those of a rank are not.
  std::optional<Unit> unit_of(const Call& call, std::size_t buffer, const Node& node) const {
    const mpi::Parameter& parameter = call.function->parameters[buffer];
    if (parameter.role != Role::buffer || parameter.count < 0 || parameter.datatype < 0 || parameter.displs >= 0)
      return {};
    if (mpi::is_array(call.function->parameters[static_cast<std::size_t>(parameter.count)].role)) return {};
    const auto& counts = call.arguments[static_cast<std::size_t>(parameter.count)];
    const auto& types = call.arguments[static_cast<std::size_t>(parameter.datatype)];
    Unit unit;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      if (counts.of(p).kind != Sequence::Kind::constant || types.of(p).kind != Sequence::Kind::constant) return {};
      const std::int64_t type = types.of(p).values[0], count = counts.of(p).values[0];
      if (type < 0 || type >= std::ssize(united_.name_bytes) || count <= 0) return {};
      const std::int64_t element = united_.name_bytes[static_cast<std::size_t>(type)];
      if (element <= 0 || (p > 0 && element != unit.element)) return {};
      unit.element = element;
      unit.bytes[node.where[p]] = count * element;
      unit.counts.push_back({node.where[p], count});
    }
    const auto& all = unit.counts;
    if (std::ranges::all_of(all, [&](const At& one) { return one.value == all[0].value; })) return {};
    return unit;
  }

  /// How many messages of the call at hand lie before each of these places; nothing where that is no whole number.
  std::optional<std::vector<At>> in_messages(std::span<const At> places) const {
    std::vector<At> messages;
    for (const At& one : places) {
      const std::int64_t bytes = unit_->bytes.at(one.l), offset = mpi::offset_of(one.value);
      if (offset % bytes != 0) return {};
      messages.push_back({one.l, offset / bytes});
    }
    return messages;
  }

  /// "b2+$(8 * (512 / p) * r)" of "r".
  std::optional<std::string> behind_messages(std::int64_t slot, const std::string& messages, const std::string& what) {
    const double cost = result_.cost;  // the count costs where it is an argument
    const auto count = number_of(unit_->counts, what);
    if (!count) return {};
    result_.cost = cost;
    return fmt::format("b{}+$({})", slot,
                       plain(fmt::format("{} * ({}) * ({})", unit_->element, inside(*count), messages)));
  }

  /// Places in one buffer that are so many messages behind its begin, where this is simpler than what it is in bytes.
  std::optional<std::string> offset_in_messages(std::span<const At> places, const std::string& what) {
    if (!unit_ || of_one_run(places)) return {};
    const std::int64_t slot = mpi::slot_of(places[0].value);
    std::vector<Sample> bytes, samples;
    for (const At& one : places) {
      if (mpi::slot_of(one.value) != slot) return {};
      bytes.push_back({one.l, mpi::offset_of(one.value)});
    }
    if (std::ranges::all_of(bytes, [&](const Sample& s) { return s.value == bytes[0].value; })) return {};
    const auto messages = in_messages(places);
    if (!messages) return {};
    for (const At& one : *messages) samples.push_back({one.l, one.value});
    const auto rule = basis_->find(samples, Basis::Known::sizes), direct = basis_->find(bytes, Basis::Known::sizes);
    constexpr double kUnit = 2;  // what a message's length costs
    if (!rule || (direct && direct->cost <= rule->cost + kUnit)) return {};
    return behind_messages(slot, use(*rule, base_, what), what);
  }

  void call(const Node& node, const std::vector<std::uint64_t>& executions, const std::string& where,
            const std::string& indent) {
    const Call& call = node.call();
    const std::string name(call.function->name);
    std::vector<std::string> arguments;
    // Buffers last: how many they are may follow from what is sent.
    std::vector<std::string> texts(call.arguments.size());
    const auto find_texts = [&](bool buffers) {
      for (std::size_t a = 0; a < call.arguments.size(); ++a) {
        const mpi::Parameter& parameter = call.function->parameters[a];
        if ((parameter.role == Role::buffer) != buffers) continue;
        const std::string what = fmt::format("{} of {}", parameter.name, name);
        unit_ = unit_of(call, a, node);
        texts[a] = argument(call.arguments[a], written_role(*call.function, parameter), node, executions, &call, what);
      }
    };
    const Generalized before = result_;
    means_.clear();
    no_means_.clear();
    find_texts(false);
    if (!means_.empty()) {
      // Both sides of the collective, also where one of them has a rule.
      result_ = before;
      means_.clear();
      all_means_ = true;
      find_texts(false);
      all_means_ = false;
    }
    find_texts(true);
    unit_.reset();
    peers_ = false;
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      const mpi::Parameter& parameter = call.function->parameters[a];
      const bool unsaid = parameter.role == Role::status || parameter.role == Role::statuses;
      if (!unsaid || texts[a] != "()") arguments.push_back(fmt::format("{}={}", parameter.name, texts[a]));
    }
    program_ += fmt::format("{}{}{}({})", indent, where, name, fmt::join(arguments, ", "));
    if (call.order.choices.size() > 1 || call.order.choices[0] != Sequence{})
      refuse_unsupported("reordered exchanges are not generalised");
    if (call.matched)
      program_ += " got " + argument(*call.matched, Role::peer, node, executions, nullptr, "who is matched by " + name);
    if (call.any_order) program_ += " in any order";
    if (std::ranges::any_of(call.answers, [](std::uint8_t k) { return k > 0; })) {
      std::vector<At> answers;
      for (std::size_t p = 0; p < node.where.size(); ++p) answers.push_back({node.where[p], call.answers[p]});
      const auto text = number_of(answers, "whom " + name + " answers");
      if (!text) refuse(fmt::format("no rule of p and r says whom {} answers", name));
      program_ += " answers " + *text;
    }
    program_ += "\n";
  }

  // --- the head

  std::string definitions(const std::string& text) {
    // A definition may need those before it.
    std::vector<bool> used(definitions_.size(), false);
    const auto mentions = [](const std::string& where, const std::string& name) {
      const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
      for (std::size_t at = where.find(name); at != std::string::npos; at = where.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !part(where[at - 1])) && (end >= where.size() || !part(where[end]))) return true;
      }
      return false;
    };
    for (std::size_t i = definitions_.size(); i-- > 0;) {
      used[i] = mentions(text, definitions_[i].first);
      for (std::size_t later = i + 1; later < definitions_.size() && !used[i]; ++later)
        used[i] = used[later] && mentions(definitions_[later].second, definitions_[i].first);
    }
    std::string lines;
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      if (!used[i]) continue;
      lines += fmt::format("let {} = {}\n", definitions_[i].first, definitions_[i].second);
      const bool of_grid = std::ranges::find(base_.names, definitions_[i].first) != base_.names.end();
      result_.cost += kDefinition + (of_grid && is_guessed_space() ? kGuessedSpace : 0);
    }
    return lines;
  }

  std::string names() const {
    std::vector<std::string> items;
    for (std::size_t n = 0; n < united_.names.size(); ++n) {
      const std::string& name = united_.names[n];
      items.push_back(
          (text::is_identifier(name) ? name : mpi::quoted(name)) +
          (united_.name_bytes[n] == mpi::datatype_size(name) ? "" : fmt::format(" {}", united_.name_bytes[n])));
    }
    return items.empty() ? std::string() : fmt::format("names {}\n", fmt::join(items, ", "));
  }

  /// How fast the traced processors were, on average.
  std::string machines() const {
    double plain = 0, memory = 0, flops = 0;
    for (const auto& location : united_.locations) {
      plain += location.speed_register;
      memory += location.speed_memory;
      flops += location.speed_flops;
    }
    std::string text;
    const auto add = [&](const char* word, double sum) {
      if (sum > 0) text += fmt::format(" {} {:.9g}", word, sum / static_cast<double>(united_.locations.size()));
    };
    add("register", plain);
    add("memory", memory);
    add("flops", flops);
    return text.empty() ? text : "machine" + text + "\n";
  }

  /// Bytes of the buffers, where they do not follow from the calls: a datatype is made of none.
  std::string buffers() {
    const Node* const call = of_no_datatype(united_.program);
    if (!call) return {};
    std::vector<Values> own;
    Lists lists;
    for (const auto& location : united_.locations)
      own.emplace_back(location.buffer_bytes.begin(), location.buffer_bytes.end());
    for (std::uint32_t l = 0; l < places_.size(); ++l) lists.emplace_back(l, own[l]);
    const auto text = items(Role::offset, lists, "the bytes of buffers");
    if (!text)
      refuse(fmt::format("{} makes a datatype of unknown size, and no rule of p and r gives the bytes of the buffers",
                         call_text(*call, 0)));
    return fmt::format("buffers ({})\n", *text);
  }

  /// The first call that makes a datatype of none that exists: a parametrized basic one.
  static const Node* of_no_datatype(const Block& block) {
    for (const Node& node : block) {
      if (node.is_loop()) {
        if (const Node* const inside = of_no_datatype(node.loop().body)) return inside;
        continue;
      }
      const mpi::Function& function = *node.call().function;
      if (function.kind == mpi::Kind::type_create && function.find(Role::datatype) < 0 &&
          function.find(Role::datatypes) < 0)
        return &node;
    }
    return nullptr;
  }

  std::string communicators() {
    return shared("comm", &skeleton::LocationData::communicators, 2) +
           shared("window", &skeleton::LocationData::windows, 0) + shared("file", &skeleton::LocationData::files, 0);
  }

  std::string files() const {
    std::string lines;
    for (std::size_t n = 0; n < united_.scratch.size(); ++n) {
      const auto& [bytes, rank] = united_.scratch[n];
      lines += fmt::format("scratch {}{} rank {}\n", n, bytes < 0 ? "" : fmt::format(" bytes {}", bytes), rank);
    }
    return lines;
  }

  /// Communicators that the same call makes on all ranks: one line.
  std::string shared(const char* word, std::vector<Communicator> skeleton::LocationData::*which, std::size_t first) {
    // By slot and how often it was taken before: ranks that get none are left out.
    std::map<std::pair<int, int>, std::vector<std::pair<std::uint32_t, const Communicator*>>> families;
    std::vector<std::pair<int, int>> order;
    std::size_t most = 0;
    for (std::uint32_t l = 0; l < places_.size(); ++l) {
      std::map<int, int> times;
      std::vector<std::pair<int, int>> own;
      const auto& all = united_.locations[l].*which;
      for (std::size_t i = first; i < all.size(); ++i) {
        own.emplace_back(all[i].slot, times[all[i].slot]++);
        families[own.back()].emplace_back(l, &all[i]);
      }
      if (own.size() > most) {
        most = own.size();
        order = std::move(own);
      }
    }
    if (order.size() != families.size()) refuse(fmt::format("ranks make different {}s, in another order", word));
    std::string lines;
    for (const auto& key : order) lines += family(word, key.first, families[key]);
    return lines;
  }

  std::string family(const char* word, int slot,
                     const std::vector<std::pair<std::uint32_t, const Communicator*>>& members) {
    const std::string what = fmt::format("{} {}{}", word, word[0], slot);
    std::vector<std::uint32_t> where, all(places_.size());
    std::iota(all.begin(), all.end(), 0u);
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::int64_t> label_of;
    std::map<std::int64_t, std::int64_t> next;  // by label: rank of the next member, if they ascend
    std::vector<Sample> labels;
    std::vector<At> ranks, sources, destinations;
    bool ascending = true, topology = false, grid = false;
    for (const auto& [l, comm] : members) {
      if (comm->inter()) refuse_unsupported(fmt::format("{} is an intercommunicator, which is not generalised", what));
      where.push_back(l);
      const auto label =
          label_of.try_emplace({places_[l].run, comm->identity}, static_cast<std::int64_t>(label_of.size()))
              .first->second;
      labels.push_back({l, label});
      ranks.push_back({l, comm->rank});
      ascending = ascending && comm->rank == next[label]++;
      sources.push_back({l, comm->sources});
      destinations.push_back({l, comm->destinations});
      topology = topology || comm->sources >= 0 || comm->destinations >= 0;
      grid = grid || comm->grid;
    }
    const auto condition = who(where, all, what);
    if (!condition) refuse(fmt::format("no rule of p and r says which ranks have {}", what));
    const auto partition = basis_->partition(labels);
    if (!partition) refuse(fmt::format("no rule of p and r says who is together in {}", what));
    std::string line =
        fmt::format("{}{} {}{} by $({})", *condition, word, word[0], slot,
                    partition->expression.operation == Operation::constant ? "0" : use(*partition, base_, what));
    const auto value = [&](const char* clause, std::span<const At> values) {
      const auto text = number_of(values, fmt::format("{} of {}", clause, what));
      if (!text) refuse(fmt::format("no rule of p and r gives the {} of {}: {}", clause, what, examples(values)));
      line += fmt::format(" {} {}", clause, *text);
    };
    if (!ascending) value("rank", ranks);
    if (topology) {
      value("sources", sources);
      value("destinations", destinations);
    }
    if (grid) line += " grid " + grid_text(members, what);
    return line + "\n";
  }

  std::string grid_text(const std::vector<std::pair<std::uint32_t, const Communicator*>>& members,
                        const std::string& what) {
    const auto& first = members[0].second->grid;
    std::vector<std::string> items;
    for (std::size_t d = 0; first && d < first->dimensions.size(); ++d) {
      std::vector<At> sizes;
      bool alike = true;
      for (const auto& [l, comm] : members) {
        alike = alike && comm->grid && comm->grid->dimensions.size() == first->dimensions.size() &&
                comm->grid->dimensions[d].periodic == first->dimensions[d].periodic;
        if (alike) sizes.push_back({l, comm->grid->dimensions[d].size});
      }
      if (!alike) refuse(fmt::format("the grids of {} have other dimensions at other numbers of ranks", what));
      const auto size = number_of(sizes, "a size in the grid of " + what);
      if (!size) refuse(fmt::format("no rule of p gives size {} in the grid of {}: {}", d, what, examples(sizes)));
      items.push_back(*size + (first->dimensions[d].periodic ? " periodic" : ""));
    }
    return fmt::format("({})", fmt::join(items, ", "));
  }

  const Skeleton& united_;
  const std::span<const std::uint32_t> ranks_;
  const mpi::ListedValues literal_;
  const Grid grid_;
  const Trips trips_;
  const Counts counts_;
  // Of the call at hand:
  std::map<std::size_t, std::string> means_;  ///< by argument: the rule of the mean of its counts
  bool all_means_ = false;                    ///< take them before rules
  std::string no_means_;                      ///< why its counts have none
  std::vector<Place> places_;                 ///< by location
  Rows base_;                                 ///< first the locations, then probes
  std::optional<Basis>& basis_;
  std::deque<Basis>& lists_;
  std::uint64_t& reached_;
  bool& guessed_;
  std::vector<Rule>& of_all_;
  std::vector<std::pair<std::string, std::string>> definitions_;
  std::string program_;
  std::vector<std::pair<std::vector<At>, std::string>> runs_;  ///< of progressions: how many, as it was found
  std::string length_;                                         ///< of the last list that has a rule over its elements
  Inside* loop_ = nullptr;                                     ///< innermost
  std::optional<Unit> unit_;                                   ///< of the buffer at hand
  bool peers_ = false;                                         ///< values are ranks of all
  bool guesses_ = true;                                        ///< rules that nothing confirms are taken, with a doubt
  double total_ = 0, error_ = 0, weight_ = 0, imbalance_ = 0;
  struct Condition {
    std::string text;
    Expression is;
  };
  std::vector<Condition> executing_;  ///< conditions of the statement at hand and the loops around it
  Generalized result_;
};

}  // namespace

const char* text(Grid::Kind kind) {
  switch (kind) {
    case Grid::Kind::none:
      return "none";
    case Grid::Kind::found:
      return "of the Cartesian communicator";
    case Grid::Kind::plane:
      return "a plane, its first dimension the larger one";
    case Grid::Kind::plane_last:
      return "a plane, its last dimension the larger one";
    case Grid::Kind::space:
      return "a space, its first dimension the largest";
    case Grid::Kind::space_last:
      return "a space, its last dimension the largest";
  }
  return "";
}

Generalized generalize(const Skeleton& united, std::span<const std::uint32_t> ranks, Grid grid, Trips trips,
                       Counts counts, KnownByGrid& known) {
  Known& of_grid = known[grid.kind];
  auto once = Generalizer(united, ranks, grid, trips, counts, of_grid).run();
  if (once.doubts.empty()) return once;
  // Later statements may have rules for what earlier ones leave open.
  auto again = Generalizer(united, ranks, grid, trips, counts, of_grid).run();
  return again.doubts.size() < once.doubts.size() ? again : once;
}

std::vector<Grid> grids_of(const Skeleton& united, std::span<const std::uint32_t> ranks) {
  using enum Grid::Kind;
  std::size_t dimensions = 0;
  for (std::uint32_t run = 0; run < ranks.size(); ++run) {
    const auto* const grid = Generalizer::cartesian(united, ranks, run);
    const std::size_t own = grid ? grid->dimensions.size() : 0;
    if (run > 0 && own != dimensions) return {{none}, {plane}, {plane_last}, {space}, {space_last}};
    dimensions = own;
  }
  if (dimensions == 2 || dimensions == 3) return {{found}, {none}};
  return {{none}, {plane}, {plane_last}, {space}, {space_last}};
}

}  // namespace skelgen::generalize
