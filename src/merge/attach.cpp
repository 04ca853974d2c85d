#include "merge/attach.h"

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
  Walk(const normalize::Normalized& normalized, const ClassProgram& program)
      : normalized_(normalized), program_(program), seen_(program.size()) {}

  void member(std::size_t l, double* before_s, double* between_s, double* duration_s) {
    location_ = l;
    calls_ = &normalized_.locations[l];
    next_ = 0;
    before_s_ = before_s;
    between_s_ = between_s;
    duration_s_ = duration_s;
    if (calls_->gap_s.size() != calls_->calls.size() || calls_->duration_s.size() != calls_->calls.size())
      fail("as many gaps or durations as calls", calls_->calls.size());
    for (Seen& seen : seen_) seen.clear();
    for (std::uint32_t i = 0; i < program_.size(); i = program_[i].end) node(i, before_s_ + i);
    if (next_ != calls_->calls.size()) fail("nothing", next_);
  }

  const Seen& seen(std::size_t node) const { return seen_[node]; }

 private:
  // gap: where the computation before the next call belongs. A loop that starts hands on its own place; so the
  // outermost of several loops that start here gets it, and the innermost one whose next iteration begins.
  void node(std::uint32_t i, double* gap) {
    const ClassNode& node = program_[i];
    if (!node.is_loop()) {
      call(i, gap);
      return;
    }
    for (std::uint64_t t = 0; t < node.trips; ++t)
      for (std::uint32_t j = i + 1; j < node.end; j = program_[j].end)
        this->node(j, j != i + 1 ? before_s_ + j : t == 0 ? gap : between_s_ + i);
  }

  void call(std::uint32_t i, double* gap) {
    if (next_ >= calls_->calls.size()) fail("one more call", next_);
    const RecordId record = calls_->calls[next_];
    if (normalized_.records[record].symbol != program_[i].symbol) fail("another symbol", next_);
    seen_[i].add(record, program_[i].executions);
    *gap += calls_->gap_s[next_];
    duration_s_[i] += calls_->duration_s[next_];
    ++next_;
  }

  [[noreturn]] void fail(const std::string& expected, std::size_t at) const {
    throw Error(Code::internal, "location " + std::to_string(location_) + ", call " + std::to_string(at) +
                                    ": the folded program has " + expected);
  }

  const normalize::Normalized& normalized_;
  const ClassProgram& program_;
  std::vector<Seen> seen_;
  std::size_t location_ = 0, next_ = 0;
  const normalize::LocationCalls* calls_ = nullptr;
  double *before_s_ = nullptr, *between_s_ = nullptr, *duration_s_ = nullptr;
};

// Adds what one member did at one leaf to the leaf's arguments.
void describe(const normalize::Normalized& normalized, const Seen& seen, std::vector<ClassArgument>& arguments,
              std::vector<std::int64_t>& scratch) {
  const auto& first = normalized.records[seen.first()].values;
  if (seen.constant()) {
    for (std::size_t a = 0; a < arguments.size(); ++a)
      arguments[a].of_member.push_back(arguments[a].choices.add_constant(first[a]));
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
    for (std::size_t k = 0; k < enough; ++k) scratch.push_back(normalized.records[all[k]].values[a]);
    arguments[a].of_member.push_back(arguments[a].choices.add(Sequence::of(scratch)));
  }
}

}  // namespace

Attached attach(const normalize::Normalized& normalized, const normalize::Class& members, const ClassProgram& program) {
  Attached result;
  const std::size_t nodes = program.size(), total = nodes * members.members.size();
  for (const ClassNode& node : program) {
    const std::size_t parameters = node.is_loop() ? 0 : normalized.symbols[node.symbol].function->parameters.size();
    result.arguments.emplace_back(parameters);
  }
  result.before_s.assign(total, 0);
  result.between_s.assign(total, 0);
  result.duration_s.assign(total, 0);
  Walk walk(normalized, program);
  std::vector<std::int64_t> scratch;
  for (std::size_t m = 0; m < members.members.size(); ++m) {
    walk.member(members.members[m], result.before_s.data() + m * nodes, result.between_s.data() + m * nodes,
                result.duration_s.data() + m * nodes);
    for (std::size_t i = 0; i < nodes; ++i)
      if (!program[i].is_loop()) describe(normalized, walk.seen(i), result.arguments[i], scratch);
  }
  return result;
}

}  // namespace skelgen::merge
