#include "metrics/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "metrics/call_sites.h"
#include "metrics/numbers.h"
#include "mpi/mpi.h"
#include "support/busy.h"
#include "support/format.h"
#include "trace/cores.h"

namespace skelgen::metrics {
namespace {

/// So many times as long is worth a word.
constexpr double kMore = 1.1;

std::string seconds(double value) {
  if (value < 1e-3) return fmt::format("{:.3g} us", 1e6 * value);
  if (value < 1) return fmt::format("{:.3g} ms", 1e3 * value);
  return fmt::format("{:.4g} s", value);
}

/// A message as a sentence: it begins with a capital letter.
std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The only other rank of a run of two.
std::optional<int> other_rank(std::size_t ranks, int rank) {
  return ranks == 2 ? std::optional(1 - rank) : std::nullopt;
}

/// "; it computes 2.0 times as long as the others", if the rank computes more than the mean of all. Ranks with several
/// threads have none.
std::string load(const Metrics& measured, const Replayed& run, std::size_t rank) {
  const std::size_t ranks = run.computing.size();
  if (rank >= ranks || ranks < 2 || ranks != measured.waits.per_rank.size()) return {};
  const double own = run.computing[rank], mean = mean_of(run.computing);
  if (own < kMore * mean) return {};
  const double others = (mean * static_cast<double>(ranks) - own) / static_cast<double>(ranks - 1);
  const auto other = other_rank(ranks, static_cast<int>(rank));
  if (others < 1e-3 * own) return "; it computes nearly all that is computed";
  return fmt::format("; it computes {:.1f} times as long as {}", own / others,
                     other ? fmt::format("rank {}", *other) : "the others");
}

/// Whether it computes less than the mean, by more than rounding.
bool below_mean(const Metrics& measured, const Replayed& run, std::size_t rank) {
  return rank < run.computing.size() && run.computing.size() == measured.waits.per_rank.size() &&
         run.computing[rank] < (1 - 1e-9) * mean_of(run.computing);
}

/// "Rank 3 sends", "Ranks 0-2, 5 send".
std::string subject(const std::vector<int>& ranks, const char* one, const char* several) {
  return ranks.size() == 1 ? fmt::format("Rank {} {}", ranks.front(), one)
                           : fmt::format("Ranks {} {}", format_ranges(ranks), several);
}

/// In which function and phase others wait most for these ranks, and how long; no function: nowhere. With a site if more than
/// half of it is in calls of one.
struct Most {
  WaitPlace place;
  double seconds = 0;
  bool only_site = true;  ///< see Finding
};
Most most_of(const trace::Trace& trace, const Replayed& run, const std::vector<int>& ranks, double Waits::*kind) {
  std::vector<WaitPlaces::Waited> sums, by_site;
  const auto add = [](std::vector<WaitPlaces::Waited>& to, const WaitPlaces::Waited& waited) {
    const auto is = [&](const WaitPlaces::Waited& sum) { return sum == static_cast<const WaitPlace&>(waited); };
    if (const auto same = std::ranges::find_if(to, is); same != to.end())
      same->add(waited.seconds, waited.asked, waited.asked_s / waited.seconds);
    else
      to.push_back(waited);
  };
  for (std::size_t l = 0; l < run.rooted_places.size(); ++l) {
    if (!std::ranges::binary_search(ranks, trace.locations()[l].rank)) continue;
    for (const auto& waited : run.rooted_places[l].all()) {
      if (RootCauses::kKinds[waited.kind] != kind) continue;
      add(by_site, waited);
      auto anywhere = waited;
      anywhere.site = 0;
      add(sums, anywhere);
    }
  }
  Most most;
  for (const auto& sum : sums)
    if (sum.seconds > most.seconds) {
      most = {sum, sum.seconds};
      most.place.share_asked = sum.asked_s / sum.seconds;
    }
  for (const auto& one : by_site)
    if (one.function == most.place.function && one.phase == most.place.phase && one.seconds > 0.5 * most.seconds) {
      most.place.site = one.site;
      most.only_site = one.seconds >= 0.99 * most.seconds;
    }
  return most;
}

/// "MPI_Recv", "MPI_Mprobe + MPI_Mrecv".
std::string calls_of(const Finding& finding) {
  return (finding.asked_by.empty() ? "" : finding.asked_by + " + ") + finding.function;
}

/// ", 3 ms of it in MPI_Recv of loop 2".
std::string where(const Finding& finding, double there, double all) {
  if (finding.function.empty()) return {};
  const bool all_of_it = finding.phase.empty() || finding.phase == "whole run";
  const bool end = finding.phase == "prologue" || finding.phase == "epilogue",
             loop = finding.phase.starts_with("loop ");
  // Others ("around the loops") have calls in loops, too: their names must not read as places.
  const std::string phase = all_of_it     ? std::string()
                            : end || loop ? (end ? " of the " : " of ") + finding.phase
                                          : " (phase '" + finding.phase + "': in no loop that build cuts)";
  return fmt::format(", {}in {}{}", there < 0.99 * all ? seconds(there) + " of it " : "", calls_of(finding), phase);
}

/// What the time inside a function on the critical path is.
const char* waiting(const std::string& name) {
  if (name == CriticalPath::kLocalCalls) return "without needing another rank";
  const mpi::Function* const function = mpi::find(name);
  switch (function ? function->kind : mpi::Kind::opaque) {
    case mpi::Kind::probe:
    case mpi::Kind::match:
    case mpi::Kind::ask:
    case mpi::Kind::test:
      return "polling for messages not yet arrived";
    case mpi::Kind::rma:
    case mpi::Kind::win_post:
    case mpi::Kind::win_start:
    case mpi::Kind::win_complete:
    case mpi::Kind::win_wait:
    case mpi::Kind::win_local:
      return "(waiting included: one-sided communication is not followed)";
    case mpi::Kind::detach:
    case mpi::Kind::opaque:
      return "(waiting included: such calls are not followed)";
    case mpi::Kind::collective:
      if (function->flow == mpi::Flow::all || function->flow == mpi::Flow::neighbours)
        return "(waiting for late ranks not included)";
      return "after the ranks whose data it needs had come (it may wait for ranks that pass data on)";
    default:
      return "(waiting for late partners not included)";
  }
}

/// Whether few ranks compute at a time because they wait for each other's messages. Else a chain of computation that is
/// longer than the busiest rank's comes from work that changes from step to step.
bool compute_in_turns(const Metrics& measured) {
  constexpr double kFew = 0.6, kMessages = 0.4;  // of the ranks on average; of what they wait
  const Waits& waits = measured.waits.all;
  return measured.pop.parallel.value_or(1) < kFew &&
         waits.late_sender_s + waits.late_receiver_s >= kMessages * waits.total();
}

/// A finding costs more than this: a hundredth of the run time, less the share of it in which ranks waited for cores.
double least_cost_s(const trace::Trace& trace, const Replayed& run) {
  constexpr double kLeast = 0.01;
  return kLeast * (1 - core_wait_share(trace)) * length_of(run);
}

/// The findings that cost more than least_s, the highest cost first; but what makes the others doubtful comes before them.
void keep_costly(std::vector<Finding>& all, double least_s) {
  std::erase_if(all, [&](const Finding& finding) { return finding.cost_s <= least_s; });
  std::ranges::stable_sort(all, std::greater<>(), [](const Finding& finding) {
    return std::pair(finding.cause == Finding::Cause::without_core, finding.cost_s);
  });
}

/// How long the kernel let all ranks together wait for a core; 0 also where it is not known.
double core_wait_s(const trace::Trace& trace) {
  double waited = 0;
  for (const trace::RankInfo& rank : trace.rank_info()) waited += rank.ending.core_wait_s;
  return waited;
}

/// The same on average, where it is much of the run.
std::optional<Finding> without_core(const trace::Trace& trace) {
  if (without_cores(trace).empty()) return std::nullopt;
  const double mean = core_wait_s(trace) / static_cast<double>(trace.rank_info().size());
  return Finding{
      mean,
      fmt::format("Ranks wait for a core, between calls and inside them: {} of the run on average", seconds(mean)),
      Finding::Cause::without_core};
}

/// The share of its root waits that is due to what the rank computed.
double by_computing(const Replayed& run, std::size_t rank, double Waits::*kind) {
  const double direct = run.rooted[rank].*kind - run.rooted_through[rank].*kind;
  return direct > 0 ? std::min(1.0, run.rooted_computing[rank].*kind / direct) : 0;
}

/// In which function ranks are longest beyond others, waiting apart.
struct Longer {
  std::string function = {};
  double seconds = 0;
  std::string than = {};
};

/// Beyond the others on average; where that is less than `least_s`, beyond the one that is there shortest.
Longer longer_in(const Replayed& run, const std::vector<int>& ranks, double least_s) {
  const std::size_t all = run.inside.size();
  std::map<std::string_view, std::vector<double>> by_function;
  for (std::size_t l = 0; l < all; ++l)
    for (const auto& [function, spent] : run.inside[l].all()) {
      auto& times = by_function[function->name];
      times.resize(all);
      times[l] = spent;
    }
  Longer mean, shortest;
  for (const auto& [function, times] : by_function) {
    double own = 0, others = 0;
    std::size_t least = all;
    for (std::size_t l = 0; l < all; ++l) {
      const bool is_own = std::ranges::binary_search(ranks, static_cast<int>(l));
      (is_own ? own : others) += times[l];
      if (!is_own && (least == all || times[l] < times[least])) least = l;
    }
    if (least == all) return {};
    own /= static_cast<double>(ranks.size());
    others /= static_cast<double>(all - ranks.size());
    if (own - others > mean.seconds) mean = {std::string(function), own - others, "the others on average"};
    if (own - times[least] > shortest.seconds)
      shortest = {std::string(function), own - times[least], fmt::format("rank {}", least)};
  }
  return mean.seconds < least_s || all == 2 ? shortest : mean;
}

/// "; the cause is calls, not computation: ..." of a finding whose ranks come late without computing more. Of ranks that are late
/// to collectives this is known only where it is seen in which call: they may have computed more before others, not all, met.
std::string due_to_calls(Finding& finding, const Replayed& run) {
  constexpr double kExplains = 0.5;  // of the cost
  const Longer longer = longer_in(run, finding.ranks, kExplains * finding.cost_s);
  const std::string text = "; the cause is calls, not computation";
  if (longer.seconds < kExplains * finding.cost_s)
    return finding.cause == Finding::Cause::late_to_collective ? std::string() : text;
  finding.longer_in = longer.function;
  return text + fmt::format(": apart from waiting, {} {} longer in {} than {}",
                            finding.ranks.size() == 1 ? "it is" : "they are", seconds(longer.seconds), longer.function,
                            longer.than);
}

/// Whether computing less, as Finding::less says, leaves the ranks about the mean of all.
bool leaves_the_mean(const Finding& finding, const Replayed& run) {
  constexpr double kAbout = 0.05;
  const double mean = mean_of(run.computing);
  for (std::size_t i = 0; i < finding.ranks.size(); ++i) {
    const double computing = run.computing[static_cast<std::size_t>(finding.ranks[i])];
    if (std::abs((1 - finding.less[i]) * computing - mean) > kAbout * mean) return false;
  }
  return true;
}

/// See Finding::less: so many seconds of each.
std::vector<double> less(const Replayed& run, const std::vector<int>& ranks, const std::vector<double>& seconds) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double computing = run.computing[static_cast<std::size_t>(ranks[i])];
    if (!(computing > 0)) return {};
    shares.push_back(std::min(1.0, seconds[i] / computing));
  }
  return shares;
}

/// Runs by which a finding is tried out: its ranks compute less; and, if they compute more in all, the others compute that
/// instead, each as much of it as it has of what all of them are blocked.
std::vector<AlteredRun> trials(const Finding& finding, const Replayed& run) {
  if (finding.less.empty()) return {};
  std::vector<AlteredRun> all(1);
  double moved = 0, blocked = 0;
  for (std::size_t i = 0; i < finding.ranks.size(); ++i) {
    all[0].computes.emplace_back(finding.ranks[i], 1 - finding.less[i]);
    moved += finding.less[i] * run.computing[static_cast<std::size_t>(finding.ranks[i])];
  }
  if (finding.cause == Finding::Cause::late_to_collective || !finding.more_in_all) return all;
  const auto takes = [&](std::size_t rank) {
    return run.computing[rank] > 0 && !std::ranges::binary_search(finding.ranks, static_cast<int>(rank));
  };
  for (std::size_t rank = 0; rank < run.computing.size(); ++rank)
    if (takes(rank)) blocked += run.blocked[rank];
  if (blocked <= 0) return all;
  AlteredRun others = all[0];
  for (std::size_t rank = 0; rank < run.computing.size(); ++rank)
    if (takes(rank))
      others.computes.emplace_back(static_cast<int>(rank),
                                   1 + moved * run.blocked[rank] / blocked / run.computing[rank]);
  all.push_back(std::move(others));
  return all;
}

}  // namespace

double length_of(const Replayed& run) { return std::ranges::max(run.ends) - std::ranges::min(run.starts); }

void add_altered(const std::vector<Finding>& findings, const Replayed& run, std::vector<AlteredRun>& altered) {
  for (const Finding& finding : findings)
    for (AlteredRun& trial : trials(finding, run))
      if (altered.size() < kMostAltered) altered.push_back(std::move(trial));
}

void set_gains(std::vector<Finding>& findings, const trace::Trace& trace, const Replayed& run,
               std::span<const CriticalPath::Halved> halved, std::span<const double> ends, double end) {
  constexpr double kOtherwise = 0.25;  // of the cost; worth a word
  constexpr double kMuch = 0.5;        // of what less computation gains
  const double least = least_cost_s(trace, run);
  for (Finding& finding : findings) {
    if (finding.cause == Finding::Cause::function) {
      const auto half =
          std::ranges::find_if(halved, [&](const auto& one) { return !one.rank && one.function == finding.function; });
      if (half == halved.end()) continue;
      finding.cost_s = half->gain_s;
      finding.text +=
          fmt::format("; if its calls took half as long, the run would be {} shorter", seconds(half->gain_s));
      continue;
    }
    const std::size_t tried = std::min(trials(finding, run).size(), ends.size());
    if (tried == 0) continue;
    const double gain = end - ends[0];
    finding.gain_s = gain;
    finding.cost_s = std::min(finding.cost_s, gain + (1 - finding.by_computing) * finding.cost_s);
    const double percent = 100 * mean_of(finding.less);
    if (gain > least)
      finding.text +=
          fmt::format("; if {} computed {}{}, the run would be {} shorter", finding.ranks.size() == 1 ? "it" : "they",
                      percent < 99.5 ? fmt::format("{:.0f} % less", percent) : "nothing",
                      leaves_the_mean(finding, run) ? ", about the mean of all ranks" : "", seconds(gain));
    if (tried == 2) {
      finding.moved_gain_s = end - ends[1];
      finding.worth_moving = *finding.moved_gain_s > least;
      if (gain > least && finding.worth_moving && *finding.moved_gain_s < kMuch * gain)
        finding.text +=
            fmt::format("; moving that work to the other ranks would gain only {}", seconds(*finding.moved_gain_s));
    }
    const double otherwise = finding.cost_s - std::max(0.0, gain);
    if (gain > least && otherwise > kOtherwise * finding.cost_s)
      finding.text += fmt::format("; the other {} of the cost comes from calls", seconds(otherwise));
    ends = ends.subspan(tried);
  }
  keep_costly(findings, least);
}

std::vector<Finding> findings(const trace::Trace& trace, const Metrics& measured, const Replayed& run,
                              const Phases& phases) {
  std::vector<Finding> all;
  if (run.computing.empty()) return all;
  using Cause = Finding::Cause;
  const auto& ranks = measured.waits.per_rank;
  const CallSites sites(trace);
  const struct {
    double Waits::*kind;
    Cause cause;
    const char *one, *several;
  } kinds[] = {
      {&Waits::late_sender_s, Cause::late_sender, "sends late", "send late"},
      {&Waits::late_receiver_s, Cause::late_receiver, "receives late", "receive late"},
      {&Waits::imbalance_s, Cause::imbalance, "has more to compute", "have more to compute"},
      {&Waits::collective_s, Cause::late_to_collective, "arrives late at collectives", "arrive late at collectives"}};
  for (const auto& [kind, cause, one, several] : kinds) {
    std::vector<int> order;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      if (ranks[rank].root.*kind > 0) order.push_back(static_cast<int>(rank));
    const auto caused = [&, kind = kind](int rank) { return ranks[static_cast<std::size_t>(rank)].root.*kind; };
    std::ranges::stable_sort(order, std::greater<>(), caused);
    for (std::size_t i = 0, next = 0; i < order.size(); i = next) {
      constexpr double kAlike = 0.8;  // of the one that causes most
      constexpr double kLittle = 0.1;
      Finding finding;
      finding.cause = cause;
      double waited = 0, through = 0;
      for (; next < order.size() && caused(order[next]) >= kAlike * caused(order[i]); ++next) {
        finding.ranks.push_back(order[next]);
        waited += caused(order[next]);
        through += ranks[static_cast<std::size_t>(order[next])].root_through.*kind;
      }
      std::ranges::sort(finding.ranks);
      finding.cost_s = waited / static_cast<double>(ranks.size());
      if (run.computing.size() == ranks.size()) {
        std::vector<double> computed;
        double due = 0;
        for (const int rank : finding.ranks) {
          const double share = by_computing(run, static_cast<std::size_t>(rank), kind);
          computed.push_back(share * caused(rank) / static_cast<double>(ranks.size()));
          due += share / static_cast<double>(finding.ranks.size());
        }
        finding.by_computing = due;
        if (due > kLittle) finding.less = less(run, finding.ranks, computed);
      }
      const bool by_calls = cause != Cause::imbalance && finding.by_computing <= kLittle;
      const bool single = finding.ranks.size() == 1;
      const bool loaded = single && cause != Cause::late_to_collective && !by_calls;
      const auto [place, there, only_site] = most_of(trace, run, finding.ranks, kind);
      if (place.function) finding.function = place.function->name;
      if (place.asked && place.share_asked > 0.01) finding.asked_by = place.asked->name;
      if (place.phase < phases.size()) finding.phase = phases[place.phase].name;
      finding.site = sites.at(place.site);
      finding.only_site = only_site;
      const std::string of_others =
          through > 0.01 * waited
              ? fmt::format(" ({} of that indirectly: through ranks that were themselves held up)", seconds(through))
              : std::string();
      finding.more_in_all = std::ranges::all_of(
          finding.ranks, [&](int rank) { return !load(measured, run, static_cast<std::size_t>(rank)).empty(); });
      finding.text = subject(finding.ranks, one, several);
      const auto below = static_cast<std::size_t>(std::ranges::count_if(
          finding.ranks, [&](int rank) { return below_mean(measured, run, static_cast<std::size_t>(rank)); }));
      if (cause == Cause::imbalance && below > 0)
        finding.text += below == finding.ranks.size() ? " now and then, though not in total"
                                                      : " now and then, though not all of them in total";
      const auto other = single ? other_rank(ranks.size(), order[i]) : std::nullopt;
      const bool all_ranks = finding.ranks.size() == ranks.size();
      finding.text += fmt::format(": {} {} waiting for {}{}{}{}",
                                  !of_others.empty() || all_ranks ? "ranks together lose"
                                  : other                         ? fmt::format("rank {} loses", *other)
                                                                  : "others together lose",
                                  seconds(waited),
                                  all_ranks ? "each other"
                                  : single  ? "it"
                                            : "them",
                                  of_others, where(finding, there, waited),
                                  loaded ? load(measured, run, static_cast<std::size_t>(order[i])) : std::string());
      if (by_calls) finding.text += due_to_calls(finding, run);
      if (const auto calls = calls_of(finding); finding.site)
        finding.line_at = finding.text.find("in " + calls) + 3 + calls.size();
      all.push_back(std::move(finding));
    }
  }
  const auto last = static_cast<std::size_t>(std::ranges::max_element(run.ends) - run.ends.begin());
  const auto others = static_cast<double>(run.ends.size()) - 1;
  const double before = run.ends[last] - mean_of(run.ends);
  const double more = run.computing[last] - mean_of(run.computing);
  if (const std::string much = load(measured, run, last); !much.empty()) {
    const auto other = other_rank(run.ends.size(), static_cast<int>(last));
    Finding uneven{std::min(before, more),
                   fmt::format("Rank {} has more to compute: {} {} before it{}", last,
                               other ? fmt::format("rank {} is done", *other) : "others are done",
                               seconds(before * (others + 1) / others), (other ? "" : " on average") + much),
                   Cause::uneven_work,
                   {static_cast<int>(last)}};
    uneven.more_in_all = true;
    uneven.less = less(run, uneven.ranks, {uneven.cost_s});
    all.push_back(std::move(uneven));
  }
  const double busiest = std::ranges::max(run.computing);
  if (run.chains.seconds > kMore * busiest) {
    const bool turns = compute_in_turns(measured);
    all.push_back({run.chains.seconds - busiest,
                   fmt::format("{}: the longest chain of computation takes {}, the busiest rank's {}",
                               turns ? "Ranks compute in turns" : "Now one rank has more to compute, now another",
                               seconds(run.chains.seconds), seconds(busiest)),
                   turns ? Cause::in_turns : Cause::changing_work});
  }
  const auto in_all = without_core(trace);
  for (const auto& [name, spent] : measured.critical_path.by_function)
    if (name == CriticalPath::kWithoutCore && !in_all)
      all.push_back({spent,
                     fmt::format("Ranks wait for a core between their calls: {} of the critical path", seconds(spent)),
                     Cause::without_core});
    else if (name == CriticalPath::kWithoutCore)
      continue;  // a part of what the kernel counted
    else if (name != CriticalPath::kComputation)
      all.push_back({0.5 * spent,
                     fmt::format("{} {} {} of the critical path {}", name,
                                 name == CriticalPath::kLocalCalls ? "take" : "takes", seconds(spent), waiting(name)),
                     Cause::function,
                     {},
                     name});
  if (in_all) all.push_back(*in_all);
  keep_costly(all, least_cost_s(trace, run));
  return all;
}

std::string spread(std::span<const double> runs_s, bool shared_cores) {
  constexpr double kUnlike = 1.25;  // slowest over fastest; quiet machines stay below it
  if (runs_s.empty()) return {};
  const auto [least, most] = std::ranges::minmax(runs_s);
  if (most <= kUnlike * least) return {};
  return fmt::format("the traced runs took {} to {}{}; predictions from this trace are as uncertain",
                     format_seconds(least), format_seconds(most),
                     shared_cores ? "" : ": other work used the machine, or the program varies as much");
}

std::string failed(int status) {
  if (status == 0) return {};
  return fmt::format(
      "the traced run ended with status {}: if the program failed, only what it did until then was recorded", status);
}

namespace {

/// The sentence on figures that are unreliable because ranks waited for cores, with the remedy. cpu_time: the trace has the ranks'
/// processor time.
std::string unreliable(bool cpu_time, std::optional<trace::OnCores> on) {
  const std::string what = cpu_time
                               ? ". Calls also waited for a core, so times of calls, and who is late, are unreliable"
                               : ". Times of calls, what ranks compute, and who is late, are unreliable";
  return what +
         (!on                     ? "; trace on a machine without other work and with a core for each rank"
          : on->many <= on->cores ? "; trace on a machine without other work"
                                  : "; trace with a core for each rank") +
         (cpu_time ? "" : "; skelgen trace --yield on at least measures reliably what ranks compute");
}

}  // namespace

double core_wait_share(const trace::Trace& trace) {
  const auto wall = trace.wall();
  const double whole_s = wall ? wall->value * static_cast<double>(trace.rank_info().size()) : 0;
  return whole_s > 0 ? std::min(1.0, core_wait_s(trace) / whole_s) : 0;
}

std::string traced_without_cores(double share) {
  if (share <= kBusy) return {};
  return fmt::format(
      "when traced, ranks waited for a core for {0:.0f} % of the run, part of which counts as computation: with a core "
      "for "
      "each rank the program may take up to {0:.0f} % less than predicted; trace with a core for each rank, or with "
      "--yield on",
      100 * share);
}

std::string without_cores(const trace::Trace& trace) {
  const auto cores = trace.cores();
  const auto on = cores ? std::optional(trace::OnCores{trace.ranks(), *cores}) : std::nullopt;
  const auto text = trace::without_cores("ranks", core_wait_share(trace), 1, on);
  return text.empty() ? text : text + unreliable(trace.has_cpu_time(), on);
}

bool doubtful(const Finding& finding, const std::vector<Note>& notes) {
  // A run is longer by at most the sum of all waits for cores; of a finding twice as costly, half or more has another cause.
  constexpr double kMuchMore = 2;
  if (finding.cause == Finding::Cause::without_core) return false;
  return std::ranges::any_of(notes, [&](const Note& note) {
    if (note.without_core_s > 0 && finding.cost_s > kMuchMore * note.without_core_s) return false;
    // Who computes more is certain where computation is time on a core, whoever waits for whom; what calls take is not.
    const bool computes =
        finding.cause == Finding::Cause::uneven_work || (finding.more_in_all && finding.longer_in.empty());
    return computes ? note.computing : note.waited_for_cores();
  });
}

std::string shared_cores(int ranks, int cores, bool cpu_time) {
  return fmt::format("{} ranks shared {} core{}", ranks, cores, cores == 1 ? "" : "s") +
         unreliable(cpu_time, trace::OnCores{ranks, cores});
}

std::vector<Note> notes(const trace::Trace& trace, double without_core_s, double whole_s) {
  constexpr double kMuch = 0.02;  // of the locations' time
  std::vector<Note> all;
  const auto infos = trace.rank_info();
  const auto first = [&](const auto& is) { return std::ranges::any_of(infos, is); };
  if (const auto text = without_cores(trace); !text.empty())
    all.push_back({Note::Kind::shared_cores, sentence(text), true, !trace.has_cpu_time(), core_wait_s(trace)});
  else if (whole_s > 0 && without_core_s > kMuch * whole_s && core_wait_s(trace) == 0)
    all.push_back(
        {Note::Kind::shared_cores,
         fmt::format("More ranks than cores, or other work on the machine: between calls, ranks waited for a core for "
                     "{:.0f} % of the run. Calls also wait for a core, so times of calls, and who is late, are "
                     "unreliable",
                     100 * without_core_s / whole_s)});
  else if (trace.has_cpu_time())
    all.push_back(
        {Note::Kind::shared_cores,
         "The trace was made for ranks that share cores (--yield): where they did, calls also waited for a core, and "
         "times of calls, and who is late, are unreliable",
         false});
  const bool shared = !all.empty() && all.front().measured;
  if (const auto text = spread(trace.runs_s(), shared); !text.empty())
    all.push_back({Note::Kind::disturbed, sentence(text)});
  if (first([&](const auto& rank) { return rank.host != infos.front().host && rank.clock != "simulated"; }))
    all.push_back(
        {Note::Kind::clocks,
         "Clocks of different hosts are set by the end of MPI_Init only: waits between ranks of different hosts "
         "may be wrong by a millisecond or more"});
  if (first([](const auto& rank) { return !rank.ending.complete; }))
    all.push_back({Note::Kind::incomplete,
                   "Not all ranks reached MPI_Finalize: what is said is about the part of the run that was recorded, "
                   "and how long ranks waited for a core is not known"});
  if (const auto text = failed(trace.status()); !text.empty())
    all.insert(all.begin(), {Note::Kind::failed, sentence(text)});
  return all;
}

}  // namespace skelgen::metrics
