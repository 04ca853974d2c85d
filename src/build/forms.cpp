#include "build/forms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fold/between.h"
#include "fold/stream.h"
#include "merge/merge.h"
#include "normalize/peers.h"
#include "support/parallel.h"

namespace skelgen::build {
namespace {

using normalize::Normalized;

std::vector<fold::Symbol> text_of(const Normalized& run, std::size_t c) {
  std::vector<fold::Symbol> text;
  const auto& calls = run.locations[run.classes[c].members.front()].calls;
  text.reserve(calls.size());
  for (const auto call : calls) text.push_back(run.records[call].symbol);
  return text;
}

bool is_message(mpi::Kind kind) {
  return kind == mpi::Kind::send || kind == mpi::Kind::recv || kind == mpi::Kind::sendrecv;
}

/// Symbols that all classes have equally often: what all ranks do together. If these are all, those that send or receive
/// nothing.
std::set<fold::Symbol> steady_symbols(const Normalized& run) {
  std::map<fold::Symbol, std::uint64_t> times, common;
  bool all = true;
  for (std::size_t c = 0; c < run.classes.size(); ++c) {
    times.clear();
    for (const auto symbol : text_of(run, c)) ++times[symbol];
    if (c == 0) common = times;
    all = all && common == times;
    std::erase_if(common, [&](const auto& own) {
      const auto here = times.find(own.first);
      return here == times.end() || here->second != own.second;
    });
  }
  std::set<fold::Symbol> steady;
  for (const auto& [symbol, _] : common)
    if (!all || !is_message(run.symbols[symbol].function->kind)) steady.insert(symbol);
  return steady;
}

/// Every class folded around what all have in common; nothing if that cannot be done.
std::optional<std::vector<fold::Program>> fold_around_common(const Normalized& run) {
  const auto steady = steady_symbols(run);
  if (steady.empty()) return {};
  std::vector<std::optional<fold::Program>> folded(run.classes.size());
  parallel_for(folded.size(), [&](std::size_t c) { folded[c] = fold::fold_between(text_of(run, c), steady); });
  std::vector<fold::Program> programs;
  for (auto& program : folded) {
    if (!program) return {};
    programs.push_back(std::move(*program));
  }
  return programs;
}

constexpr std::int64_t kFewestTrips = 10;  // of a main loop
/// A program of this many calls for each number that says its arguments and trips is regular: there is nothing to gain.
constexpr std::uint64_t kFewValues = 32;

/// Calls of all locations in a loop of the top level.
std::uint64_t calls_in(const skeleton::Node& loop, std::size_t locations) {
  std::vector<std::uint64_t> executions(locations, 0);
  for (std::size_t p = 0; p < loop.where.size(); ++p)
    executions[loop.where[p]] = static_cast<std::uint64_t>(loop.loop().trips.of(p).sum(1));
  std::uint64_t calls = 0;
  visit_calls(loop.loop().body, executions, [&](const skeleton::Call&, std::uint64_t times) { calls += times; });
  return calls;
}

bool has_varying_trips(const skeleton::Block& block) {
  return std::ranges::any_of(block, [](const skeleton::Node& node) {
    if (!node.is_loop()) return false;
    const auto varies = [](const skeleton::Sequence& trips) { return trips.kind == skeleton::Sequence::Kind::table; };
    return std::ranges::any_of(node.loop().trips.choices, varies) || has_varying_trips(node.loop().body);
  });
}

/// What forms of a run are compared by.
struct Quality {
  std::size_t statements;
  bool varies;                            ///< it has tables of trips
  std::optional<std::int64_t> main, cut;  ///< trips of the main loop, and if it can be cut

  Quality(const skeleton::Skeleton& skeleton, std::uint64_t calls)
      : statements(skeleton::length(skeleton.program)), varies(has_varying_trips(skeleton.program)) {
    const std::size_t locations = skeleton.locations.size();
    for (const skeleton::Node& node : skeleton.program) {
      if (!node.is_loop() || node.where.size() != locations || node.loop().trips.choices.size() != 1) continue;
      const std::int64_t trips = node.loop().trips.choices[0].at(0);
      if (trips < kFewestTrips || 2 * calls_in(node, locations) < calls) continue;
      main = trips;
      if (skeleton::closed(skeleton, node)) cut = trips;
      return;
    }
  }
};

/// Whether a form with other symbols takes the place of the first one: with a loop to cut where there was none, even if
/// it is somewhat longer; else if it is clearly shorter and the main loop is cut as often. Tables of peers are worth more
/// where there were tables of trips.
bool replaces(const Quality& other, const Quality& first) {
  if (other.cut && !first.cut) return other.statements <= 2 * first.statements + kShortProgram;
  const bool shorter =
      first.varies ? 4 * other.statements <= 3 * first.statements : 2 * other.statements <= first.statements;
  return shorter && (!first.cut || (other.cut && *other.cut >= *first.cut)) &&
         (first.cut || !first.main || other.main == first.main);
}

std::uint64_t calls_of(const fold::Program& program) {
  std::uint64_t calls = 0;
  for (const fold::Node& node : program) calls += node.is_loop() ? node.trips * calls_of(node.body) : 1;
  return calls;
}

/// A loop of the top level with at least ten trips and half of the calls. Trips that vary count as the most they are.
bool has_main_loop(const fold::Program& program, std::uint64_t calls) {
  return std::ranges::any_of(program, [&](const fold::Node& node) {
    return node.is_loop() && node.trips >= kFewestTrips && 2 * node.trips * calls_of(node.body) >= calls;
  });
}

std::size_t longest_of(std::span<const fold::Program> programs) {
  std::size_t longest = 0;
  for (const auto& program : programs) longest = std::max(longest, fold::length(program));
  return longest;
}

/// How a sequence of so many calls is folded.
fold::Mode mode_of(std::optional<fold::Mode> wanted, std::uint64_t calls, std::uint64_t most_at_once) {
  return wanted.value_or(calls <= most_at_once ? fold::Mode::best : fold::Mode::stream);
}

skeleton::Skeleton fold_then_merge(const Normalized& normalized, const Options& options, Clock& clock,
                                   Diagnostics& diagnostics) {
  clock.enter("fold", diagnostics.stages.fold);
  const auto programs = fold_classes(normalized, options.fold, options.most_at_once, diagnostics.runs);
  std::uint64_t longest = 0;
  for (const auto& location : normalized.locations) longest = std::max(longest, location.calls.size());
  const fold::Mode mode = mode_of(options.fold, longest, options.most_at_once);
  diagnostics.streamed = !options.fold && mode == fold::Mode::stream;

  clock.enter("merge", diagnostics.stages.merge);
  if (mode != fold::Mode::best) return merge::into_spmd(normalized, programs);
  auto joint = joint_form(normalized, programs);
  diagnostics.stopped = joint.stopped;
  if (joint.skeleton) return std::move(*joint.skeleton);
  Form form = with_peers_as_values(normalized, merge::into_spmd(normalized, programs));
  diagnostics.too_long = form.too_long;
  return std::move(form.skeleton);
}

skeleton::Skeleton merge_then_fold(const Normalized& normalized, const Options& options, Clock& clock,
                                   Diagnostics& diagnostics) {
  clock.enter("merge", diagnostics.stages.merge);
  const auto log = merge::merge_logs(normalized, options.look_ahead);

  clock.enter("fold", diagnostics.stages.fold);
  const fold::Mode mode = mode_of(options.fold, log.text.size(), options.most_at_once);
  diagnostics.streamed = !options.fold && mode == fold::Mode::stream;
  const auto folded = mode == fold::Mode::stream
                          ? fold::fold(log.text, mode)
                          : fold::fold(log.text, fold::find_runs(log.text, diagnostics.runs), mode);

  clock.enter("merge", diagnostics.stages.merge);
  return merge::into_spmd(normalized, log, folded);
}

}  // namespace

std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, std::optional<fold::Mode> wanted,
                                        std::uint64_t most_at_once, fold::RunSearch& runs) {
  std::vector<fold::Program> programs(normalized.classes.size());
  std::vector<fold::RunSearch> searches(programs.size(), {.by = runs.by});
  parallel_for(programs.size(), [&](std::size_t c) {
    const auto& calls = normalized.locations[normalized.classes[c].members.front()].calls;
    const fold::Mode mode = mode_of(wanted, calls.size(), most_at_once);
    const bool all = mode != fold::Mode::stream;
    const std::size_t at_once = all ? calls.size() : std::size_t{1} << 16;
    std::vector<fold::Symbol> text;
    text.reserve(std::min(calls.size(), at_once));
    fold::Stream stream;
    for (const auto call : calls) {
      if (text.size() == at_once) {
        stream.push(text);
        text.clear();
      }
      text.push_back(normalized.records[call].symbol);
    }
    if (!all) stream.push(text);
    programs[c] = all ? fold::fold(text, fold::find_runs(text, searches[c]), mode) : std::move(stream).finish();
  });
  for (const auto& search : searches) runs.add(search);
  return programs;
}

std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, fold::Mode mode) {
  fold::RunSearch runs;
  return fold_classes(normalized, mode, kMostAtOnce, runs);
}

fold::Joint fold_together(const Normalized& normalized, std::span<const fold::Program> programs,
                          std::uint64_t most_work) {
  const std::size_t longest = longest_of(programs);
  if (longest < kLongProgram || !normalized.pools.empty()) return {};
  std::vector<std::vector<fold::Symbol>> texts;
  for (std::size_t c = 0; c < programs.size(); ++c) {
    texts.push_back(text_of(normalized, c));
    if (has_main_loop(programs[c], texts.back().size())) return {};
  }
  auto together = fold::fold_jointly(texts, most_work);
  const auto shorter = [&](const auto& program) { return 2 * fold::length(program) <= longest; };
  if (together.programs && !std::ranges::all_of(*together.programs, shorter)) together.programs.reset();
  return together;
}

JointForm joint_form(const Normalized& normalized, std::span<const fold::Program> programs) {
  const auto together = fold_together(normalized, programs);
  JointForm form{{}, together.stopped};
  if (!together.programs) return form;
  form.skeleton = merge::into_spmd(normalized, *together.programs);
  const auto other = normalize::ranks_as_values(normalized, normalize::Named::peers_and_roots);
  if (!other) return form;
  auto own = fold_classes(*other, fold::Mode::best);
  auto joint = fold_together(*other, own);
  form.stopped = form.stopped || joint.stopped;
  if (joint.programs)
    own = std::move(*joint.programs);
  else if (longest_of(own) >= kLongProgram)
    return form;
  auto shorter = merge::into_spmd(*other, own);
  if (skeleton::length(shorter.program) < skeleton::length(form.skeleton->program)) form.skeleton = std::move(shorter);
  return form;
}

Form with_peers_as_values(const Normalized& normalized, skeleton::Skeleton folded, std::uint64_t most_calls) {
  using normalize::Named;
  std::uint64_t calls = 0, different = 0;
  for (const auto& location : normalized.locations) calls += location.calls.size();
  for (const auto& alike : normalized.classes) different += normalized.locations[alike.members.front()].calls.size();
  const bool small = different <= most_calls;
  std::optional<Quality> known;  // of `folded`, once it is needed
  const auto quality = [&]() -> const Quality& { return known ? *known : known.emplace(folded, calls); };
  std::optional<Normalized> rooted;
  if (small) rooted = normalize::ranks_as_values(normalized, Named::roots);
  if (rooted) {
    auto skeleton = merge::into_spmd(*rooted, fold_classes(*rooted, fold::Mode::best));
    const Quality other(skeleton, calls);
    if (other.statements < quality().statements && (!quality().cut || other.cut)) {
      folded = std::move(skeleton);
      known = other;
    } else {
      rooted.reset();
    }
  }
  if (kFewValues * skeleton::argument_values(folded) < calls) return {std::move(folded)};
  const std::size_t short_program = quality().varies ? kShortProgram / 2 : kShortProgram;
  if (quality().statements < short_program && quality().cut) return {std::move(folded)};
  const bool may_differ =
      normalized.classes.size() > 1 || normalize::differ_in_ranks_only(normalized, Named::peers_and_roots);
  if (!may_differ) return {std::move(folded)};
  if (!small) return {std::move(folded), true};
  const auto other = normalize::ranks_as_values(normalized, Named::peers_and_roots);
  const Normalized& named = rooted ? *rooted : normalized;
  std::optional<skeleton::Skeleton> chosen;
  const auto consider = [&](const Normalized& run, const std::optional<std::vector<fold::Program>>& programs) {
    if (!programs) return;
    auto skeleton = merge::into_spmd(run, *programs);
    if (replaces(Quality(skeleton, calls), quality())) chosen = std::move(skeleton);
  };
  const Normalized& run = other ? *other : named;
  consider(run, fold_around_common(run));
  if (other && !chosen) consider(*other, fold_classes(*other, fold::Mode::best));
  if (other && !chosen) consider(named, fold_around_common(named));
  if (chosen) return {std::move(*chosen)};
  return {std::move(folded)};
}

skeleton::Skeleton shortest_form(const Normalized& normalized, const Options& options, Clock& clock,
                                 Diagnostics& diagnostics) {
  diagnostics.runs.by = options.runs;
  return (options.merge == Merge::folded ? fold_then_merge : merge_then_fold)(normalized, options, clock, diagnostics);
}

}  // namespace skelgen::build
