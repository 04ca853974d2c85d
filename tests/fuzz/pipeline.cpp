#include "fuzz/pipeline.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "emit/emit.h"
#include "merge/merge.h"
#include "metrics/metrics.h"
#include "normalize/normalize.h"
#include "support/error.h"
#include "text/text.h"
#include "trace/trace.h"
#include "verify/verify.h"

namespace skelgen::fuzz {
namespace {

/// Looks at everything that a stream says.
class Reader : public trace::Visitor {
 public:
  void event(const trace::Event& event) override {
    sum_ += event.function->name.size() + event.signature;
    for (const mpi::Value& value : event.values) {
      sum_ += static_cast<std::uint64_t>(value.scalar);
      for (const std::int64_t element : value.array) sum_ += static_cast<std::uint64_t>(element);
    }
    for (const std::uint64_t column : event.columns) sum_ += column;
    seconds_ += event.gap.value + event.cpu.value + event.start.value + event.end.value;
  }
  void comm(const trace::CommDefinition& definition) override { sum_ += definition.handle; }
  void datatype(const trace::DatatypeDefinition& definition) override { sum_ += definition.name.size(); }
  void op(const trace::OpDefinition& definition) override { sum_ += definition.name.size(); }
  void group(const trace::GroupDefinition& definition) override {
    for (const Rank member : definition.members) sum_ += static_cast<std::uint64_t>(member);
  }
  double sum() const { return static_cast<double>(sum_) + seconds_; }

 private:
  std::uint64_t sum_ = 0;
  double seconds_ = 0;
};

/// What every value was added to, so that none of them is left unread.
volatile double sink;

bool complete(const trace::Trace& trace) {
  return trace.wall() && std::ranges::all_of(trace.rank_info(), [](const trace::RankInfo& rank) {
           return rank.ending.complete && rank.ending.dropped == 0;
         });
}

std::vector<fold::Symbol> text_of(const normalize::Normalized& normalized, const normalize::Class& members) {
  std::vector<fold::Symbol> text;
  for (const auto call : normalized.locations[members.members.front()].calls)
    text.push_back(normalized.records[call].symbol);
  return text;
}

skeleton::Skeleton merged(const normalize::Normalized& normalized, const Choice& choice) {
  if (choice.merge_seed) {
    const auto log = merge::merge_logs(normalized);
    return merge::into_spmd(normalized, log, fold::fold(log.text, choice.mode));
  }
  std::vector<fold::Program> programs;
  for (const auto& members : normalized.classes) {
    const auto text = text_of(normalized, members);
    programs.push_back(fold::fold(text, choice.mode));
    if (fold::expand(programs.back()) != text) finding("a folded text does not expand to itself");
  }
  return merge::into_spmd(normalized, programs);
}

}  // namespace

Choice choice_of(std::uint8_t bits) {
  constexpr fold::Mode kModes[] = {fold::Mode::best, fold::Mode::best, fold::Mode::seed, fold::Mode::stream};
  return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) == 0, (bits & 8) != 0, kModes[bits >> 4 & 3]};
}

void build(const std::filesystem::path& directory, const Choice& choice,
           const std::function<void(const skeleton::Skeleton&)>& look) {
  const auto trace = trace::open(directory);
  Reader reader;
  for (const Location where : trace.locations()) trace.visit(where, reader);
  sink = reader.sum();
  metrics::Options measures;
  measures.regions = 2;
  metrics::measure(trace, measures);
  if (!complete(trace)) return;
  const auto strict =
      normalize::classes(trace, choice.keep_times || choice.exchange ? normalize::Options{} : normalize::Options{0});
  std::optional<normalize::Normalized> reordered;
  if (choice.exchange) reordered = normalize::exchange(strict);
  auto skeleton = merged(reordered ? *reordered : strict, choice);
  skeleton.cpu_time = trace.has_cpu_time();
  skeleton.mpi_name = trace.rank_info()[0].mpi_name;
  skeleton::check(skeleton);
  if (look) look(skeleton);
  if (const auto difference = verify::lossless(strict, skeleton))
    finding("the skeleton does not repeat the trace: rank " + std::to_string(difference->rank) + ", call " +
            std::to_string(difference->index) + ": expected " + difference->expected + ", got " + difference->actual);
  emit::check_deadlock(skeleton);
  const auto plan = choice.budget ? emit::plan_budget(skeleton, 1e-5) : emit::plan_scale(skeleton, 10);
  emit::program(skeleton, plan);
  std::ostringstream text;
  text::print(text, skeleton);
  text::check_calls(skeleton);
}

void expect_no_other_errors(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    if (std::getenv("SKELGEN_FUZZ_ERRORS")) std::fprintf(stderr, "%s\n", error.what());
    if (error.code() == Code::internal) finding(std::string("an internal error: ") + error.what());
  }
}

trace::Run run_of(int ranks) {
  trace::Run run;
  run.ranks = ranks;
  run.application = "synthetic";
  return run;
}

void finding(const std::string& text) {
  std::fprintf(stderr, "skelgen fuzz: %s\n", text.c_str());
  std::abort();
}

const std::filesystem::path& scratch_directory() {
  static const struct Scratch {
    Scratch() {
      std::string name = (std::filesystem::temp_directory_path() / "skelgen-fuzz-XXXXXX").string();
      if (!mkdtemp(name.data())) finding("no temporary directory");
      path = name;
    }
    ~Scratch() {
      std::error_code error;
      std::filesystem::remove_all(path, error);
    }
    std::filesystem::path path;
  } scratch;
  return scratch.path;
}

}  // namespace skelgen::fuzz
