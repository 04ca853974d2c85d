#include "merge/attach.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "skel_sampling.h"
#include "support/error.h"
#include "support/parallel.h"

namespace skelgen::merge {
namespace {

using skeleton::Sequence;

// The numbers (CallList::order) of the records that a leaf's calls are. Most leaves make the same one every time: only a
// count is kept until another comes.
class Seen {
 public:
  void add(std::uint32_t number, std::uint64_t executions) {
    if (all_.empty()) {
      if (count_ == 0) first_ = number;
      if (number == first_) {
        ++count_;
        return;
      }
      all_.reserve(executions);
      all_.assign(count_, first_);
    }
    all_.push_back(number);
  }
  bool constant() const { return all_.empty(); }
  std::uint32_t first() const { return first_; }
  const std::vector<std::uint32_t>& all() const { return all_; }

 private:
  std::uint32_t first_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> all_;
};

// Walks a program call by call.
class Course {
 public:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

  Course(const ClassProgram& program, std::uint64_t all_calls)
      : program_(program), all_calls_(all_calls), executed_(program.size(), 0) {
    stack_.push_back({kEnd, 0, 1, 0, kEnd});
  }

  // The leaf of the next call, or kEnd.
  std::uint32_t next() {
    for (;;) {
      Frame& frame = stack_.back();
      if (frame.at == end(frame.loop)) {
        if (++frame.trip < frame.trips) {
          frame.at = frame.loop + 1;
          frame.place = static_cast<std::uint32_t>(program_.size()) + frame.loop;
          if (stack_.size() == 2) sample(frame);
          continue;
        }
        if (stack_.size() == 1) return kEnd;
        if (stack_.size() == 2) sampling_ = false;
        stack_.pop_back();
        continue;
      }
      const std::uint32_t i = frame.at;
      // A loop that starts hands on its own place; so the outermost of several loops that start here gets it, and the
      // innermost one whose next iteration begins.
      place_ = frame.place == kEnd ? i : frame.place;
      frame.place = kEnd;
      frame.at = program_[i].end;
      if (!program_[i].is_loop()) return i;
      const ClassNode& loop = program_[i];
      const std::uint64_t trips = loop.each.empty() ? loop.trips : loop.each[executed_[i]++];
      if (trips == 0) continue;
      stack_.push_back({i, 0, trips, i + 1, place_});
      if (stack_.size() != 2) continue;
      rows_ = sampled_rows(trips, all_calls_);
      next_row_ = 0;
      sample(stack_.back());
    }
  }

  std::uint32_t place() const { return place_; }  // of the computation before that call
  bool sampled() const { return sampling_; }
  std::uint32_t row() const { return row_; }

 private:
  struct Frame {
    std::uint32_t loop;  // kEnd: the whole program
    std::uint64_t trip, trips;
    std::uint32_t at, place;  // the next node of the body; kEnd: its own place
  };

  std::uint32_t end(std::uint32_t loop) const {
    return loop == kEnd ? static_cast<std::uint32_t>(program_.size()) : program_[loop].end;
  }

  void sample(const Frame& frame) {
    sampling_ = next_row_ < rows_ && skel_iteration_sampled(next_row_, rows_, frame.trips - 1) == frame.trip;
    if (sampling_) row_ = static_cast<std::uint32_t>(next_row_++);
  }

  const ClassProgram& program_;
  std::uint64_t all_calls_;
  std::vector<std::uint64_t> executed_;  // by node: how often a loop with varying trips was
  std::vector<Frame> stack_;
  std::uint32_t place_ = 0, row_ = 0;
  std::uint64_t rows_ = 0, next_row_ = 0;
  bool sampling_ = false;
};

[[noreturn]] void fail(std::size_t location, std::size_t call, const std::string& expected) {
  throw Error(Code::internal, "location " + std::to_string(location) + ", call " + std::to_string(call) +
                                  ": the folded program has " + expected);
}

// Which records the leaves make, as numbers; the same for all members whose calls have the same order.
std::vector<Seen> walk(const normalize::Normalized& normalized, std::size_t l, const ClassProgram& program) {
  const auto& calls = normalized.locations[l].calls;
  std::vector<Seen> seen(program.size());
  Course course(program, 0);
  const auto order = calls.order();
  normalize::Numbers::Iterator next(order.get(), 0);
  for (std::size_t k = 0; k < calls.size(); ++k, ++next) {
    const std::uint32_t leaf = course.next();
    if (leaf == Course::kEnd) fail(l, k, "nothing");
    const std::uint32_t number = *next;
    if (normalized.records[calls.record(number)].symbol != program[leaf].symbol) fail(l, k, "another symbol");
    seen[leaf].add(number, program[leaf].executions);
  }
  if (course.next() != Course::kEnd) fail(l, calls.size(), "one more call");
  return seen;
}

// gap_s: [place], see MemberSamples. Returns all gaps.
double spend(const normalize::Normalized& normalized, std::size_t l, const ClassProgram& program,
             std::uint64_t all_calls, double* gaps_s, double* durations_s, MemberSamples& samples) {
  struct Sampled {
    std::uint32_t place, row;
    float seconds;
  };
  std::vector<Sampled> sampled;
  sampled.reserve(std::min(normalized.locations[l].calls.size(), std::size_t{1} << 20));  // most are, of a short run
  Course course(program, all_calls);
  double all_s = 0;
  std::size_t k = 0;
  normalize::each_time(normalized, l, [&](double gap_s, double duration_s) {
    const std::uint32_t leaf = course.next();
    if (leaf == Course::kEnd) fail(l, k, "nothing");
    gaps_s[course.place()] += gap_s;
    durations_s[leaf] += duration_s;
    all_s += gap_s;
    if (course.sampled()) sampled.push_back({course.place(), course.row(), static_cast<float>(gap_s)});
    ++k;
  });
  if (k != normalized.locations[l].calls.size()) fail(l, k, "times of another number of calls");
  samples.begin.assign(2 * program.size() + 1, 0);
  for (const Sampled& s : sampled) ++samples.begin[s.place + 1];
  std::partial_sum(samples.begin.begin(), samples.begin.end(), samples.begin.begin());
  samples.seconds.resize(sampled.size());
  samples.row.resize(sampled.size());
  std::vector<std::uint32_t> next(samples.begin.begin(), samples.begin.end() - 1);
  for (const Sampled& s : sampled) {
    const std::uint32_t at = next[s.place]++;
    samples.seconds[at] = s.seconds;
    samples.row[at] = s.row;
  }
  return all_s;
}

// counted: [place * counters + counter], see MemberSamples.
void count(const normalize::Normalized& normalized, std::size_t l, const ClassProgram& program, double* counted) {
  Course course(program, 0);
  std::size_t k = 0;
  normalize::each_counted(normalized, l, [&](std::span<const double> before) {
    if (course.next() == Course::kEnd) fail(l, k, "nothing");
    ++k;
    double* const to = counted + course.place() * before.size();
    for (std::size_t c = 0; c < before.size(); ++c) to[c] += before[c];
  });
  if (k != normalized.locations[l].calls.size()) fail(l, k, "counts of another number of calls");
}

// Adds what one member did at one leaf to the leaf's arguments.
void describe(const normalize::Normalized& normalized, const normalize::CallList& calls, const Seen& seen,
              std::vector<ClassArgument>& arguments, std::vector<std::int64_t>& scratch) {
  const auto value = [&](std::uint32_t number, std::size_t a) {
    const normalize::Record& made = normalized.records[calls.record(number)];
    return a < made.values.size() ? made.values[a] : made.order;
  };
  if (seen.constant()) {
    for (std::size_t a = 0; a < arguments.size(); ++a)
      arguments[a].of_member.push_back(arguments[a].choices.add_constant(value(seen.first(), a)));
    return;
  }
  // If the records repeat with period p, so does every argument, and two periods say as much as all of them.
  const auto& all = seen.all();
  scratch.assign(all.begin(), all.end());
  const Sequence records = Sequence::of(scratch);
  std::size_t enough = all.size();
  if (records.kind == Sequence::Kind::periodic) enough = std::min(enough, 2 * records.values.size());
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    scratch.clear();
    for (std::size_t k = 0; k < enough; ++k) scratch.push_back(value(all[k], a));
    arguments[a].of_member.push_back(arguments[a].choices.add(Sequence::of(scratch)));
  }
}

}  // namespace

std::uint64_t sampled_rows(std::uint64_t trips, std::uint64_t calls) {
  const double share = kSampledCalls / static_cast<double>(std::max<std::uint64_t>(1, calls));
  const double affordable = std::min(share * static_cast<double>(trips), double{kMostRows});
  const std::uint64_t rows = std::min(trips, static_cast<std::uint64_t>(affordable));
  return rows < 2 ? 0 : rows;
}

Attached attach(const normalize::Normalized& normalized, const normalize::Class& members, const ClassProgram& program,
                std::uint64_t calls) {
  Attached result;
  const std::size_t nodes = program.size(), total = nodes * members.members.size();
  for (const ClassNode& node : program) {
    if (node.is_loop())
      result.arguments.emplace_back();
    else
      result.arguments.emplace_back(normalized.symbols[node.symbol].function->parameters.size() + 1);
  }
  result.gap_s.assign(2 * total, 0);
  result.duration_s.assign(total, 0);
  const std::size_t all = members.members.size(), counters = normalized.counters.size();
  result.samples.resize(all);
  result.compute_s.resize(all);
  result.counted.assign(2 * total * counters, 0);
  parallel_for(all, [&](std::size_t m) {
    if (counters > 0) count(normalized, members.members[m], program, result.counted.data() + 2 * m * nodes * counters);
    result.compute_s[m] = spend(normalized, members.members[m], program, calls, result.gap_s.data() + 2 * m * nodes,
                                result.duration_s.data() + m * nodes, result.samples[m]);
  });
  struct OfOrder {
    std::size_t members = 0;  // still to come
    std::vector<Seen> seen;
  };
  std::map<const normalize::Numbers*, OfOrder> orders;
  const auto order_of = [&](std::size_t l) { return normalized.locations[l].calls.order().get(); };
  for (const std::size_t l : members.members) ++orders[order_of(l)].members;
  std::vector<std::int64_t> scratch;
  for (const std::size_t l : members.members) {
    OfOrder& order = orders[order_of(l)];
    if (order.seen.empty()) order.seen = walk(normalized, l, program);
    for (std::size_t i = 0; i < nodes; ++i)
      if (!program[i].is_loop())
        describe(normalized, normalized.locations[l].calls, order.seen[i], result.arguments[i], scratch);
    if (--order.members == 0) orders.erase(order_of(l));
  }
  return result;
}

}  // namespace skelgen::merge
