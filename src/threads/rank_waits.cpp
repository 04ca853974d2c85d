#include "threads/rank_waits.h"

#include <algorithm>

#include "threads/match.h"
#include "threads/run.h"

namespace skelgen::threads {

trace::ThreadWaits rank_waits(const std::filesystem::path& directory) {
  trace::ThreadWaits result;
  for (const auto& file : thread_files(directory)) {
    const Run run = read_file(file);
    if (run.threads.empty()) continue;
    auto& of_process = result[{run.host, run.pid}];
    const auto own = std::move(waits(run, match(run)).front());
    const auto second = [&](std::uint64_t ns) { return run.origin_s + 1e-9 * static_cast<double>(ns); };
    for (std::size_t e = 0; e < own.size(); ++e) {
      const auto& event = run.threads.front().events[e];
      const auto [waiting, hand_over] = own[e];
      if (waiting + hand_over > 0)
        of_process.push_back(
            {second(event.enter), second(event.enter + waiting), second(event.enter + waiting + hand_over)});
    }
    // A process that calls exec has one file for each of its programs.
    std::ranges::stable_sort(of_process, {}, &trace::ThreadWait::begin);
  }
  return result;
}

}  // namespace skelgen::threads
