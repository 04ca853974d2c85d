// A rank is killed at any moment, and then the others by the launcher, sixty times: what they had called until then can be read.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "killed.h"
#include "run.h"

namespace skelgen::trace {
namespace {

constexpr int kLaunches = 60;

/// What the ranks count, while they run and afterwards.
class Counts {
 public:
  explicit Counts(const fs::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(ftruncate(descriptor, sizeof(killed_counts) * KILLED_RANKS), 0);
    counts_ = static_cast<killed_counts*>(
        mmap(nullptr, sizeof(killed_counts) * KILLED_RANKS, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
    close(descriptor);
  }
  ~Counts() { munmap(counts_, sizeof(killed_counts) * KILLED_RANKS); }
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;
  const killed_counts& of(int rank) const { return counts_[rank]; }
  bool started() const { return counts_[0].process && counts_[1].process; }

 private:
  killed_counts* counts_;
};

struct CallCounter : Visitor {
  std::int64_t calls = 0;
  void event(const Event&) override { ++calls; }
};

class Kill : public Capture {
 protected:
  /// Starts two ranks, kills one of them when its first thread has made so many calls and a while has passed, waits for the launcher.
  void kill_one(const Counts& counts, int threads, int rank, int calls, std::chrono::microseconds after) {
    const pid_t launcher = fork();
    if (launcher == 0) {
      const int output = ::open((work_ / "output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(output, 1);
      dup2(output, 2);
      setenv("SKELGEN_OUT", (work_ / "t.trace").c_str(), 1);
      setenv("LD_PRELOAD", LIBRARY ":" YIELD, 1);
      execl(MPIEXEC, MPIEXEC, "-n", "2", PROGRAMS "/killed", (work_ / "counts").c_str(),
            std::to_string(threads).c_str(), nullptr);
      _exit(127);
    }
    for (int i = 0; i < 900000 && !counts.started(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(counts.started());
    const int process = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(counts.of(rank).process), 0));
    while (counts.of(rank).calls[0] < calls && kill(static_cast<pid_t>(counts.of(rank).process), 0) == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    std::this_thread::sleep_for(after);
    if (process >= 0) {  // else it has ended by itself
      syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
      close(process);
    }
    int status;
    waitpid(launcher, &status, 0);
  }

  void expect_every_call(const Counts& counts) {
    const auto trace = open(work_ / "t.trace", {.allow_incomplete = true});
    for (int rank = 0; rank < KILLED_RANKS; ++rank) {
      for (int thread = 0; thread < KILLED_THREADS; ++thread) {
        const Location where{rank, thread};
        const auto& all = trace.locations();
        CallCounter counter;
        if (std::find(all.begin(), all.end(), where) != all.end()) trace.visit(where, counter);
        EXPECT_GE(counter.calls, counts.of(rank).calls[thread]) << "rank " << rank << ", thread " << thread;
        EXPECT_LE(counter.calls, counts.of(rank).calls[thread] + 1) << "rank " << rank << ", thread " << thread;
      }
      complete_ += trace.rank_info()[static_cast<std::size_t>(rank)].ending.complete;
    }
  }

  int skelgen(const std::string& arguments) {
    return std::system((std::string(SKELGEN) + " " + arguments + " >" + (work_ / "said").string() + " 2>&1").c_str());
  }

  int complete_ = 0;
};

TEST_F(Kill, LosesNoCallThatHadReturned) {
  std::mt19937 random(20261121);
  for (int launch = 0; launch < kLaunches && !HasFailure(); ++launch) {
    SCOPED_TRACE(launch);
    fs::remove_all(work_ / "t.trace");
    const Counts counts(work_ / "counts");
    // One time in four during the last calls, in MPI_Finalize, and while the file is completed.
    const bool late = launch % 4 == 3;
    const int calls = late ? KILLED_CALLS - 1000 : 1 + static_cast<int>(random() % KILLED_CALLS);
    const std::chrono::microseconds after(random() % (late ? 10000 : 100));
    kill_one(counts, 1 + launch / 4 % KILLED_THREADS, static_cast<int>(random() % KILLED_RANKS), calls, after);
    expect_every_call(counts);
    EXPECT_EQ(skelgen("info " + (work_ / "t.trace").string()), 0);
    if (launch % 20 == 0) EXPECT_EQ(skelgen("dump " + (work_ / "t.trace").string()), 0);
  }
  EXPECT_LT(complete_, kLaunches * KILLED_RANKS * 3 / 4) << "many were to be killed";
  RecordProperty("complete", complete_);
}

}  // namespace
}  // namespace skelgen::trace
