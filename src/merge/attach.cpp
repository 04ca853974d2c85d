#include "merge/attach.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "support/error.h"

namespace skelgen::merge {
namespace {

using normalize::RecordId;
using skeleton::Sequence;

// The records that one member made at a leaf. Most leaves make the same one every time: only a count is kept until
// another comes.
class Seen {
 public:
  void add(RecordId record, std::uint64_t executions) {
    if (all_.empty()) {
      if (count_ == 0) first_ = record;
      if (record == first_) {
        ++count_;
        return;
      }
      all_.reserve(executions);
      all_.assign(count_, first_);
    }
    all_.push_back(record);
  }
  void clear() {
    count_ = 0;
    all_ = {};
  }
  bool constant() const { return all_.empty(); }
  RecordId first() const { return first_; }
  const std::vector<RecordId>& all() const { return all_; }

 private:
  RecordId first_ = 0;
  std::uint64_t count_ = 0;
  std::vector<RecordId> all_;
};

class Walk {
 public:
  Walk(const normalize::Normalized& normalized, const ClassProgram& program, std::uint64_t all_calls)
      : normalized_(normalized), program_(program), all_calls_(all_calls), seen_(program.size()) {}

  // gap_s: [place], see MemberSamples.
  void member(std::size_t l, double* gap_s, double* duration_s) {
    location_ = l;
    calls_ = &normalized_.locations[l];
    next_ = 0;
    gap_s_ = gap_s;
    duration_s_ = duration_s;
    sampled_.clear();
    executed_.assign(program_.size(), 0);
    if (calls_->gap_s.size() != calls_->calls.size() || calls_->duration_s.size() != calls_->calls.size())
      fail("as many gaps or durations as calls", calls_->calls.size());
    for (Seen& seen : seen_) seen.clear();
    for (std::uint32_t i = 0; i < program_.size(); i = program_[i].end) program_[i].is_loop() ? top(i) : call(i, i);
    if (next_ != calls_->calls.size()) fail("nothing", next_);
  }

  const Seen& seen(std::size_t node) const { return seen_[node]; }

  MemberSamples samples() const {
    MemberSamples result;
    result.begin.assign(2 * program_.size() + 1, 0);
    for (const Sampled& s : sampled_) ++result.begin[s.place + 1];
    std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
    result.seconds.resize(sampled_.size());
    result.row.resize(sampled_.size());
    std::vector<std::uint32_t> next(result.begin.begin(), result.begin.end() - 1);
    for (const Sampled& s : sampled_) {
      const std::uint32_t at = next[s.place]++;
      result.seconds[at] = s.seconds;
      result.row[at] = s.row;
    }
    return result;
  }

 private:
  struct Sampled {
    std::uint32_t place, row;
    float seconds;
  };

  std::uint32_t between(std::uint32_t loop) const { return static_cast<std::uint32_t>(program_.size()) + loop; }

  void top(std::uint32_t i) {
    const std::uint64_t trips = program_[i].trips, rows = sampled_rows(trips, all_calls_);
    std::uint64_t row = 0;
    for (std::uint64_t t = 0; t < trips; ++t) {
      sampling_ = row < rows && skeleton::sampled_iteration(row, rows, trips) == t;
      if (sampling_) row_ = static_cast<std::uint32_t>(row++);
      iteration(i, t == 0 ? i : between(i));
    }
    sampling_ = false;
  }

  // place: where the computation before the next call belongs. A loop that starts hands on its own place; so the
  // outermost of several loops that start here gets it, and the innermost one whose next iteration begins.
  void iteration(std::uint32_t i, std::uint32_t place) {
    for (std::uint32_t j = i + 1; j < program_[i].end; j = program_[j].end) node(j, j == i + 1 ? place : j);
  }

  void node(std::uint32_t i, std::uint32_t place) {
    if (!program_[i].is_loop()) {
      call(i, place);
      return;
    }
    const ClassNode& loop = program_[i];
    const std::uint64_t trips = loop.each.empty() ? loop.trips : loop.each[executed_[i]++];
    // The place is passed all the same; the computation stands before the call that comes next.
    if (trips == 0 && sampling_) sampled_.push_back({place, row_, 0});
    for (std::uint64_t t = 0; t < trips; ++t) iteration(i, t == 0 ? place : between(i));
  }

  void call(std::uint32_t i, std::uint32_t place) {
    if (next_ >= calls_->calls.size()) fail("one more call", next_);
    const RecordId record = calls_->calls[next_];
    if (normalized_.records[record].symbol != program_[i].symbol) fail("another symbol", next_);
    seen_[i].add(record, program_[i].executions);
    gap_s_[place] += calls_->gap_s[next_];
    if (sampling_) sampled_.push_back({place, row_, static_cast<float>(calls_->gap_s[next_])});
    duration_s_[i] += calls_->duration_s[next_];
    ++next_;
  }

  [[noreturn]] void fail(const std::string& expected, std::size_t at) const {
    throw Error(Code::internal, "location " + std::to_string(location_) + ", call " + std::to_string(at) +
                                    ": the folded program has " + expected);
  }

  const normalize::Normalized& normalized_;
  const ClassProgram& program_;
  std::uint64_t all_calls_;
  std::vector<Seen> seen_;
  std::vector<std::uint64_t> executed_;  // by node: how often a loop with varying trips was
  std::vector<Sampled> sampled_;
  bool sampling_ = false;
  std::uint32_t row_ = 0;
  std::size_t location_ = 0, next_ = 0;
  const normalize::LocationCalls* calls_ = nullptr;
  double *gap_s_ = nullptr, *duration_s_ = nullptr;
};

// Adds what one member did at one leaf to the leaf's arguments.
void describe(const normalize::Normalized& normalized, const Seen& seen, std::vector<ClassArgument>& arguments,
              std::vector<std::int64_t>& scratch) {
  const auto value = [&](RecordId record, std::size_t a) {
    const normalize::Record& made = normalized.records[record];
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
  Walk walk(normalized, program, calls);
  std::vector<std::int64_t> scratch;
  for (std::size_t m = 0; m < members.members.size(); ++m) {
    const std::size_t l = members.members[m];
    walk.member(l, result.gap_s.data() + 2 * m * nodes, result.duration_s.data() + m * nodes);
    result.samples.push_back(walk.samples());
    const auto& gaps = normalized.locations[l].gap_s;
    result.compute_s.push_back(std::accumulate(gaps.begin(), gaps.end(), 0.0));
    for (std::size_t i = 0; i < nodes; ++i)
      if (!program[i].is_loop()) describe(normalized, walk.seen(i), result.arguments[i], scratch);
  }
  return result;
}

}  // namespace skelgen::merge
