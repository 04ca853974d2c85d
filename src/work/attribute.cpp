#include "work/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "support/error.h"
#include "work/passes.h"

namespace skelgen::work {
namespace {

/// The places of a location's calls, and which of all recorded calls they are.
class PlacesOfRun {
 public:
  PlacesOfRun(const skeleton::Skeleton& skeleton, std::uint32_t l, const normalize::Normalized& run, std::uint64_t gaps)
      : numbers_(run.locations[l].numbers) {
    Follower follower(skeleton, l);
    std::uint64_t k = 0;
    for (const auto record : run.locations[l].calls) {
      if (recorded(k) > gaps) break;  // the gap before recorded call 1 is the first one
      const auto& made = run.records[record];
      const auto& function = *run.symbols[made.symbol].function;
      follower.add({&function, made.values, found_nothing(function, made.values)});
      ++k;
    }
    places_ = follower.places();
    differences_ = follower.differences();
  }

  const Follower::Differences& differences() const { return differences_; }
  const std::vector<Place>& places() const { return places_; }

  /// Of the gap before a recorded call. To be asked in ascending order.
  Place of(std::uint64_t number) {
    while (next_ < places_.size() && recorded(next_) < number) ++next_;
    return next_ < places_.size() ? places_[next_] : kNoPlace;
  }

 private:
  std::uint64_t recorded(std::uint64_t k) const { return numbers_.empty() ? k : numbers_[k]; }

  const std::vector<std::uint64_t>& numbers_;
  std::vector<Place> places_;
  Follower::Differences differences_;
  std::uint64_t next_ = 0;
};

/// Places that together have but kLeft of all computation, the smallest ones.
std::vector<bool> negligible(const skeleton::Skeleton& skeleton) {
  constexpr double kLeft = 0.001;
  std::vector<double> seconds(2 * nodes_of(skeleton).size());
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    const auto own = passes_by_place(skeleton, l);
    for (std::size_t place = 0; place < own.size(); ++place) seconds[place] += own[place].seconds;
  }
  std::vector<std::size_t> ascending(seconds.size());
  std::iota(ascending.begin(), ascending.end(), 0);
  std::ranges::stable_sort(ascending, {}, [&](std::size_t place) { return seconds[place]; });
  double left = kLeft * std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::vector<bool> negligible(seconds.size(), false);
  for (const std::size_t place : ascending) negligible[place] = (left -= seconds[place]) >= 0;
  return negligible;
}

/// Locations that do the same at a place.
struct Group {
  std::vector<double> first;  ///< mean counts of its first location, by feature: others are compared with them
  Visits all;
};

/// Which features are reuse distances of loads or of stores: the first one and how many.
struct Histogram {
  std::size_t begin, count;
};
std::vector<Histogram> histograms(const std::vector<std::string>& features) {
  std::vector<Histogram> all;
  for (const char* first : {"load_reuse_0", "store_reuse_0"}) {
    const auto at = std::ranges::find(features, first);
    if (at != features.end()) all.push_back({static_cast<std::size_t>(at - features.begin()), kReuseBuckets});
  }
  return all;
}

constexpr double kByChance = 0.02;

bool alike(const std::vector<double>& a, const std::vector<double>& b, const std::vector<Histogram>& histograms) {
  const std::size_t counted = histograms.empty() ? a.size() : histograms.front().begin;
  const double all = counted > 0 ? std::max(a[0], b[0]) : 0;  // instructions, the first feature
  for (std::size_t f = 0; f < counted; ++f)
    if (std::abs(a[f] - b[f]) > kByChance * std::max({a[f], b[f], all * kByChance})) return false;
  for (const auto& [begin, count] : histograms) {
    const auto sum = [&](const std::vector<double>& of) {
      return std::accumulate(of.begin() + static_cast<std::ptrdiff_t>(begin),
                             of.begin() + static_cast<std::ptrdiff_t>(begin + count), 0.0);
    };
    const double all_a = sum(a), all_b = sum(b);
    if (all_a == 0 && all_b == 0) continue;
    if (all_a == 0 || all_b == 0) return false;
    double difference = 0;
    for (std::size_t f = begin; f < begin + count; ++f) {
      difference += a[f] / all_a - b[f] / all_b;
      if (std::abs(difference) > kByChance) return false;
    }
  }
  return true;
}

std::vector<double> mean(const Visits& visits) {
  std::vector<double> counts = visits.counts;
  for (double& count : counts) count /= static_cast<double>(std::max<std::uint64_t>(1, visits.times));
  return counts;
}

/// Four digits of a number above 0.
double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

/// Gives places their work, one after the other.
class Giver {
 public:
  Giver(skeleton::Skeleton& skeleton, const Attributed& attributed)
      : skeleton_(skeleton),
        attributed_(attributed),
        histograms_(histograms(attributed.features)),
        negligible_(negligible(skeleton)) {}

  void block(skeleton::Block& nodes) {
    for (skeleton::Node& node : nodes) {
      const std::uint32_t own = number_++;
      place(node.before, node.where, before(own));
      if (!node.is_loop()) continue;
      place(node.loop().between, node.where, between(own));
      block(node.loop().body);
    }
  }

 private:
  void place(skeleton::Compute& compute, const std::vector<std::uint32_t>& where, Place place) {
    compute.work.clear();
    if (compute.mean_s.empty() || negligible_[place]) return;
    std::vector<Group> groups;
    std::vector<std::size_t> group_of(where.size(), kNone);
    for (std::size_t p = 0; p < where.size(); ++p) {
      const Visits& visits = attributed_.visits[where[p]][place];
      if (compute.mean_s[p] == 0 || visits.counts.empty()) continue;
      const auto own = mean(visits);
      auto found = std::ranges::find_if(groups, [&](const Group& g) { return alike(g.first, own, histograms_); });
      if (found == groups.end()) found = groups.insert(groups.end(), Group{own, {0, std::vector<double>(own.size())}});
      found->all.times += visits.times;
      for (std::size_t f = 0; f < own.size(); ++f) found->all.counts[f] += visits.counts[f];
      group_of[p] = static_cast<std::size_t>(found - groups.begin());
    }
    if (groups.empty()) return;
    const auto first = static_cast<std::uint32_t>(skeleton_.works.size()) + 1;
    for (const Group& group : groups) skeleton_.works.push_back(work_of(mean(group.all)));
    for (const std::size_t group : group_of)
      compute.work.push_back(group == kNone ? 0 : first + static_cast<std::uint32_t>(group));
  }

  /// Without what is too little to matter: of a histogram the smallest buckets that together have 0.2 % of it, of the rest
  /// what comes in less than 0.01 % of the instructions.
  skeleton::Work work_of(std::vector<double> counts) const {
    constexpr double kLeft = 0.002, kRare = 0.0001;
    const std::size_t counted = histograms_.empty() ? counts.size() : histograms_.front().begin;
    for (std::size_t f = 1; f < counted; ++f)
      if (counts[f] < kRare * counts[0]) counts[f] = 0;
    for (const auto& [begin, count] : histograms_) {
      std::vector<std::size_t> ascending(count);
      std::iota(ascending.begin(), ascending.end(), begin);
      std::ranges::stable_sort(ascending, {}, [&](std::size_t f) { return counts[f]; });
      double left = 0;
      for (const std::size_t f : ascending) left += kLeft * counts[f];
      for (const std::size_t f : ascending)
        if ((left -= counts[f]) >= 0) counts[f] = 0;
    }
    skeleton::Work work;
    for (std::uint32_t f = 0; f < counts.size(); ++f)
      if (counts[f] > 0) work.counts.push_back({f, rounded(counts[f])});
    return work;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  skeleton::Skeleton& skeleton_;
  const Attributed& attributed_;
  const std::vector<Histogram> histograms_;
  const std::vector<bool> negligible_;
  std::uint32_t number_ = 0;
};

/// Only those features that occur.
void name_features(skeleton::Skeleton& skeleton, const std::vector<std::string>& features) {
  constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(features.size(), kUnused);
  for (const auto& work : skeleton.works)
    for (const auto& count : work.counts) number[count.feature] = 0;
  skeleton.features.clear();
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (number[f] == kUnused) continue;
    number[f] = static_cast<std::uint32_t>(skeleton.features.size());
    skeleton.features.push_back(features[f]);
  }
  for (auto& work : skeleton.works)
    for (auto& count : work.counts) count.feature = number[count.feature];
}

}  // namespace

void require_one_thread(const skeleton::Skeleton& skeleton) {
  if (skeleton::has_threads(skeleton))
    throw Error(Code::unsupported, "several threads of a rank call MPI: their computation cannot be profiled",
                "predict without a profile");
}

Attributed attribute(const skeleton::Skeleton& skeleton, const normalize::Normalized& run,
                     const std::vector<std::filesystem::path>& profiles) {
  require_one_thread(skeleton);
  Attributed all;
  if (run.locations.size() != skeleton.locations.size() || profiles.size() != skeleton.locations.size())
    throw Error(Code::mismatch,
                fmt::format("the profiled run has {} ranks with {} profiles, the trace {}", run.locations.size(),
                            profiles.size(), skeleton.locations.size()),
                "profile with the ranks that were traced");
  const std::size_t places = 2 * nodes_of(skeleton).size();
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    std::uint64_t calls = 0;
    const auto counted = read_profile(profiles[l], [](auto) {});
    if (l > 0 && all.features != counted.features)
      throw Error(Code::mismatch, profiles[l].string(), {}, "counts other things than the profiles of other ranks",
                  "profile again");
    all.features = counted.features;
    PlacesOfRun course(skeleton, l, run, counted.gaps);
    all.differences.push_back(course.differences());
    auto& visits = all.visits.emplace_back(places);
    for (const Place place : course.places())
      if (place != kNoPlace) ++visits[place].times;
    all.total.resize(counted.features.size());
    read_profile(profiles[l], [&](std::span<const Count> counts) {
      const Place place = course.of(++calls);
      for (const Count& count : counts) all.total[count.feature] += count.times;
      if (place == kNoPlace) return;
      auto& own = visits[place].counts;
      own.resize(counted.features.size());
      for (const Count& count : counts) own[count.feature] += count.times;
    });
    all.gaps += counted.gaps;
  }
  return all;
}

void give_work(skeleton::Skeleton& skeleton, const Attributed& attributed) {
  skeleton.works.clear();
  Giver(skeleton, attributed).block(skeleton.program);
  name_features(skeleton, attributed.features);
}

Coverage coverage(const skeleton::Skeleton& skeleton, const Attributed& attributed) {
  Coverage covered;
  double all_s = 0, visited_s = 0;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    const auto passes = passes_by_place(skeleton, l);
    for (std::size_t place = 0; place < passes.size(); ++place) {
      const double seconds = passes[place].seconds;
      if (seconds <= 0) continue;
      const bool visited = !attributed.visits[l][place].counts.empty();
      ++covered.places;
      covered.visited += visited;
      all_s += seconds;
      visited_s += visited ? seconds : 0;
    }
  }
  covered.share = all_s > 0 ? visited_s / all_s : 1;
  return covered;
}

}  // namespace skelgen::work
