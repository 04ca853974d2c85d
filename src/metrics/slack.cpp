#include "metrics/slack.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace skelgen::metrics {

SlackLog::SlackLog(std::size_t locations, std::size_t phases, std::size_t window)
    : window_(window), now_(locations), calls_(locations, {kNone, 0}) {
  slacks_.by_location.resize(locations);
  slacks_.by_phase.resize(phases);
  log_.reserve(2 * window);
  noted_.reserve(2 * window);
}

namespace {

/// When those had come that a step waited for; clocks of hosts may differ.
double came(double at, double entered, double others) { return std::max(entered, std::min(others, at)); }

}  // namespace

void SlackLog::add(std::uint32_t location, std::size_t phase, const Step& step, const Meeting& meeting) {
  auto& functions = slacks_.by_function;
  auto function = std::ranges::find(functions, step.function, &std::pair<const mpi::Function*, SlackSum>::first);
  if (function == functions.end()) function = functions.insert(function, {step.function, {}});
  if (!meeting.others.empty()) others_[next()] = meeting.others;
  if (meeting.scan.collective != kNoEntry) scan_places_[next()] = meeting.scan;
  auto& [call, so_far] = calls_[location];
  if (std::exchange(call, step.call) != step.call) so_far = 0;
  so_far = std::max(so_far, came(step.at, step.entered, meeting.came));
  log_.push_back({step.at, step.entered, step.computing, step.blocked - step.local, meeting.came, so_far, meeting.entry,
                  location, step.call, static_cast<std::uint32_t>(function - functions.begin()),
                  static_cast<std::uint32_t>(phase), step.kind});
  noted_.push_back({0, meeting.needed_by, 0});
  if (log_.size() < 2 * window_) return;
  look_back(window_, false);
  for (std::size_t i = 0; i < window_ && !others_.empty(); ++i) others_.erase(base_ + i);
  for (std::size_t i = 0; i < window_ && !scan_places_.empty(); ++i) scan_places_.erase(base_ + i);
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(window_));
  noted_.erase(noted_.begin(), noted_.begin() + static_cast<std::ptrdiff_t>(window_));
  base_ += window_;
}

Slacks SlackLog::finish(std::span<const double> ends) {
  std::ranges::fill(now_, Now());
  const double last = ends.empty() ? 0 : std::ranges::max(ends);
  for (std::size_t l = 0; l < ends.size(); ++l) now_[l].slack = last - ends[l];
  look_back(log_.size(), true);
  return std::move(slacks_);
}

/// What is noted at the entry may be so late and no later.
void SlackLog::note(Entry entry, double late) {
  if (entry == kNoEntry || entry < base_) return;
  Noted& noted = noted_[entry - base_];
  noted.late = std::min(noted.late, late);
  ++noted.named;
}

void SlackLog::Scan::note(std::uint32_t rank, double late) {
  for (; rank > 0; rank &= rank - 1) {
    limits[rank].late = std::min(limits[rank].late, late);
    ++limits[rank].named;
  }
}

SlackLog::Scan::Limit SlackLog::Scan::of(std::uint32_t rank) const {
  Limit all;
  for (++rank; rank < limits.size(); rank += rank & -rank) {
    all.late = std::min(all.late, limits[rank].late);
    all.named += limits[rank].named;
  }
  return all;
}

/// A step that waits for others: the call ends when all have come that any of its steps waits for, and what else it takes.
/// So each of them may be as late as the last one.
void SlackLog::wait(Now& now, const Logged& step, std::size_t at) {
  if (now.call != step.call) now = {std::numeric_limits<double>::infinity(), now.slack, 0, step.call};
  const double came = now.came = std::max(now.came, step.so_far);
  now.slack = std::min(now.slack, now.behind + came - step.entered);
  note(step.entry, step.came > 0 ? came + now.behind : std::numeric_limits<double>::infinity());
  if (!others_.empty())
    if (const auto others = others_.find(base_ + at); others != others_.end())
      for (const Entry other : others->second) note(other, came + now.behind);
  if (scan_places_.empty()) return;
  const auto place = scan_places_.find(base_ + at);
  if (place == scan_places_.end()) return;
  Scan& scan = scans_[place->second.collective];
  scan.limits.resize(std::max(place->second.size, place->second.rank + 1));
  scan.note(place->second.rank, came + now.behind);
}

/// A step that others wait for. Those that are not seen, because they come later, are taken to have no time to lose.
void SlackLog::limit(Now& now, const Logged& step, std::size_t at, bool over) {
  if (step.entry == kNoEntry) return;
  Scan::Limit noted;
  std::uint32_t needed_by = kNone;  // it began before the log did
  if (const auto place = scan_places_.empty() ? scan_places_.end() : scan_places_.find(base_ + at);
      place != scan_places_.end()) {
    noted = scans_[place->second.collective].of(place->second.rank);
    needed_by = noted_[at].needed_by;
  } else if (step.entry >= base_) {
    const Noted& other = noted_[step.entry - base_];
    noted = {std::min(other.late, noted_[at].late), other.named};
    needed_by = other.needed_by;
  }
  const bool seen = needed_by != kNone && (over || noted.named >= needed_by);
  now.slack = seen ? std::max(0.0, std::min(now.slack, noted.late - step.at)) : 0;
}

/// accounted: of the log's first steps the slack is counted. over: nothing comes after the log.
void SlackLog::look_back(std::size_t accounted, bool over) {
  if (!over) std::ranges::fill(now_, Now());
  for (Noted& noted : noted_) {
    noted.late = std::numeric_limits<double>::infinity();
    noted.named = 0;
  }
  scans_.clear();
  for (std::size_t i = log_.size(); i-- > 0;) {
    const Logged& step = log_[i];
    Now& now = now_[step.location];
    const bool waits = step.kind == StepKind::receive || step.kind == StepKind::leave ||
                       (step.kind == StepKind::sent && step.came > 0);
    if (waits) wait(now, step, i);
    if (step.kind == StepKind::send || step.kind == StepKind::enter) limit(now, step, i, over);
    const double behind = waits ? now.behind : now.slack;
    // A send that waits for a posted receive names it later, if at all.
    if (step.kind == StepKind::post) now.slack = std::max(0.0, std::min(now.slack, noted_[i].late - step.entered));
    if (i >= accounted) continue;
    const double inside = step.blocked - (waits ? std::max(0.0, now.came - step.entered) : 0);
    slacks_.by_location[step.location].add(step.computing, now.slack);
    slacks_.by_function[step.function].second.add(inside, behind);
    if (slacks_.by_phase.empty()) continue;
    slacks_.by_phase[step.phase].add(step.computing, now.slack);
    slacks_.by_phase[step.phase].add(inside, behind);
  }
}

}  // namespace skelgen::metrics
