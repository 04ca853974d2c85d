// C++20's own waits, which reach libc's syscall() only when they have to wait.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>

// Whether a thread of this process sleeps in the system.
static bool sleeps(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string number, name, state;
  file >> number >> name >> state;
  return state == "S";
}

int main() {
  std::atomic<int> ready = 0, waiting = 0;
  std::timed_mutex mutex;
  std::thread waiter([&] {
    waiting = gettid();
    while (ready.load() == 0) ready.wait(0);
    std::unique_lock lock(mutex, std::chrono::seconds(60));
  });
  while (!waiting || !sleeps(waiting)) std::this_thread::yield();
  ready = 1;
  ready.notify_all();
  waiter.join();
  auto answer = std::async(std::launch::async, [] { return 42; });
  std::once_flag once;
  std::call_once(once, [] {});
  try {
    std::call_once(once, [] { throw 1; });
  } catch (int) {
  }
  std::printf("%d\n", answer.get());
}
