#include "fold/find_runs.h"

#include <chrono>

#include "support/error.h"

namespace skelgen::fold {
namespace {

std::vector<strings::Run> timed(auto find, double& seconds) {
  const auto begin = std::chrono::steady_clock::now();
  auto runs = find();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return runs;
}

}  // namespace

void RunSearch::add(const RunSearch& more) {
  found += more.found;
  seconds += more.seconds;
  lyndon_s += more.lyndon_s;
}

std::vector<strings::Run> find_runs(std::span<const Symbol> text, RunSearch& search) {
  double lyndon_s = 0, seconds = 0;
  auto runs = timed([&] { return strings::runs(text); }, lyndon_s);
  if (search.by == RunsBy::lyndon) {
    seconds = lyndon_s;
  } else {
    auto& sort = search.by == RunsBy::sa_is ? strings::suffix_array : strings::suffix_array_dc3;
    if (timed([&] { return strings::runs_by_enumeration(text, sort); }, seconds) != runs)
      throw Error(Code::internal, "the suffix array and the Lyndon roots give different runs",
                  "please report this with the trace");
  }
  search.add({search.by, runs.size(), seconds, lyndon_s});
  return runs;
}

}  // namespace skelgen::fold
