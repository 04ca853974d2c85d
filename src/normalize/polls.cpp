#include "normalize/polls.h"

#include <algorithm>
#include <utility>

namespace skelgen::normalize {

using mpi::Kind;
using mpi::Role;

namespace {

bool is_outcome(Role role) {
  return role == Role::flag || role == Role::index || role == Role::indices || role == Role::status ||
         role == Role::statuses || role == Role::message;
}

const mpi::Function& function_of(const Normalized& normalized, RecordId record) {
  return *normalized.symbols[normalized.records[record].symbol].function;
}

bool idle(const Normalized& normalized, RecordId record) {
  const mpi::Function& function = function_of(normalized, record);
  const auto& values = normalized.records[record].values;
  if (const int flag = function.find(Role::flag); flag >= 0) return values[static_cast<std::size_t>(flag)] == 0;
  const auto indices = static_cast<std::size_t>(function.find(Role::indices));
  return normalized.arrays[static_cast<std::size_t>(values[indices])].empty();
}

/// A test of null requests only: it finds them complete whenever it is made.
bool of_nothing(const Normalized& normalized, RecordId record) {
  const mpi::Function& function = function_of(normalized, record);
  if (function.kind != Kind::test && function.kind != Kind::ask) return false;
  const auto& values = normalized.records[record].values;
  if (const int one = function.find(Role::request); one >= 0) return values[static_cast<std::size_t>(one)] < 0;
  const auto all = static_cast<std::size_t>(function.find(Role::requests));
  return std::ranges::all_of(normalized.arrays[static_cast<std::size_t>(values[all])],
                             [](std::int64_t slot) { return slot < 0; });
}

/// The same question, whatever the answers.
bool same_question(const Normalized& normalized, RecordId a, RecordId b) {
  if (a == b) return true;
  const Record &left = normalized.records[a], &right = normalized.records[b];
  if (left.symbol != right.symbol) return false;
  const auto parameters = function_of(normalized, a).parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!is_outcome(parameters[i].role) && left.values[i] != right.values[i]) return false;
  return true;
}

}  // namespace

bool polls(const mpi::Function& function) {
  return function.kind == Kind::test || function.kind == Kind::ask ||
         ((function.kind == Kind::probe || function.kind == Kind::match || function.kind == Kind::win_wait) &&
          function.find(Role::flag) >= 0);
}

void Polls::begin(const LocationCalls& out) {
  running_ = true;
  repeating_ = false;
  begin_ = out.calls.size();
  repeated_s_.clear();
}

/// Nothing was found: the program polled for as long as it wanted to, which is computation.
void Polls::end(LocationCalls& out) {
  for (std::size_t i = 0; running_ && i < repeated_s_.size(); ++i) out.gap_s[begin_ + i] += repeated_s_[i];
  running_ = false;
}

void Polls::append(RecordId record, double gap_s, double duration_s, LocationCalls& out) {
  out.calls.push_back(record);
  if (!kept_.times) {
    out.compute_s += gap_s;
    return;
  }
  out.gap_s.push_back(gap_s);
  out.counted.insert(out.counted.end(), counted_.begin(), counted_.end());
  std::ranges::fill(counted_, 0);
  out.duration_s.push_back(duration_s);
  if (when_) when_->push_back(now_);
  if (kept_.sites) out.sites.push_back(site_);
  if (kept_.numbers) out.numbers.push_back(number_ - 1);
  if (running_) repeated_s_.push_back(0);
}

void Polls::repeat(std::size_t at, double gap_s, double duration_s, LocationCalls& out) {
  out.gap_s[at] += gap_s;
  for (std::size_t c = 0; c < counted_.size(); ++c)
    out.counted[at * counted_.size() + c] += std::exchange(counted_[c], 0);
  repeated_s_[at - begin_] += duration_s;
  if (when_) (*when_)[at].end = now_.end;
  if (!out.matches.empty() && out.matches.back().call == out.calls.size()) out.matches.pop_back();
}

/// The next call takes the place of the run's polls; of all of its calls if it is one of them.
void Polls::succeed(const Normalized& normalized, bool asked_before, double& gap_s, double& duration_s,
                    LocationCalls& out) {
  std::optional<Match> own;
  if (!out.matches.empty() && out.matches.back().call == out.calls.size()) {
    own = out.matches.back();
    out.matches.pop_back();
  }
  while (!out.matches.empty() && out.matches.back().call >= begin_) out.matches.pop_back();
  std::size_t kept = begin_;
  std::vector<RecordId> between;
  const std::size_t counters = counted_.size();
  for (std::size_t i = begin_; i < out.calls.size(); ++i) {
    if (!asked_before && !polls(function_of(normalized, out.calls[i]))) {
      between.push_back(out.calls[i]);
      if (when_) (*when_)[kept] = (*when_)[i];
      if (kept_.sites) out.sites[kept] = out.sites[i];
      if (kept_.numbers) out.numbers[kept] = out.numbers[i];
      for (std::size_t c = 0; c < counters; ++c) out.counted[kept * counters + c] = out.counted[i * counters + c];
      out.gap_s[kept] = out.gap_s[i];
      out.duration_s[kept++] = out.duration_s[i];
      continue;
    }
    gap_s += out.gap_s[i];
    for (std::size_t c = 0; c < counters; ++c) counted_[c] += out.counted[i * counters + c];
    duration_s += out.duration_s[i] + repeated_s_[i - begin_];
  }
  out.calls.shrink(begin_);
  for (const RecordId call : between) out.calls.push_back(call);
  out.gap_s.resize(kept);
  out.counted.resize(kept * counters);
  out.duration_s.resize(kept);
  if (when_) when_->resize(kept);
  if (kept_.sites) out.sites.resize(kept);
  if (kept_.numbers) out.numbers.resize(kept);
  if (own) out.matches.push_back({kept, own->source});
  running_ = false;
}

void Polls::add(const Normalized& normalized, RecordId record, double gap_s, double duration_s, const Interval& when,
                std::uint64_t site, std::span<const std::uint64_t> columns, LocationCalls& out) {
  now_ = when;
  site_ = site;
  ++number_;
  for (std::size_t c = 0; c < counted_.size(); ++c) counted_[c] += static_cast<double>(columns[kept_.columns[c]]);
  if (of_nothing(normalized, record)) {
    left_out_s_ += gap_s + duration_s;
    return;
  }
  gap_s += std::exchange(left_out_s_, 0);
  if (!kept_.times) return append(record, gap_s, duration_s, out);
  const mpi::Function& function = function_of(normalized, record);
  const bool poll = polls(function);
  if (!poll && function.kind != Kind::environment) end(out);
  std::optional<std::size_t> before;  // where the run has it
  for (std::size_t i = begin_; running_ && i < out.calls.size() && !before; ++i)
    if (same_question(normalized, out.calls[i], record)) before = i;
  if (poll && !idle(normalized, record)) {
    if (running_) succeed(normalized, before.has_value(), gap_s, duration_s, out);
  } else if (poll && before) {
    repeating_ = true;
    return repeat(*before, gap_s, duration_s, out);
  } else if (poll && !running_) {
    begin(out);
  } else if (!poll && repeating_ && before) {  // MPI_Wtime between polls
    return repeat(*before, gap_s, duration_s, out);
  }
  append(record, gap_s, duration_s, out);
}

}  // namespace skelgen::normalize
