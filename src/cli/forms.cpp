#include "cli/forms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "cli/pipeline.h"
#include "fold/between.h"
#include "fold/joint.h"
#include "merge/merge.h"
#include "normalize/peers.h"
#include "support/parallel.h"

namespace skelgen::cli {
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

/// Calls of all locations in a block that location l executes executions[l] times.
std::uint64_t calls_of(const skeleton::Block& block, const std::vector<std::uint64_t>& executions) {
  std::uint64_t calls = 0;
  for (const skeleton::Node& node : block) {
    std::vector<std::uint64_t> inside(executions.size(), 0);
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const std::uint64_t own = executions[node.where[p]];
      if (!node.is_loop()) calls += own;
      if (node.is_loop()) inside[node.where[p]] = static_cast<std::uint64_t>(node.loop().trips.of(p).sum(own));
    }
    if (node.is_loop()) calls += calls_of(node.loop().body, inside);
  }
  return calls;
}

/// Trips of the loop on the top level that all locations run equally often, at least ten times, and that has at least
/// half of all calls.
std::optional<std::int64_t> main_trips(const skeleton::Skeleton& skeleton, std::uint64_t calls) {
  const std::vector<std::uint64_t> once(skeleton.locations.size(), 1);
  for (const skeleton::Node& node : skeleton.program) {
    if (!node.is_loop() || node.where.size() != once.size() || node.loop().trips.choices.size() != 1) continue;
    if (node.loop().trips.choices[0].at(0) < kFewestTrips) continue;
    if (2 * calls_of({node}, once) >= calls) return node.loop().trips.choices[0].at(0);
  }
  return {};
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

}  // namespace

std::optional<std::vector<fold::Program>> fold_together(const Normalized& normalized,
                                                        std::span<const fold::Program> programs) {
  std::size_t longest = 0;
  for (const auto& program : programs) longest = std::max(longest, fold::length(program));
  if (longest < kLongProgram || !normalized.pools.empty()) return {};
  std::vector<std::vector<fold::Symbol>> texts;
  for (std::size_t c = 0; c < programs.size(); ++c) {
    texts.push_back(text_of(normalized, c));
    if (has_main_loop(programs[c], texts.back().size())) return {};
  }
  auto together = fold::fold_jointly(texts);
  if (!together) return {};
  const bool shorter =
      std::ranges::all_of(*together, [&](const auto& program) { return 2 * fold::length(program) <= longest; });
  return shorter ? std::move(together) : std::nullopt;
}

Form with_peers_as_values(const Normalized& normalized, skeleton::Skeleton folded, std::uint64_t most_calls) {
  const std::size_t statements = skeleton::length(folded.program);
  std::uint64_t calls = 0, different = 0;
  for (const auto& location : normalized.locations) calls += location.calls.size();
  for (const auto& alike : normalized.classes) different += normalized.locations[alike.members.front()].calls.size();
  if (statements < kShortProgram) return {std::move(folded)};
  if (kFewValues * skeleton::argument_values(folded) < calls) return {std::move(folded)};
  if (different > most_calls) return {std::move(folded), true};
  const auto other = normalize::peers_as_values(normalized);
  const Normalized& run = other ? *other : normalized;
  const auto trips = main_trips(folded, calls);
  const auto better = [&](const skeleton::Skeleton& skeleton) {
    return 2 * skeleton::length(skeleton.program) <= statements && (!trips || main_trips(skeleton, calls) == trips);
  };
  if (const auto programs = fold_around_common(run))
    if (auto skeleton = merge::into_spmd(run, *programs); better(skeleton)) return {std::move(skeleton)};
  if (other)
    if (auto skeleton = merge::into_spmd(run, fold_classes(run, fold::Mode::best)); better(skeleton))
      return {std::move(skeleton)};
  return {std::move(folded)};
}

}  // namespace skelgen::cli
