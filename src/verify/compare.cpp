#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "verify/handles.h"
#include "verify/tests_of_sends.h"
#include "verify/values.h"
#include "verify/verify.h"

namespace skelgen::verify {
namespace {

using mpi::Kind;
using mpi::Role;
using normalize::LocationCalls;
using normalize::Normalized;
using normalize::RecordId;

enum class Use { compare, opaque, idle_poll };

/// What the comparison does with a call.
Use use_of(const Normalized& run, const normalize::Record& record) {
  const mpi::Function& function = *run.symbols[record.symbol].function;
  if (function.kind == Kind::opaque) return Use::opaque;
  if (const int flag = function.find(Role::flag); flag >= 0)
    return record.values[static_cast<std::size_t>(flag)] == 0 ? Use::idle_poll : Use::compare;
  if (const int done = function.find(Role::indices); function.kind == Kind::test && done >= 0)
    return record.values[static_cast<std::size_t>(done)] == 0 ? Use::idle_poll : Use::compare;
  return Use::compare;
}

/// The positions of the requests that a call like MPI_Waitany or MPI_Testsome completed; nothing for other calls.
std::optional<std::vector<std::int64_t>> some_completed(const Normalized& run, const mpi::Function& function,
                                                        const normalize::Record& record) {
  if (const int index = function.find(Role::index); index >= 0)
    return std::vector{record.values[static_cast<std::size_t>(index)]};
  if (const int indices = function.find(Role::indices); indices >= 0)
    return run.arrays[static_cast<std::size_t>(record.values[static_cast<std::size_t>(indices)])];
  return {};
}

/// Arrays of requests of such calls: `right` may leave out what is not completed, since else the MPI chooses.
bool same_requests(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
                   const std::optional<std::vector<std::int64_t>>& completed, auto&& same) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (same(left[i], right[i])) continue;
    if (!completed || right[i] >= 0 || std::ranges::count(*completed, static_cast<std::int64_t>(i)) > 0) return false;
  }
  return true;
}

/// A run and what its records mean, looked up once.
struct Side {
  explicit Side(const Normalized& of) : run(of) {
    for (const auto& record : run.records) {
      use.push_back(use_of(run, record));
      function.push_back(run.symbols[record.symbol].function);
    }
  }
  std::string call(RecordId record) const { return text(run, run.records[record]); }

  const Normalized& run;
  std::vector<Use> use;                        // by record
  std::vector<const mpi::Function*> function;  // by record
};

/// The calls of one location that are compared.
class Calls {
 public:
  /// apart: calls that are not compared at their places; ascending.
  Calls(const Side& side, const LocationCalls& location, std::vector<std::size_t> apart)
      : side_(side), location_(location), calls_(location.calls), apart_(std::move(apart)) {
    skip();
  }
  bool ended() const { return at_ == calls_.size(); }
  RecordId record() const { return calls_[at_]; }
  const mpi::Function& function() const { return *side_.function[calls_[at_]]; }
  std::size_t index() const { return at_; }
  std::uint64_t opaque() const { return opaque_; }
  std::string text() const { return ended() ? kNoCall : side_.call(record()); }
  void next() {
    ++at_;
    skip();
  }
  /// Visits those apart that lie between the calls that were compared and the next one, once: visit(call, record).
  void passed(auto&& visit) {
    for (; passed_ < next_apart_; ++passed_) visit(apart_[passed_], calls_[apart_[passed_]]);
  }
  std::string text(std::size_t call) const { return side_.call(calls_[call]); }
  Context context() const { return context(at_); }
  Context context(std::size_t at) const {
    Context context{at};
    for (std::size_t i = at; i > 0 && context.before.size() < kContext; --i)
      if (compared(i - 1)) context.before.push_back({i - 1, side_.call(calls_[i - 1])});
    std::ranges::reverse(context.before);
    for (std::size_t i = at + 1; i < calls_.size() && context.after.size() < kContext; ++i)
      if (compared(i)) context.after.push_back({i, side_.call(calls_[i])});
    context.handles = handles_of(side_.run, location_, at);
    context.where = location_.where;
    if (at < calls_.size()) context.function = side_.function[calls_[at]];
    return context;
  }

 private:
  bool compared(std::size_t i) const { return side_.use[calls_[i]] == Use::compare; }
  void skip() {
    for (; at_ < calls_.size(); ++at_) {
      const bool apart = next_apart_ < apart_.size() && apart_[next_apart_] == at_;
      if (!apart && compared(at_)) return;
      opaque_ += side_.use[calls_[at_]] == Use::opaque;
      next_apart_ += apart;
    }
  }

  const Side& side_;
  const LocationCalls& location_;
  const normalize::CallList& calls_;
  const std::vector<std::size_t> apart_;
  std::size_t at_ = 0, next_apart_ = 0, passed_ = 0;
  std::uint64_t opaque_ = 0;
};

/// Do two sides complete the same requests? Operations are numbered alike on both sides, because their calls are
/// compared; where `actual` could not tell requests apart, any of those is right.
class Requests {
 public:
  Requests(const Normalized& expected, const Normalized& actual, const LocationCalls& location)
      : expected_(expected), actual_(actual) {
    for (const auto& shared : location.shared_requests) first_[shared.call] = shared.first;
  }

  /// Both calls are of `function`; `call`: index of the actual one.
  bool equal(const mpi::Function& function, const normalize::Record& left, const normalize::Record& right,
             std::size_t call) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const mpi::Parameter& parameter = function.parameters[i];
      if (parameter.role == Role::requests) {
        const auto& l = expected_.arrays[static_cast<std::size_t>(left.values[i])];
        const auto& r = actual_.arrays[static_cast<std::size_t>(right.values[i])];
        if (!same_requests(l, r, some_completed(expected_, function, left),
                           [&](std::int64_t a, std::int64_t b) { return same(a, b); }))
          return false;
      } else if (parameter.role == Role::request) {
        if (parameter.direction != mpi::Direction::out) {
          if (!same(left.values[i], right.values[i])) return false;
        } else if (!start(left.values[i], right.values[i], call)) {
          return false;
        }
      }
    }
    return true;
  }

  /// A call of one side at a place of its own: after those of both sides that were compared before it.
  void test(TestsOfSends::Test test, const mpi::Function& function, const normalize::Record& record) {
    if (function.kind == Kind::ask) return;  // completes nothing
    std::vector<std::uint64_t> started;
    for (const auto slot : completed(test.expected ? expected_ : actual_, record))
      if (slot >= 0) started.push_back(group((test.expected ? left_ : right_)[static_cast<std::size_t>(slot)]));
    tests_.add(test, function.name, std::move(started));
  }
  const TestsOfSends& tests() const { return tests_; }

  /// Do these slots have the same operation now?
  bool same(std::int64_t left, std::int64_t right) const {
    if (left < 0 || right < 0) return left == right;
    const std::uint64_t a = left_[static_cast<std::size_t>(left)], b = right_[static_cast<std::size_t>(right)];
    return a == b || group(a) == group(b);
  }

 private:
  static void put(std::vector<std::uint64_t>& by_slot, std::int64_t slot, std::uint64_t call) {
    if (by_slot.size() <= static_cast<std::size_t>(slot)) by_slot.resize(static_cast<std::size_t>(slot) + 1);
    by_slot[static_cast<std::size_t>(slot)] = call;
  }
  bool start(std::int64_t left, std::int64_t right, std::uint64_t call) {
    if (left < 0 || right < 0) return left == right;
    put(left_, left, call);
    put(right_, right, call);
    return true;
  }
  std::uint64_t group(std::uint64_t call) const {
    const auto found = first_.find(call);
    return found == first_.end() ? call : found->second;
  }

  const Normalized &expected_, &actual_;
  std::unordered_map<std::uint64_t, std::uint64_t> first_;
  std::vector<std::uint64_t> left_, right_;  // by slot: the actual call that started it
  TestsOfSends tests_;
};

/// Whose messages did receives of any source get?
class Sources {
 public:
  Sources(const LocationCalls& expected, const LocationCalls& actual)
      : expected_(expected.matches), actual_(actual.matches) {}

  /// False if `right` names another source than the one that MPI_ANY_SOURCE matched.
  bool equal(const Calls& left, const Calls& right, const normalize::Record& named, Report& report) {
    const auto wanted = take(expected_, left.index()), got = take(actual_, right.index());
    if (!wanted) return true;
    if (got) {
      report.matched_otherwise += *got != *wanted;
      return true;
    }
    ++report.by_recorded_source;
    return *wanted == named.values[static_cast<std::size_t>(right.function().source())];
  }

 private:
  /// The match of this call, if it named MPI_ANY_SOURCE.
  static std::optional<std::int64_t> take(std::span<const normalize::Match>& matches, std::size_t call) {
    while (!matches.empty() && matches.front().call < call) matches = matches.subspan(1);
    if (matches.empty() || matches.front().call != call) return {};
    return matches.front().source;
  }

  std::span<const normalize::Match> expected_, actual_;
};

/// The slots that calls of a location read.
std::unordered_set<std::int64_t> read_slots(const Normalized& run, const LocationCalls& location) {
  std::unordered_set<std::int64_t> slots;
  for (const auto call : location.calls) {
    const auto& record = run.records[call];
    const mpi::Function& function = *run.symbols[record.symbol].function;
    bool in_place = false;
    for (std::size_t i = 0; i < record.values.size(); ++i)
      in_place = in_place || (function.parameters[i].role == Role::buffer && record.values[i] == mpi::kInPlace);
    for (std::size_t i = 0; i < record.values.size(); ++i)
      if (function.reads(i, in_place)) slots.insert(mpi::slot_of(record.values[i]));
  }
  return slots;
}

/// Memory of a location whose slots are others. Where counts differ, what overlapped need not do so any more: each slot
/// of `actual` must be a part of one of `expected`, always at the same place in it. Where memory is shared, each slot of
/// `expected` that nobody reads must be a part of one of `actual`, which none that somebody reads has a part of.
class Places {
 public:
  Places(const Allowed& allowed, const Normalized& expected, const LocationCalls& location) : allowed_(allowed) {
    if (allowed.shared_memory) read_ = read_slots(expected, location);
  }

  bool equal(const mpi::Function& function, std::span<const std::int64_t> left, std::span<const std::int64_t> right) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (function.parameters[i].role == Role::target) {  // the other rank's slots are others, too
        if (left[i] != right[i] && !(mpi::is_place(left[i]) && mpi::is_place(right[i]))) return false;
        continue;
      }
      if (function.parameters[i].role != Role::buffer) continue;
      if (left[i] <= mpi::kInPlace || right[i] <= mpi::kInPlace) {
        if (left[i] != right[i]) return false;
        continue;
      }
      if (!same_place(left[i], right[i])) return false;
    }
    return true;
  }

 private:
  using Parts = std::unordered_map<std::int64_t, std::pair<std::int64_t, std::int64_t>>;  // by slot: slot and offset

  bool same_place(std::int64_t left, std::int64_t right) {
    const bool may_differ = allowed_.tolerance > 0;
    if (!allowed_.shared_memory) return is_part(left, right, part_of_expected_);
    const bool read = read_.contains(mpi::slot_of(left));
    if (holds_read_.try_emplace(mpi::slot_of(right), read).first->second != read) return false;
    if (!read && may_differ) return true;  // parts of parts
    return (!read || is_part(left, right, part_of_expected_)) && (may_differ || is_part(right, left, part_of_actual_));
  }
  static bool is_part(std::int64_t whole, std::int64_t part, Parts& parts) {
    const std::pair place{mpi::slot_of(whole), mpi::offset_of(whole) - mpi::offset_of(part)};
    return place.second >= 0 && parts.try_emplace(mpi::slot_of(part), place).first->second == place;
  }

  const Allowed allowed_;
  std::unordered_set<std::int64_t> read_;              // of `expected`
  std::unordered_map<std::int64_t, bool> holds_read_;  // by slot of `actual`
  Parts part_of_expected_, part_of_actual_;
};

bool is_status_or_buffer(Role role) { return is_status(role) || role == Role::buffer || role == Role::target; }
bool is_status_or_request(Role role) { return is_status(role) || is_request(role); }
bool is_status_or_outcome(Role role) {
  return is_status(role) || role == Role::flag || role == Role::index || role == Role::indices;
}
bool is_outcome_or_requests(Role role) { return is_status_or_outcome(role) || role == Role::requests; }
bool is_any_of_these(Role role) { return is_status_or_buffer(role) || is_request(role); }

class Comparison {
 public:
  Comparison(const Normalized& expected, const Normalized& actual, const Allowed& allowed)
      : expected_(expected),
        actual_(actual),
        allowed_(allowed),
        contents_({expected.arrays, expected.names}, {actual.arrays, actual.names}),
        known_(expected.records.size()) {}

  void location(const LocationCalls& left, const LocationCalls& right, Report& report) {
    const auto apart = [&](const Side& side, const LocationCalls& of) {
      return allowed_.tests_go_on ? tests_of_sends(side.run, of) : std::vector<std::size_t>();
    };
    Calls l(expected_, left, apart(expected_, left)), r(actual_, right, apart(actual_, right));
    Requests requests(expected_.run, actual_.run, right);
    // Slots say which requests are the same, unless this is so. A skeleton names fewer requests in a call like MPI_Waitany
    // than the program does, so it may forget more of them.
    const bool shared =
        allowed_.tests_go_on || !right.shared_requests.empty() || left.forgets_requests || right.forgets_requests;
    const auto pass = [&](Calls& calls, const Side& side, bool expected) {
      calls.passed([&](std::size_t call, RecordId record) {
        requests.test({expected, call}, *side.function[record], side.run.records[record]);
        report.calls_checked += expected;
      });
    };
    Sources sources(left, right);
    Places places(allowed_, expected_.run, left);
    bool equal = true;
    for (; equal && (pass(l, expected_, true), pass(r, actual_, false), !(l.ended() && r.ended()));) {
      ++report.calls_checked;
      const auto change = l.ended() || r.ended() ? std::nullopt : change_but_requests(l.record(), r.record(), shared);
      equal = change && (!shared || requests.equal(*expected_.function[l.record()], expected_.run.records[l.record()],
                                                   actual_.run.records[r.record()], r.index()));
      equal = equal && sources.equal(l, r, actual_.run.records[r.record()], report);
      if (equal && allowed_.other_places()) {
        equal = places.equal(*expected_.function[l.record()], expected_.run.records[l.record()].values,
                             actual_.run.records[r.record()].values);
        report.counts_changed += equal && *change > 0;
        report.largest_change = std::max(report.largest_change, equal ? *change : 0);
      }
      if (!equal) {
        if (!report.first_difference)
          report.first_difference = Difference{
              left.where.rank,
              l.index(),
              l.text(),
              r.text(),
              l.context(),
              r.context(),
              !l.ended() && !r.ended() && same_but_outcome(l.record(), r.record(), shared ? &requests : nullptr)};
        break;
      }
      l.next();
      r.next();
    }
    if (const auto test = requests.tests().left_over(); equal && test && !report.first_difference)
      report.first_difference = Difference{left.where.rank,
                                           test->call,
                                           test->expected ? l.text(test->call) : kNoCall,
                                           test->expected ? kNoCall : r.text(test->call),
                                           l.context(test->expected ? test->call : left.calls.size()),
                                           r.context(test->expected ? right.calls.size() : test->call),
                                           false};
    report.opaque_skipped += l.opaque();
  }

 private:
  /// The skeleton gives a call like MPI_Waitany MPI_REQUEST_NULL for requests that it does not complete: those that are
  /// null on one side may be another on the other. requests: tells which are the same if it is not their slot.
  bool same_but_outcome(RecordId left, RecordId right, const Requests* requests) const {
    const mpi::Function& function = *expected_.function[left];
    if (function.name != actual_.function[right]->name) return false;
    const bool some = function.find(Role::index) >= 0 || function.find(Role::indices) >= 0;
    const auto &wanted = expected_.run.records[left].values, &got = actual_.run.records[right].values;
    if (contents_.change(function, wanted, got, 0, some ? &is_outcome_or_requests : &is_status_or_outcome) != 0)
      return false;
    const int all = some ? function.find(Role::requests) : -1;
    if (all < 0) return true;
    const auto& l = expected_.run.arrays[static_cast<std::size_t>(wanted[static_cast<std::size_t>(all)])];
    const auto& r = actual_.run.arrays[static_cast<std::size_t>(got[static_cast<std::size_t>(all)])];
    return std::ranges::equal(l, r, [&](std::int64_t a, std::int64_t b) {
      return a < 0 || b < 0 || (requests ? requests->same(a, b) : a == b);
    });
  }

  /// An actual record that is equal to an expected one but for its counts, and how much those differ.
  struct Known {
    RecordId right = ~RecordId{0};
    double change = 0;
  };

  std::optional<double> change_but_requests(RecordId left, RecordId right, bool any_request) {
    Known& known = any_request ? known_but_requests(left) : known_[left];
    if (known.right == right) return known.change;
    const mpi::Function& function = *expected_.function[left];
    if (function.name != actual_.function[right]->name) return {};
    const auto completed = some_completed(expected_.run, function, expected_.run.records[left]);
    const bool requests_apart = any_request || completed;
    const auto skip = allowed_.other_places() ? (requests_apart ? &is_any_of_these : &is_status_or_buffer)
                      : requests_apart        ? &is_status_or_request
                                              : &is_status;
    const auto& wanted = expected_.run.records[left].values;
    const auto& got = actual_.run.records[right].values;
    const int source = function.source();
    const auto at = static_cast<std::size_t>(source);
    auto named = wanted;
    if (source >= 0 && wanted[at] == mpi::kAnySource && got[at] >= 0) named[at] = got[at];  // Sources looks at it
    const auto change = contents_.change(function, named, got, allowed_.tolerance, skip);
    if (!change) return {};
    if (completed && !any_request) {
      const auto all = static_cast<std::size_t>(function.find(Role::requests));
      if (!same_requests(expected_.run.arrays[static_cast<std::size_t>(wanted[all])],
                         actual_.run.arrays[static_cast<std::size_t>(got[all])], completed, std::equal_to{}))
        return {};
    }
    known = {right, *change};
    return change;
  }
  Known& known_but_requests(RecordId left) {
    if (known_but_requests_.empty()) known_but_requests_.resize(known_.size());
    return known_but_requests_[left];
  }

  const Side expected_, actual_;
  const Allowed allowed_;
  const Contents contents_;
  std::vector<Known> known_, known_but_requests_;  // by expected record
};

/// Which location of `actual` each of `expected` is compared with: threads are numbered by their first calls, whose order
/// may be another in another run. So a thread is compared with one of its rank that does the same, if there is one.
std::vector<std::size_t> partners(const Normalized& expected, const Normalized& actual, Comparison& comparison) {
  std::vector<std::size_t> partner(expected.locations.size());
  std::iota(partner.begin(), partner.end(), std::size_t{0});
  const auto same = [&](std::size_t l, std::size_t r) {
    Report report;
    comparison.location(expected.locations[l], actual.locations[r], report);
    return !report.first_difference;
  };
  for (std::size_t begin = 0, end; begin < partner.size(); begin = end) {
    for (end = begin + 1; end < partner.size() && expected.locations[end].where.thread > 0;) ++end;
    std::vector<std::size_t> left, right;  // threads without a partner
    for (std::size_t l = begin + 1; l < end; ++l)
      if (!same(l, l)) left.push_back(l);
    right = left;
    for (const std::size_t l : left) {
      auto found = std::ranges::find_if(right, [&](std::size_t r) { return same(l, r); });
      if (found == right.end()) found = right.begin();
      partner[l] = *found;
      right.erase(found);
    }
  }
  return partner;
}

}  // namespace

Report compare(const Normalized& expected, const Normalized& actual, const Allowed& allowed) {
  Report report;
  if (!std::ranges::equal(expected.locations, actual.locations, {}, &LocationCalls::where, &LocationCalls::where)) {
    report.first_difference =
        Difference{0, 0, locations_text(expected.locations.size()), locations_text(actual.locations.size())};
    return report;
  }
  Comparison comparison(expected, actual, allowed);
  const auto partner = partners(expected, actual, comparison);
  for (std::size_t l = 0; l < expected.locations.size(); ++l)
    comparison.location(expected.locations[l], actual.locations[partner[l]], report);
  report.identical = !report.first_difference && report.counts_changed == 0;
  report.bytes_matrix_identical = traffic(expected) == traffic(actual);
  return report;
}

}  // namespace skelgen::verify
