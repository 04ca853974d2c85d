#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/sentences.h"
#include "support/format.h"

namespace skelgen::report {
namespace {

/// Rows of tables by rank.
constexpr std::size_t kMostRows = 64;
/// Of lists whose first entries matter.
constexpr std::size_t kMostNamed = 8;

/// A share that is not shown as 0.0 %.
constexpr double kSeen = 0.0005;

double sum(const Spent& spent) { return std::accumulate(spent.begin(), spent.end(), 0.0); }

/// without_core: whether there is any waiting for a core; else most traces do not say it.
Json cells_of(const Spent& spent, bool without_core) {
  Json cells = Json::array();
  const double all = sum(spent);
  double before = 0;
  for (std::size_t what = 0; what < kSpendings; ++what) {
    if (static_cast<Spending>(what) == Spending::waits_for_core && !without_core) continue;
    const double share = all > 0 ? std::max(0.0, spent[what]) / all : 0;
    cells.push_back({{"kind", what},
                     {"name", name_of(static_cast<Spending>(what))},
                     {"share", format_percent(share)},
                     {"seen", share >= kSeen},
                     {"x", width(before)},
                     {"width", width(share)}});
    before += share;
  }
  return cells;
}

}  // namespace

Json spent(const Report& report) {
  const auto& by_rank = report.timeline->by_rank();
  const Groups groups(by_rank.size(), kMostRows);
  std::vector<Spent> rows(groups.count());
  Spent all{};
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    for (std::size_t what = 0; what < kSpendings; ++what) {
      rows[groups.of(static_cast<Rank>(rank))][what] += by_rank[rank][what];
      all[what] += by_rank[rank][what];
    }
  const bool without_core = all[static_cast<std::size_t>(Spending::waits_for_core)] > 0;
  Json json{{"all", cells_of(all, without_core)}, {"total", format_seconds(sum(all))}, {"rows", Json::array()}};
  for (std::size_t row = 0; row < rows.size(); ++row)
    json["rows"].push_back({{"name", groups.name(row)}, {"cells", cells_of(rows[row], without_core)}});
  return json;
}

Json functions(const Report& report) {
  constexpr std::size_t kMost = 30, kLeast = 5;
  double all = report.computation_s + report.without_core_s;
  for (const auto& function : report.functions) all += function.seconds;
  Json list = Json::array();
  const auto add = [&](const std::string& name, std::uint64_t calls, double seconds, std::uint64_t bytes) {
    const double share = all > 0 ? seconds / all : 0;
    list.push_back({{"name", name},
                    {"calls", calls ? format_count(calls) : ""},
                    {"seconds", format_seconds(seconds)},
                    {"share", format_percent(share)},
                    {"width", width(share)},
                    {"bytes", bytes ? format_bytes(static_cast<double>(bytes)) : ""}});
  };
  add("computation", 0, report.computation_s, 0);
  if (report.without_core_s > 0) add(name_of(Spending::waits_for_core), 0, report.without_core_s, 0);
  FunctionTotal rest;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < report.functions.size(); ++i) {
    const auto& function = report.functions[i];
    if (i < kMost && (i < kLeast || function.seconds >= kSeen * all)) {
      add(function.name, function.calls, function.seconds, function.bytes);
    } else {
      rest.calls += function.calls;
      rest.seconds += function.seconds;
      rest.bytes += function.bytes;
      ++left_out;
    }
  }
  if (left_out == 1)
    add(report.functions.back().name, rest.calls, rest.seconds, rest.bytes);
  else if (left_out)
    add(fmt::format("{} others", left_out), rest.calls, rest.seconds, rest.bytes);
  return list;
}

Json structure(const Report& report) {
  const Structure& all = *report.structure;
  constexpr int kDeepest = 9;      // templates/report/report.css
  constexpr double kSeen = 0.005;  // a smaller share needs no rank
  Json rows = Json::array();
  for (const Statement& statement : all.statements) {
    const double share = all.seconds > 0 ? statement.seconds / all.seconds : 0;
    using Kind = Statement::Kind;
    rows.push_back(
        {{"loop", statement.kind == Kind::loop},
         {"call", statement.kind == Kind::call},
         {"computation", statement.kind == Kind::computation},
         {"rest", statement.kind == Kind::rest},
         {"level", std::min(statement.level, kDeepest)},
         {"text", statement.text},
         {"who", statement.who.empty() ? "all" : statement.who},
         {"times", statement.times ? format_count(statement.times) : ""},
         {"seconds", format_seconds(statement.seconds / static_cast<double>(std::max(1, report.run.ranks)))},
         {"longest", statement.longest && share >= kSeen ? fmt::format("rank {}: {}", statement.longest->rank,
                                                                       format_seconds(statement.longest->seconds))
                                                         : ""},
         {"share", format_percent(share)},
         {"width", width(share)}});
  }
  return {{"rows", rows},
          {"calls", format_count(report.run.calls)},
          {"length", format_count(all.length)},
          {"without_core", report.without_core_s > 0}};
}

Json pairs(const Report& report) {
  const Pairs& all = report.timeline->pairs();
  const std::size_t size = all.groups.count();
  const auto& weight = report.bytes ? *report.bytes : all.messages;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (all.messages[i] > 0 || all.waited_s[i] > 0 || weight[i] > 0) order.push_back(i);
  const std::size_t most = std::min<std::size_t>(12, order.size());
  const auto heavier = [&](std::size_t a, std::size_t b) {
    return std::tuple(-weight[a], -all.waited_s[a], a) < std::tuple(-weight[b], -all.waited_s[b], b);
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), heavier);
  Json rows = Json::array();
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t at = order[i];
    rows.push_back({{"from", all.groups.name(at / size)},
                    {"to", all.groups.name(at % size)},
                    {"messages", format_count(static_cast<std::uint64_t>(all.messages[at]))},
                    {"bytes", report.bytes ? format_bytes((*report.bytes)[at]) : "-"},
                    {"waited", all.waited_s[at] > 0 ? format_seconds(all.waited_s[at]) : "-"}});
  }
  std::string shown = rows.size() < order.size()
                          ? fmt::format("The first {} of {} pairs.", rows.size(), format_count(order.size()))
                      : order.size() == 1 ? std::string("One pair.")
                                          : fmt::format("All {} pairs.", order.size());
  if (report.bytes_of_no_pair > 0)
    shown += fmt::format(" Of no pair are {}: what ranks sent to themselves or gave to collectives without a root.",
                         format_bytes(report.bytes_of_no_pair));
  return {{"shown", shown},
          {"rows", rows},
          {"any", !order.empty()},
          {"grouped", size < static_cast<std::size_t>(std::max(1, report.run.ranks))},
          {"size", size}};
}

namespace {

/// Of the ranks that could be later, those that could most.
Json slack(const std::vector<metrics::CriticalPath::Slack>& by_rank) {
  std::vector<std::size_t> order;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    if (by_rank[rank].mean_s.value_or(0) > 0) order.push_back(rank);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t rank) { return *by_rank[rank].mean_s; });
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(kMostNamed, order.size()); ++i) {
    const auto& slack = by_rank[order[i]];
    list.push_back({{"name", fmt::format("rank {}", order[i])},
                    {"mean", format_seconds(*slack.mean_s)},
                    {"least", format_seconds(*slack.least_s)},
                    {"width", width(*slack.mean_s / *by_rank[order[0]].mean_s)}});
  }
  return list;
}

}  // namespace

Json path(const Report& report) {
  const auto& path = report.measured.critical_path;
  const auto bar = [&](const std::string& name, double seconds) {
    const double share = path.seconds > 0 ? seconds / path.seconds : 0;
    return Json{{"name", name},
                {"seconds", format_seconds(seconds)},
                {"share", format_percent(share)},
                {"width", width(share)}};
  };
  std::vector<std::pair<std::string, double>> ranks;
  for (std::size_t rank = 0; rank < path.by_rank.size(); ++rank)
    ranks.emplace_back(fmt::format("rank {}", rank), path.by_rank[rank]);
  std::ranges::stable_sort(ranks, std::greater<>(), [](const auto& entry) { return entry.second; });
  const auto bars = [&](std::vector<std::pair<std::string, double>> all) {
    std::erase_if(all, [](const auto& entry) { return entry.second <= 0; });
    Json list = Json::array();
    double rest = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i < kMostNamed)
        list.push_back(bar(all[i].first, all[i].second));
      else
        rest += all[i].second;
    if (all.size() == kMostNamed + 1) list.push_back(bar(all.back().first, rest));
    if (all.size() > kMostNamed + 1) list.push_back(bar("all others", rest));
    return list;
  };
  Json halved = Json::array();
  for (const auto& half : path.halved)
    halved.push_back(
        {{"what", half.rank ? fmt::format("the computation of rank {}", *half.rank) : half.function},
         {"gain", format_seconds(half.gain_s)},
         {"share",
          report.run.wall_s && *report.run.wall_s > 0 ? format_percent(half.gain_s / *report.run.wall_s) : "-"}});
  return {{"slack", slack(path.slack_by_rank)},
          {"seconds", format_seconds(path.seconds)},
          {"by_rank", bars(ranks)},
          {"by_function", bars(path.by_function)},
          {"halved", halved}};
}

Json phases(const Report& report) {
  const auto& all = report.measured.phases;
  const auto percent = [](const metrics::Measure& value) { return value ? format_percent(*value) : "-"; };
  if (all.size() < 2) return {};
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(kMostPhases, all.size()); ++i) {
    const auto& phase = all[i];
    const auto& path = report.measured.critical_path;
    rows.push_back({{"name", phase.name},
                    {"seconds", format_seconds(phase.seconds)},
                    {"share", percent(phase.share)},
                    {"width", width(phase.share.value_or(0))},
                    {"alpha", phase.alpha ? fmt::format("{:.2f}", *phase.alpha) : "-"},
                    {"parallel", percent(phase.pop.parallel)},
                    {"load_balance", percent(phase.pop.load_balance)},
                    {"serialization", percent(phase.pop.serialization)},
                    {"transfer", percent(phase.pop.transfer)},
                    {"path", i < path.by_phase.size() ? format_seconds(path.by_phase[i].second) : "-"}});
  }
  return {{"rows", rows},
          {"left_out", all.size() > kMostPhases ? Json(format_count(all.size() - kMostPhases)) : Json()}};
}

Json waits(const Report& report) {
  const auto& waits = report.measured.waits;
  const double all = waits.all.total() + waits.transfer_s;
  Json rows = Json::array();
  const auto add = [&](const char* name, double seconds, const char* meaning, bool waiting = true) {
    const double share = all > 0 ? seconds / all : 0;
    rows.push_back({{"name", name},
                    {"waiting", waiting},
                    {"seconds", format_seconds(seconds)},
                    {"share", format_percent(share)},
                    {"width", width(share)},
                    {"meaning", meaning}});
  };
  add("Late sender", waits.all.late_sender_s, "a receive began before the message was sent");
  add("Late receiver", waits.all.late_receiver_s, "a send waited for its receive");
  add("Imbalance", waits.all.imbalance_s, "a collective waited for a rank that had more to compute");
  add("Late to collectives", waits.all.collective_s, "a collective waited for a rank that came late for other reasons");
  add("Not waiting", waits.transfer_s, "messages under way, files, and the calls themselves", false);
  std::vector<std::size_t> order(waits.per_rank.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t r) { return waits.per_rank[r].root.total(); });
  Json caused = Json::array();
  for (std::size_t i = 0; i < std::min(kMostNamed, order.size()); ++i) {
    const auto& rank = waits.per_rank[order[i]];
    if (rank.root.total() <= 0) break;
    caused.push_back({{"name", fmt::format("rank {}", order[i])},
                      {"root", format_seconds(rank.root.total())},
                      {"caused", format_seconds(rank.caused.total())},
                      {"waited", format_seconds(rank.total())},
                      {"width", width(waits.all.total() > 0 ? rank.root.total() / waits.all.total() : 0)}});
  }
  return {{"rows", rows}, {"caused", caused}};
}

Json few_ranks(const Report& report) {
  Json list = Json::array();
  const Timeline& timeline = *report.timeline;
  for (const FewRanks& stretch : few_ranks(timeline, kMostNamed))
    list.push_back({{"from", format_seconds(stretch.from_s)},
                    {"length", format_seconds(stretch.to_s - stretch.from_s)},
                    {"from_s", fmt::format("{:.9g}", stretch.from_s)},
                    {"to_s", fmt::format("{:.9g}", stretch.to_s)},
                    {"computing", stretch.computing < 0.01 ? "under 0.01" : fmt::format("{:.3g}", stretch.computing)},
                    {"lost", format_seconds(stretch.lost_s)},
                    {"instead", stretch.instead ? name_of(*stretch.instead) : "done with MPI"},
                    {"busiest", stretch.busiest ? timeline.rows().name(*stretch.busiest) : "nobody"}});
  return list;
}

Json concurrency_over_time(const Report& report) {
  const auto& [length_s, alpha] = report.measured.windows;
  Json bars = Json::array();
  std::size_t lowest = alpha.size();
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    if (!alpha[i]) continue;
    const double height = std::clamp(*alpha[i], 0.0, 1.0);
    bars.push_back({{"x", i}, {"y", fmt::format("{:.3g}", 1 - height)}, {"height", fmt::format("{:.3g}", height)}});
    if (lowest == alpha.size() || *alpha[i] < *alpha[lowest]) lowest = i;
  }
  if (bars.empty()) return {};
  const double from = length_s * static_cast<double>(lowest);
  return {{"bars", bars},
          {"count", alpha.size()},
          {"length", format_seconds(length_s)},
          {"one", report.timeline->rows().are_ranks() ? "rank" : "thread"},
          {"lowest", fmt::format("Lowest is {:.2f}, from {} to {}.", *alpha[lowest], format_seconds(from),
                                 format_seconds(from + length_s))}};
}

}  // namespace skelgen::report
