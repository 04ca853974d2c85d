#pragma once
// Runs of threads written by hand, event by event.

#include <algorithm>
#include <string>
#include <vector>

#include "threads/run.h"

namespace skelgen::threads {

constexpr std::uint64_t kMicrosecond = 1000;

class MadeRun {
 public:
  explicit MadeRun(std::size_t threads) {
    run_.clock = "thread CPU time (ns)";
    run_.units_per_second = 1e9;
    run_.threads.resize(threads);
    for (std::size_t t = 0; t < threads; ++t) {
      run_.threads[t].name = t == 0 ? "main" : "thread " + std::to_string(t);
      run_.threads[t].parent = t == 0 ? kNoThread : 0;
    }
    run_.objects.push_back({Primitive::thread, 0, "thread"});
    run_.sites.push_back({"program", 0});
  }

  std::uint32_t object(Primitive primitive, const std::string& name) {
    run_.objects.push_back({primitive, run_.objects.size(), name});
    return static_cast<std::uint32_t>(run_.objects.size() - 1);
  }

  std::uint64_t now(std::uint32_t thread) const { return run_.threads[thread].last; }

  /// The thread computes, in microseconds.
  MadeRun& compute(std::uint32_t thread, std::uint64_t us) {
    run_.threads[thread].last += us * kMicrosecond;
    run_.threads[thread].last_work += us * kMicrosecond;
    return *this;
  }
  MadeRun& sleep(std::uint32_t thread, std::uint64_t us) {
    run_.threads[thread].last += us * kMicrosecond;
    return *this;
  }

  /// A call that returns at `leave` (ns), at once if that has passed. site: which statement makes it.
  MadeRun& call(std::uint32_t thread, Action action, std::uint32_t object, std::uint32_t site, std::uint64_t leave = 0,
                std::uint64_t sequence = 0, std::uint32_t partner = kNoThread) {
    auto& is = run_.threads[thread];
    while (run_.sites.size() <= site) run_.sites.push_back({"program", run_.sites.size()});
    const auto end = std::max(leave, is.last);
    is.events.push_back(
        {action, end > is.last, object, partner, site, sequence, is.last, end, is.last_work, is.last_work, 0});
    is.last = end;
    return *this;
  }

  /// The thread begins now for the clock of all.
  void begin(std::uint32_t thread, std::uint64_t ns) { run_.threads[thread].first = run_.threads[thread].last = ns; }

  const Run& run() const { return run_; }

 private:
  Run run_;
};

}  // namespace skelgen::threads
