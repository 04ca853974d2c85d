#include "predict/split.h"

#include <algorithm>
#include <numeric>

#include "support/error.h"

namespace skelgen::predict {
namespace {

/// A quantity in each of the runs.
using Values = std::array<double, 8>;

/// The part of values[7] - values[0] that a factor's change causes.
double caused_by(unsigned factor, const Values& values) {
  const unsigned bit = 1U << factor;
  double sum = 0;
  for (unsigned others = 0; others < 8; ++others) {
    if (others & bit) continue;
    const bool one = others != 0 && others != (7U & ~bit);  // of the two others
    sum += (one ? 1 : 2) * (values[others | bit] - values[others]) / 6;
  }
  return sum;
}

Parts parts_of(const Values& seconds, const Values& mean, const Values& own) {
  Parts parts;
  const double computation = caused_by(0, seconds), more = caused_by(0, own);
  parts.computation = caused_by(0, mean);
  parts.imbalance = more - parts.computation;
  parts.waiting = computation - more;
  parts.latency = caused_by(1, seconds);
  parts.bandwidth = caused_by(2, seconds);
  return parts;
}

/// A run with the phases that all have: its own, or one.
struct Times {
  TimesByRank ranks;
  std::size_t slowest = 0;
  double finalize_s = 0;
};

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

Times times_of(const SkeletonRun& run, bool phases) {
  Times times{*run.per_rank, 0, run.finalize_s};
  double longest = -1;
  for (std::size_t r = 0; r < times.ranks.seconds.size(); ++r) {
    if (const double all = sum(times.ranks.seconds[r]); all > longest) longest = all, times.slowest = r;
    if (phases) continue;
    times.ranks.seconds[r] = {sum(times.ranks.seconds[r])};
    times.ranks.computing[r] = {sum(times.ranks.computing[r])};
  }
  return times;
}

}  // namespace

Parts& Parts::operator+=(const Parts& other) {
  for (const auto& part : kParts) this->*part.seconds += other.*part.seconds;
  return *this;
}

Causes causes_of(const Parts& all) {
  constexpr double kNothing_s = 1e-9, kMuchMore = 1.5;  // than the difference
  constexpr double kMatters = 0.005;                    // of the difference, or of the largest part where parts cancel
  const auto size = [&](const NamedPart& part) { return std::abs(all.*part.seconds); };
  Causes causes{{kParts.begin(), kParts.end()}, false};
  std::ranges::stable_sort(causes.parts, std::greater<>(), size);
  const double largest = size(causes.parts[0]), whole = std::abs(all.total());
  causes.cancel = largest > kMuchMore * whole;
  const double least = std::max(kNothing_s, kMatters * (causes.cancel ? largest : whole));
  std::erase_if(causes.parts, [&](const NamedPart& part) { return size(part) < least; });
  return causes;
}

std::string named_place(const std::string& program, const std::string& platform) {
  return program + (program.empty() || platform.empty() ? "" : " on ") + platform;
}

Split split(const std::array<const SkeletonRun*, 8>& runs) {
  const auto names = [](const SkeletonRun& run) {
    std::vector<std::string> all;
    for (const auto& phase : run.phases) all.push_back(phase.name);
    return all;
  };
  const auto& first = *runs[0];
  const auto ranks = first.per_rank ? first.per_rank->seconds.size() : 0;
  bool same = true;
  for (const auto* run : runs) {
    if (!run->per_rank || run->per_rank->seconds.size() != ranks || ranks == 0)
      throw Error(Code::mismatch, "the skeletons do not report the times of the same ranks",
                  "several threads of a rank, or an old skeleton? build it again");
    same = same && names(*run) == names(first);
  }
  std::vector<Times> all;
  for (const auto* run : runs) all.push_back(times_of(*run, same));

  const auto values = [&](const auto& of) {
    Values list{};
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = of(all[i]);
    return list;
  };
  Split result{.before_s = first.predicted_s, .after_s = runs[7]->predicted_s, .all = {}, .phases = {}, .ranks = {}};
  result.ranks.resize(ranks);
  const std::size_t phases = same ? first.phases.size() : 1;
  for (std::size_t p = 0; p < phases; ++p) {
    const auto mean = values([&](const Times& of) {
      double all_ranks = 0;
      for (const auto& rank : of.ranks.computing) all_ranks += rank[p];
      return all_ranks / static_cast<double>(ranks);
    });
    const auto most = values([&](const Times& of) {
      double largest = 0;
      for (const auto& rank : of.ranks.computing) largest = std::max(largest, rank[p]);
      return largest;
    });
    const auto seconds = values([&](const Times& of) { return of.ranks.seconds[of.slowest][p]; });
    result.phases.push_back({same ? first.phases[p].name : "run", parts_of(seconds, mean, most)});
    for (std::size_t r = 0; r < ranks; ++r)
      result.ranks[r] += parts_of(values([&](const Times& of) { return of.ranks.seconds[r][p]; }), mean,
                                  values([&](const Times& of) { return of.ranks.computing[r][p]; }));
  }
  const Values nothing{};
  result.phases.push_back(
      {"finalize", parts_of(values([](const Times& of) { return of.finalize_s; }), nothing, nothing)});
  for (const auto& phase : result.phases) result.all += phase.parts;
  return result;
}

}  // namespace skelgen::predict
