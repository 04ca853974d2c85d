// forms_table TRACE...: builds the skeleton of each trace with all candidates for its form and with each of them left out, and
// prints what that changes as a table in Markdown: statements, values, lines of skeleton.c, bytes of it and its tables, and
// the time to fold and merge. Rows where nothing changes are left out.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "build/forms.h"
#include "build/stage_clock.h"
#include "emit/emit.h"
#include "trace/trace.h"

namespace {

using namespace skelgen;
using build::Candidate;

struct Row {
  std::size_t statements, values, bytes;
  std::ptrdiff_t lines;
  double seconds;
  bool like(const Row& other) const {
    return statements == other.statements && values == other.values && bytes == other.bytes;
  }
};

Row row_of(const normalize::Normalized& run, const std::vector<Candidate>& candidates) {
  build::Diagnostics diagnostics;
  build::StageClock clock(nullptr);
  const auto skeleton = build::shortest_form(run, {}, clock, diagnostics, candidates);
  clock.leave();
  std::string tables;
  const auto program = emit::program(skeleton, emit::plan_scale(skeleton, 10), &tables);
  return {skeleton::length(skeleton.program), skeleton::argument_values(skeleton), program.size() + tables.size(),
          std::ranges::count(program, '\n'), diagnostics.stages.fold.seconds + diagnostics.stages.merge.seconds};
}

void print(const std::string& trace, const std::string& without, const Row& row) {
  std::printf("| %s | %s | %zu | %zu | %td | %zu | %.3f |\n", trace.c_str(), without.c_str(), row.statements,
              row.values, row.lines, row.bytes, row.seconds);
}

}  // namespace

int main(int arguments, char** argument) {
  const std::vector<Candidate> all(std::begin(build::kCandidates), std::end(build::kCandidates));
  std::printf(
      "| trace | without | statements | values | lines | bytes | fold and merge, s |\n|---|---|---|---|---|---|---|\n");
  for (int a = 1; a < arguments; ++a) {
    const std::filesystem::path path(argument[a]);
    const auto run = normalize::classes(trace::open(path), {.most_times = build::kMostTimes});
    const Row whole = row_of(run, all);
    print(path.filename(), "", whole);
    for (std::size_t c = 0; c < all.size(); ++c) {
      std::vector<Candidate> rest = all;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(c));
      const Row row = row_of(run, rest);
      if (!row.like(whole)) print("", std::to_string(c + 1), row);
    }
  }
}
