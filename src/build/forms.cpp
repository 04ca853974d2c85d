#include "build/forms.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "build/cost.h"
#include "fold/around.h"
#include "fold/joint.h"
#include "fold/shared_loops.h"
#include "fold/stream.h"
#include "merge/align.h"
#include "merge/merge.h"
#include "normalize/peers.h"
#include "support/parallel.h"

namespace skelgen::build {
namespace {

using normalize::Normalized;

// A regular program has at least so many calls for each of its values, or symbols. It stays as it is: with peers as values
// it might have fewer statements, but lists where it has formulas.
constexpr std::uint64_t kRegular = 32;
// A program of fewer calls than this is read at a glance.
constexpr std::size_t kShort = 12;
// Anchors around which a run is folded while no main loop can be cut.
constexpr std::size_t kMostAnchors = 6;
// Alignment takes the square of a program's length, and that of a thousand symbols some milliseconds: longer ones that did
// not fold are merged last, and one only.
constexpr std::size_t kLong = 1000;

bool is_good_enough(const Cost& cost, std::uint64_t calls) {
  return cost.cut != CutTrips::none && (cost.calls < kShort || (!cost.lists && kRegular * cost.values < calls));
}

/// How a sequence of so many calls is folded.
fold::Mode mode_of(std::optional<fold::Mode> wanted, std::uint64_t calls, std::uint64_t most_at_once) {
  return wanted.value_or(calls <= most_at_once ? fold::Mode::best : fold::Mode::stream);
}

std::vector<fold::Symbol> text_of(const Normalized& run, const normalize::Class& alike) {
  std::vector<fold::Symbol> text;
  const auto& calls = run.locations[alike.members.front()].calls;
  text.reserve(calls.size());
  for (const auto call : calls) text.push_back(run.records[call].symbol);
  return text;
}

/// MPI_Init or MPI_Finalize stands in a loop, which no program may have. Of a program that calls much before MPI_Init.
bool repeats_what_is_once(const Normalized& run, const fold::Program& program, bool inside = false) {
  return std::ranges::any_of(program, [&](const fold::Node& node) {
    if (node.is_loop()) return repeats_what_is_once(run, node.body, true);
    const auto kind = run.symbols[node.symbol].function->kind;
    return inside && (kind == mpi::Kind::init || kind == mpi::Kind::finalize);
  });
}

/// Loops of the top level with few trips become statements.
void write_out(fold::Program& program) {
  constexpr std::uint64_t kFew = 3;
  fold::Program all;
  for (auto& node : program) {
    const bool out = node.is_loop() && node.trips <= kFew && node.each.empty();
    for (std::uint64_t i = 0; out && i < node.trips; ++i) all.insert(all.end(), node.body.begin(), node.body.end());
    if (!out) all.push_back(std::move(node));
  }
  program = std::move(all);
}

/// Statements that are calls.
std::size_t call_statements(const fold::Program& program) {
  return std::transform_reduce(program.begin(), program.end(), std::size_t{0}, std::plus<>(), [](const auto& node) {
    return node.is_loop() ? call_statements(node.body) : std::size_t{1};
  });
}

constexpr Candidate kInStep{Candidate::View::peers_relative, Candidate::Folding::alone, Candidate::Merging::in_step};

/// A run folded, not merged yet.
struct Form {
  const Normalized* view;
  std::vector<fold::Program> programs;    // of classes
  std::optional<merge::MergedLog> log{};  // that programs[0] is of
  Candidate candidate{};

  /// Symbols of the longest program.
  std::size_t longest() const {
    std::size_t longest = 0;
    for (const auto& program : programs) longest = std::max(longest, fold::length(program));
    return longest;
  }
};

/// Makes forms of a run and keeps the cheapest.
class Choice {
 public:
  Choice(const Normalized& run, const Options& options, StageClock& clock, Diagnostics& diagnostics)
      : run_(run), options_(options), clock_(clock), diagnostics_(diagnostics) {
    for (const auto& location : run.locations) {
      calls_ += location.calls.size();
      longest_ = std::max<std::uint64_t>(longest_, location.calls.size());
    }
    for (const auto& alike : run.classes) different_ += run.locations[alike.members.front()].calls.size();
  }

  skeleton::Skeleton among(std::span<const Candidate> candidates) {
    std::optional<Form> shortest;  // of those that did not fold
    bool compared = candidates.size() == 1;
    for (const Candidate& candidate : candidates) {
      if (best_ && !std::exchange(compared, true) && splits_what_is_alike()) consider(in_step(run_));
      if (best_ && is_good_enough(cost_, calls_)) break;
      diagnostics_.too_long = &candidate != candidates.data() && different_ > options_.most_tried;
      if (diagnostics_.too_long) break;
      // Around other anchors there may be a main loop that can be cut.
      const std::size_t most = candidate.folding == Candidate::Folding::around ? kMostAnchors : 1;
      around_.reset();
      for (std::size_t tried = 0; tried < most && (tried == 0 || cost_.cut != CutTrips::many); ++tried) {
        auto form = folded(candidate);
        if (!form) break;
        form->candidate = candidate;
        if (form->longest() < kLong || kRegular * form->longest() <= longest_)
          consider(*form);
        else if (!shortest || form->longest() < shortest->longest())
          shortest = std::move(form);
      }
    }
    if (shortest &&
        (!best_ || (!is_good_enough(cost_, calls_) && Cost{.statements = shortest->longest()}.size() < cost_.size())))
      consider(*shortest);
    if (!best_) consider(*folded(kCandidates[0]));
    return std::move(*best_);
  }

 private:
  /// Nothing if calls do not differ in ranks only, or the folding finds no programs that may be.
  std::optional<Form> folded(const Candidate& candidate) {
    const Normalized* view = &run_;
    if (candidate.view == Candidate::View::peers_as_values) {
      if (!named_) named_ = normalize::ranks_as_values(run_);
      if (!*named_) return {};
      view = &**named_;
    }
    if (candidate.merging == Candidate::Merging::in_step) return in_step(*view);
    clock_.enter("fold", diagnostics_.stages.fold);
    if (candidate.folding == Candidate::Folding::alone) {
      auto programs = fold_classes(*view, options_.fold, options_.most_at_once, best_ ? again_ : diagnostics_.runs);
      if (candidate.written_out)
        for (auto& program : programs) write_out(program);
      if (const auto owners = candidate.shared_loops)
        fold::share_loops(programs, owners_of_classes(*view, *owners), *owners);
      return Form{view, std::move(programs)};
    }
    if (candidate.folding == Candidate::Folding::jointly && !view->pools.empty()) return {};
    std::optional<std::vector<fold::Program>> programs;
    if (candidate.folding == Candidate::Folding::around) {
      if (!around_) {
        texts_ = texts_of(*view);
        around_.emplace(texts_);
      }
      programs = around_->next();
    } else {
      auto joint = fold::fold_jointly(texts_of(*view));
      diagnostics_.stopped = diagnostics_.stopped || joint.stopped;
      programs = std::move(joint.programs);
    }
    const auto bad = [&](const fold::Program& program) { return repeats_what_is_once(*view, program); };
    if (!programs || std::ranges::any_of(*programs, bad)) return {};
    return Form{view, std::move(*programs)};
  }

  /// By class, the owners of its loops: the runs of its members, or the class itself.
  std::vector<std::set<std::uint32_t>> owners_of_classes(const Normalized& view, fold::Owners kind) const {
    std::vector<std::uint32_t> run_of;
    for (std::uint32_t run = 0; run < options_.joined.size(); ++run)
      run_of.resize(run_of.size() + options_.joined[run], run);
    std::vector<std::set<std::uint32_t>> all;
    for (const auto& alike : view.classes) {
      const auto number = static_cast<std::uint32_t>(all.size());
      std::set<std::uint32_t>& own = all.emplace_back();
      if (kind == fold::Owners::locations)
        own.insert(number);
      else
        for (const std::size_t member : alike.members) own.insert(run_of.at(member));
    }
    return all;
  }

  /// All locations make the same calls but for peers and roots, and the cheapest form has more statements than any of them
  /// alone: merged as they were traced, each call is one statement.
  bool splits_what_is_alike() const {
    if (run_.classes.size() < 2 || cost_.calls <= alone_ || calls_ > options_.most_tried) return false;
    const auto shapes = merge::shapes_of(run_);
    const auto calls_of = [&](const normalize::Class& alike) -> const auto& {
      return run_.locations[alike.members.front()].calls;
    };
    const auto shape = [&](auto call) { return shapes[run_.records[call].symbol]; };
    return std::ranges::all_of(run_.classes, [&](const normalize::Class& alike) {
      return std::ranges::equal(calls_of(alike), calls_of(run_.classes.front()), {}, shape, shape);
    });
  }

  static std::vector<std::vector<fold::Symbol>> texts_of(const Normalized& view) {
    std::vector<std::vector<fold::Symbol>> texts;
    for (const auto& alike : view.classes) texts.push_back(text_of(view, alike));
    return texts;
  }

  Form in_step(const Normalized& view) {
    clock_.enter("merge", diagnostics_.stages.merge);
    auto log = merge::merge_logs(view, options_.look_ahead);
    clock_.enter("fold", diagnostics_.stages.fold);
    const fold::Mode mode = mode_of(options_.fold, log.text.size(), options_.most_at_once);
    diagnostics_.streamed = !options_.fold && mode == fold::Mode::stream;
    const bool stream = mode == fold::Mode::stream;
    auto runs = stream ? std::vector<strings::Run>() : fold::find_runs(log.text, best_ ? again_ : diagnostics_.runs);
    auto program = fold::fold(log.text, std::move(runs), mode);
    return {&view, {std::move(program)}, std::move(log), kInStep};
  }

  void consider(const Form& form) {
    clock_.enter("merge", diagnostics_.stages.merge);
    auto skeleton = form.log ? merge::into_spmd(*form.view, *form.log, form.programs[0])
                             : merge::into_spmd(*form.view, form.programs);
    const Cost cost = cost_of(skeleton, calls_);
    if (!best_ && !form.log)
      for (const auto& program : form.programs) alone_ = std::max(alone_, call_statements(program));
    if (best_ && !(cost < cost_)) return;
    best_ = std::move(skeleton);
    diagnostics_.form = form.candidate;
    cost_ = cost;
  }

  const Normalized& run_;
  const Options& options_;
  StageClock& clock_;
  Diagnostics& diagnostics_;
  fold::RunSearch again_;                           // of candidates but the first
  std::optional<std::optional<Normalized>> named_;  // run_ with ranks as values, once it was asked for
  std::vector<std::vector<fold::Symbol>> texts_;    // of the candidate at hand
  std::optional<fold::Around> around_;              // these
  std::uint64_t calls_ = 0, longest_ = 0;           // of all locations; of that with the most
  std::uint64_t different_ = 0;                     // of all classes, one location each
  std::optional<skeleton::Skeleton> best_;
  Cost cost_;              // of best_
  std::size_t alone_ = 0;  // statements of the class that has most, in the first form
};

}  // namespace

std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, std::optional<fold::Mode> wanted,
                                        std::uint64_t most_at_once, fold::RunSearch& runs) {
  std::vector<fold::Program> programs(normalized.classes.size());
  std::vector<fold::RunSearch> searches(programs.size(), {.by = runs.by});
  parallel_for(programs.size(), [&](std::size_t c) {
    const auto& calls = normalized.locations[normalized.classes[c].members.front()].calls;
    const fold::Mode mode = mode_of(wanted, calls.size(), most_at_once);
    if (mode != fold::Mode::stream) {
      const auto text = text_of(normalized, normalized.classes[c]);
      programs[c] = fold::fold(text, fold::find_runs(text, searches[c]), mode);
      return;
    }
    fold::Stream stream;
    std::vector<fold::Symbol> some;
    for (const auto call : calls) {
      some.push_back(normalized.records[call].symbol);
      if (some.size() < std::size_t{1} << 16) continue;
      stream.push(some);
      some.clear();
    }
    stream.push(some);
    programs[c] = std::move(stream).finish();
  });
  for (const auto& search : searches) runs.add(search);
  return programs;
}

std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, fold::Mode mode) {
  fold::RunSearch runs;
  return fold_classes(normalized, mode, kMostAtOnce, runs);
}

skeleton::Skeleton shortest_form(const Normalized& normalized, const Options& options, StageClock& clock,
                                 Diagnostics& diagnostics, std::span<const Candidate> candidates) {
  diagnostics.runs.by = options.runs;
  std::uint64_t longest = 0;
  for (const auto& location : normalized.locations) longest = std::max(longest, location.calls.size());
  const fold::Mode mode = mode_of(options.fold, longest, options.most_at_once);
  diagnostics.streamed = !options.fold && mode == fold::Mode::stream;
  if (mode != fold::Mode::best) candidates = candidates.first(1);
  if (options.merge == Merge::seed) candidates = {&kInStep, 1};
  return Choice(normalized, options, clock, diagnostics).among(candidates);
}

}  // namespace skelgen::build
