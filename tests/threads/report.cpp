// Programs whose waits `skelgen threads` is to explain: report_test.cpp names them.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static volatile double sink;
static void spin(long k) {
  double x = 1;
  for (long i = 0; i < k; i++) x = x * 1.0000001 + 0.1;
  sink = x;
}

// Waits for a lock of C++, whose call is inlined from the system's headers.
static int cpp_lock() {
  std::mutex lock;
  const auto work = [&] {
    for (int i = 0; i < 3; i++) {
      std::lock_guard<std::mutex> guard(lock);  // here
      usleep(3000);
    }
  };
  std::thread a(work), b(work);
  a.join(), b.join();
  return 0;
}

// Waits in libstdc++.
static int futures() {
  std::vector<std::promise<int>> promises(12);
  std::thread giver([&] {
    for (auto& promise : promises) usleep(2000), promise.set_value(1);
  });
  int sum = 0;
  for (auto& promise : promises) sum += promise.get_future().get();
  giver.join();
  return sum - 12;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static int turn;
static void* play(void* number) {
  const int me = number != nullptr;
  for (int i = 0; i < 50; i++) {
    spin(2000);
    pthread_mutex_lock(&mutex);
    while (turn != me) pthread_cond_wait(&condition, &mutex);
    turn = !me;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
  }
  return nullptr;
}

// A condition that is destroyed and made again at its address.
static int made_again() {
  for (int round = 0; round < 2; round++) {
    pthread_cond_init(&condition, nullptr);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], nullptr, play, i ? &threads : nullptr);
    for (pthread_t thread : threads) pthread_join(thread, nullptr);
    pthread_cond_destroy(&condition);
  }
  return 0;
}

static int many() {
  for (int i = 0; i < 40; i++) {
    pthread_t thread;
    pthread_create(
        &thread, nullptr, [](void*) -> void* { return spin(1000), nullptr; }, nullptr);
    pthread_join(thread, nullptr);
  }
  return 0;
}

// The second thread does four times the work until both meet.
static int uneven() {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  const auto work = [&](long k) {
    for (int i = 0; i < 20; i++) spin(k), pthread_barrier_wait(&barrier);
  };
  std::thread a(work, 200000), b(work, 800000);
  a.join(), b.join();
  return 0;
}

static int endless() {
  std::thread([] {
    for (;;) {
      pthread_mutex_lock(&mutex);
      spin(1000);
      pthread_mutex_unlock(&mutex);
    }
  }).detach();
  return pause();
}

static int killed() {
  std::thread([] { usleep(50000), kill(getpid(), SIGKILL); }).detach();
  return endless();
}

static int processes() {
  const int status = many();
  if (fork() == 0) _exit(many());
  return usleep(200000), status;
}

int main(int, char** words) {
  const struct {
    const char* name;
    int (*run)();
  } all[] = {{"cpp_lock", cpp_lock}, {"futures", futures}, {"made_again", made_again}, {"many", many},
             {"uneven", uneven},     {"endless", endless}, {"killed", killed},         {"processes", processes}};
  for (const auto& [name, run] : all)
    if (std::strcmp(name, words[1]) == 0) return run();
  return 1;
}
