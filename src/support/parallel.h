#pragma once
// Parallel loop over independent pieces of work.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace skelgen {

/// Calls body(0) .. body(n - 1), each once, on up to `threads` threads (0: as many as the machine has), in no
/// particular order. An exception ends the rest early; of those thrown, that of the lowest number is thrown again here:
/// it is the same each time. body must be safe to call from several threads.
template <typename Body>
void parallel_for(std::size_t n, Body&& body, unsigned threads = 0) {
  const std::size_t most = threads ? threads : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::size_t failed = n;
  std::mutex failure_lock;
  const auto work = [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard guard(failure_lock);
        if (i < failed) failure = std::current_exception();  // all before it have begun
        failed = std::min(failed, i);
        next = n;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(most, n); ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace skelgen
