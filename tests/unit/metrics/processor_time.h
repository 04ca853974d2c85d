#pragma once
// What something costs, on a machine that does other things, too.

#include <algorithm>
#include <ctime>

namespace skelgen::test {

/// Seconds of a processor that `work` takes: the fewest of three times.
template <typename Work>
double processor_seconds(const Work& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double fewest = 0;
  for (int again = 0; again < 3; ++again) {
    const double before = now();
    work();
    const double took = now() - before;
    fewest = again == 0 ? took : std::min(fewest, took);
  }
  return fewest;
}

}  // namespace skelgen::test
