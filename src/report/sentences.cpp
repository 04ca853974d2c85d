#include "report/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "mpi/mpi.h"
#include "support/format.h"

namespace skelgen::report {

using Cause = metrics::Finding::Cause;

namespace {

/// ", or start it without waiting (MPI_Iallreduce) ...", if there is such a call.
std::string without_waiting(const mpi::Function& function) {
  if (function.later < 0) return ".";
  return fmt::format("; or start it without waiting ({}) and compute meanwhile.",
                     mpi::functions()[static_cast<std::size_t>(function.later)].name);
}

std::string advice_on(const std::string& function) {
  const mpi::Function* known = mpi::find(function);
  const mpi::Kind kind = known ? known->kind : mpi::Kind::opaque;
  switch (kind) {
    case mpi::Kind::collective:
      return std::string(known->flow == mpi::Flow::all || known->flow == mpi::Flow::neighbours
                             ? "This is not waiting for late ranks: the call takes this long. "
                             : "The call takes this long after the ranks whose data it needs have come: it may wait "
                               "for ranks that pass data on. ") +
             "Make fewer and larger calls, or put several small ones into one" + without_waiting(*known);
    case mpi::Kind::send:
    case mpi::Kind::recv:
    case mpi::Kind::sendrecv:
    case mpi::Kind::complete:
    case mpi::Kind::test:
    case mpi::Kind::start:
      return std::string(
                 "This is not waiting for late partners: the messages take this long. Put small ones together, "
                 "send less in large ones, start them earlier and compute meanwhile, or look whether ranks that "
                 "talk much are on one node.") +
             (kind == mpi::Kind::recv ? ""
                                      : " A large one may have to wait until its receiver is inside MPI: let it call "
                                        "MPI_Test now and then.");
    case mpi::Kind::file_open:
    case mpi::Kind::file_close:
    case mpi::Kind::file_local:
    case mpi::Kind::file_collective:
    case mpi::Kind::file_delete:
      return "Files are slow. Write less often or in larger pieces, use collective calls, or non-blocking ones beside "
             "the computation.";
    case mpi::Kind::comm_create:
    case mpi::Kind::win_create:
      return "Make communicators and windows once, before the main loop, and keep them.";
    default:
      return "The call itself takes this long. Call it less often, or beside the computation.";
  }
}

bool completes(const std::string& function) {
  const mpi::Function* const known = mpi::find(function);
  return known && known->kind == mpi::Kind::complete;
}

}  // namespace

std::string of_ranks(std::uint64_t ranks) {
  return fmt::format("{} rank{}", format_count(ranks), ranks == 1 ? "" : "s");
}

std::string what_ran(const Report& report) {
  const RunFacts& run = report.run;
  std::string text = fmt::format("{} ran on {}", run.application.empty() ? "The program" : run.application,
                                 of_ranks(static_cast<std::uint64_t>(run.ranks)));
  if (run.hosts.size() == 1) text += " of one machine";
  if (run.hosts.size() > 1) text += fmt::format(" of {} machines", format_count(run.hosts.size()));
  if (!run.wall_s) return text + "; how long is not known, because not all ranks reached MPI_Finalize.";
  text += fmt::format(" for {}{}", format_seconds(*run.wall_s), run.simulated ? " of simulated time" : "");
  return text + fmt::format(" and made {} MPI call{}.", format_count(run.calls), run.calls == 1 ? "" : "s");
}

std::string elsewhere(const predict::Prediction& prediction) {
  if (!prediction.platform.empty()) return "on the simulated platform " + prediction.platform;
  std::string text;
  if (!predict::same_mpi(prediction.traced_mpi, prediction.mpi))
    text = fmt::format("for {} (traced with {})", prediction.mpi.name, prediction.traced_mpi.name);
  const auto& [traced, here, same, drift, ratios] = prediction.processor;
  if (same != false) return text;
  if (!text.empty()) text += ", ";
  return text + (traced == here ? "on other processors, too" : fmt::format("on {} (traced on {})", here, traced));
}

std::string how_it_scales(std::span<const predict::AtRanks> predictions) {
  constexpr double kLow = 0.8;
  const auto points = predict::scaling_of(predictions);
  const auto ranks = [](const predict::ScalingPoint& point) {
    return of_ranks(static_cast<std::uint64_t>(point.ranks));
  };
  const predict::ScalingPoint* low = nullptr;
  bool known = false;
  for (const auto& point : points) {
    known |= &point != &points.front() && point.efficiency;
    if (point.efficiency.value_or(kLow) < kLow && (!low || point.ranks < low->ranks)) low = &point;
  }
  std::string text = fmt::format("Compared with {}, efficiency ", ranks(points.front()));
  text += low     ? fmt::format("falls below 80 % at {} ({})", ranks(*low), format_percent(*low->efficiency))
          : known ? "does not fall below 80 %"
                  : "is not known";
  const auto phases = predict::scaling_phases_of(predictions).all;
  if (phases.empty()) return text + ".";
  const auto way = fmt::format("from {} to {}", format_count(static_cast<std::uint64_t>(points.front().ranks)),
                               ranks(points.back()));
  if (!(phases.front().growth_s() > 0)) return text + fmt::format("; no phase grows {}.", way);
  return text + fmt::format("; the phase that grows most {} is {}, by {} of all ranks together.", way,
                            phases.front().name, format_seconds(phases.front().growth_s()));
}

std::string grade(const metrics::Measure& efficiency) {
  if (!efficiency) return "unknown";
  return *efficiency >= 0.85 ? "good" : *efficiency >= 0.65 ? "fair" : "poor";
}

std::string how_well(const Report& report) {
  const metrics::Pop& pop = report.measured.pop;
  if (!pop.parallel) return "Nothing was measured between MPI_Init and MPI_Finalize, so there is no efficiency.";
  if (report.run.calls <= 2 * static_cast<std::uint64_t>(report.run.ranks))
    return "Nothing was called between MPI_Init and MPI_Finalize, so there is nothing to improve.";
  std::string text = fmt::format("Between MPI_Init and MPI_Finalize, {} of the ranks' time was computation",
                                 format_percent(*pop.parallel));
  if (std::ranges::any_of(report.measured.notes, &metrics::Note::computing)) text += " or waiting for a core";
  if (report.run.ranks == 1) return text + "; the rest was spent inside MPI calls.";
  if (std::ranges::any_of(report.measured.notes, &metrics::Note::waited_for_cores))
    return text + "; what the rest is lost to is uncertain, because ranks waited for cores.";
  if (!report.measured.findings.empty()) {
    const metrics::Finding& first = report.measured.findings.front();
    return text + fmt::format(". Of the findings below the first would gain most, about {}: {}.",
                              format_seconds(first.cost_s), title(first));
  }
  if (!pop.load_balance || !pop.serialization || !pop.transfer) return text + ".";
  // Of the whole, what each of the three factors takes away.
  const struct {
    double share;
    const char* what;
  } losses[] = {
      {1 - *pop.transfer, "the communication itself"},
      {*pop.transfer * (1 - *pop.serialization), "computation in turns, or work that changes from step to step"},
      {*pop.transfer * *pop.serialization * (1 - *pop.load_balance), "uneven work"}};
  const auto& most = *std::ranges::max_element(losses, {}, [](const auto& loss) { return loss.share; });
  if (grade(pop.parallel) == "good" && most.share < 0.05) return text + ". There is little to gain.";
  return text + fmt::format("; most of the rest is lost to {}.", most.what);
}

std::string title(const metrics::Finding& finding) {
  const bool several = finding.ranks.size() > 1;
  const std::string rank = finding.ranks.empty()
                               ? std::string()
                               : fmt::format(": rank{} {}", several ? "s" : "", format_ranges(finding.ranks));
  switch (finding.cause) {
    case Cause::late_sender:
      return "Late sender" + rank;
    case Cause::late_receiver:
      return "Late receiver" + rank;
    case Cause::imbalance:
    case Cause::uneven_work:
      return "Uneven work" + rank;
    case Cause::late_to_collective:
      return "Late to collectives" + rank;
    case Cause::in_turns:
      return "Ranks compute in turns";
    case Cause::changing_work:
      return "Work that changes from step to step";
    case Cause::function:
      return "Slow call: " + finding.function;
    case Cause::without_core:
      return "Ranks without a core";
  }
  return {};
}

std::string where_it_computes(const metrics::Finding& finding, const Structure& structure) {
  constexpr double kMost = 0.5;
  if (finding.ranks.size() != 1 || !finding.longer_in.empty() || (finding.less.empty() && !finding.more_in_all))
    return {};
  const auto& all = structure.statements;
  double more_s = 0;  // in all stretches in which this rank computes longest
  auto most = all.end();
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (one->kind != Statement::Kind::computation || !one->longest || one->longest->rank != finding.ranks[0]) continue;
    more_s += one->longest->more_s;
    if (most == all.end() || one->longest->more_s > most->longest->more_s) most = one;
  }
  if (most == all.end() || most->longest->more_s < kMost * more_s) return {};
  const auto call = std::find_if(most, all.end(), [](const Statement& s) { return s.kind == Statement::Kind::call; });
  std::string place = call != all.end() ? " before " + call->name : "";
  constexpr std::string_view kLoop = "loop, ";
  std::string in;  // the nearest loop around it that has a name, else the nearest one
  int level = most->level;
  for (auto around = most; around != all.begin();) {
    --around;
    if (around->kind != Statement::Kind::loop || around->level >= level) continue;
    level = around->level;
    if (!around->name.empty()) {
      in = " in " + around->name;
      break;
    }
    if (in.empty() && around->text.starts_with(kLoop)) in = " in a loop that runs " + around->text.substr(kLoop.size());
  }
  place += in;
  if (place.empty()) return {};
  return fmt::format("Where rank {} computes longer than all others, most of its difference to the mean is{}{}",
                     finding.ranks[0], place, most->name.empty() ? "" : " (" + most->name + ")");
}

bool can_move(const metrics::Finding& finding) {
  return finding.cause != Cause::late_to_collective && finding.more_in_all && !finding.less.empty() &&
         (!finding.moved_gain_s || finding.worth_moving);
}

static std::string what_to_do(const metrics::Finding& finding) {
  const bool several = finding.ranks.size() > 1;
  const std::string rank = finding.ranks.empty()
                               ? std::string("that rank")
                               : fmt::format("rank{} {}", several ? "s" : "", format_ranges(finding.ranks));
  const char* const it = several ? "them" : "it";
  if (!finding.longer_in.empty())
    return fmt::format(
        "What makes {} late is {}: see what can be done about that call. Fewer and larger calls, or calls that are "
        "started before the computation that does not need them, delay {} less.",
        rank, finding.longer_in, it);
  switch (finding.cause) {
    case Cause::late_sender: {
      const char* const meanwhile = completes(finding.function)
                                        ? "compute more between the start of the receive and its completion"
                                        : "compute something else first (MPI_Irecv early, MPI_Wait late)";
      if (can_move(finding))
        return fmt::format(
            "Move work from {} to the others. To send earlier, or to let receivers {}, helps only where the program "
            "could "
            "and does not.",
            rank, meanwhile);
      if (!finding.less.empty())
        return fmt::format(
            "Shorten what {} computes before it sends, or let receivers {} where they do not need its data.",
            several ? "each of these ranks" : rank, meanwhile);
      return fmt::format("Let {} send as soon as the data is there, or let receivers {}.", rank, meanwhile);
    }
    case Cause::late_receiver:
      if (can_move(finding))
        return fmt::format(
            "Move work from {} to the others: senders wait for its computation. Receives that are posted earlier "
            "(MPI_Irecv), or MPI_Isend, let senders go on, which makes the run shorter only where others wait for "
            "them.",
            rank);
      return fmt::format(
          "Post the receives of {0} before computation (MPI_Irecv), and let {1} call MPI_Test meanwhile, because "
          "large messages may need {1} inside MPI; or send with MPI_Isend, so that senders go on.",
          rank, it);
    case Cause::imbalance:
    case Cause::uneven_work:
      if (finding.moved_gain_s && !finding.worth_moving)
        return fmt::format(
            "Moving the same share of each step from {} to the others would hardly make the run shorter: distribute "
            "the "
            "work anew while the program runs, or let ranks meet less often.",
            rank);
      if (!finding.more_in_all)
        return fmt::format(
            "Now {} has more to compute than others, now less: distribute the work anew while the program runs, or let "
            "ranks meet less often.",
            several ? "one of these ranks" : rank);
      return fmt::format("Move work from {} to the others, or distribute it anew while the program runs.", rank);
    case Cause::late_to_collective:
      return fmt::format(
          "Look in the timeline at what delays {} right before: waiting for somebody else, calls that others do "
          "not make, or computation in steps in which only some ranks meet.",
          rank);
    case Cause::in_turns:
      return "Let the next rank begin with a part of the data (pipelining), or change the order so that neighbours "
             "compute at the same time.";
    case Cause::changing_work:
      return "Even out each step between the points where ranks wait for each other (distribute the work anew while "
             "the "
             "program runs), or let them wait less often: more computation between two such points, non-blocking "
             "calls.";
    case Cause::function:
      return advice_on(finding.function);
    case Cause::without_core:
      break;
  }
  return {};
}

std::string advice(const metrics::Finding& finding, const std::vector<metrics::Note>& notes) {
  using Kind = metrics::Note::Kind;
  const auto noted = [&](Kind kind) { return std::ranges::count(notes, kind, &metrics::Note::kind) > 0; };
  if (finding.cause == Cause::without_core)
    return "Give each rank a core of its own (fewer ranks, more cores, no other programs), and trace again: until "
           "then, "
           "what else is said of this run is uncertain.";
  const bool computes = finding.cause == Cause::uneven_work;
  if (metrics::doubtful(finding, notes) || (!computes && noted(Kind::shared_cores)))
    return "First see whether it is so with a core for each rank. If it is: " + what_to_do(finding);
  if (!computes && finding.cause != Cause::function && noted(Kind::clocks))
    return "First see whether it is so on one machine, whose clocks agree. If it is: " + what_to_do(finding);
  return what_to_do(finding);
}

const char* unit_of(const Rows& rows) { return rows.are_ranks() ? "ranks" : "threads"; }

const char* name_of(Spending what) {
  switch (what) {
    case Spending::computing:
      return "computing";
    case Spending::messages:
      return "messages";
    case Spending::collectives:
      return "collectives";
    case Spending::other:
      return "other MPI";
    case Spending::waits_for_message:
      return "waiting for messages";
    case Spending::waits_in_collective:
      return "waiting in collectives";
    case Spending::waits_for_core:
      return "waiting for a core between calls";
  }
  return "";
}

}  // namespace skelgen::report
