#pragma once
// Runs of managers and workers as tests want them.

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "unit/normalize/process.h"

namespace skelgen::test {

/// What spoils the proof that any order is right.
enum class Wrong {
  nothing,
  answers_next,    ///< the manager answers another worker than the one it heard from
  small_receive,   ///< results have sizes of their own, and so have the manager's receives
  late_message,    ///< a worker that was stopped sends something that looks like a result
  barrier_inside,  ///< all ranks meet among the tasks
  two_at_first     ///< every worker gets two tasks at first
};

struct ManagerOptions {
  int tasks = 10;
  unsigned seed = 0;
  bool workers_ask = false;      ///< else everybody gets a task at first
  bool stop_all_at_end = false;  ///< else the answer to a result may be a stop
  bool payload = false;          ///< a task and a result are two messages each
  bool probe = false;            ///< the manager probes any source, then receives from there
  std::int64_t ints = 0;         ///< tasks are so many MPI_INTs, not MPI_DOUBLEs; < 0: the same, but stops are empty
  bool two_buffers = false;      ///< workers take tasks into two buffers in turn
  Wrong wrong = Wrong::nothing;
};

inline constexpr std::int64_t kTask = 1, kStop = 2, kResult = 3, kData = 4;

/// What each rank does, worked out for one order of results that the seed gives.
class ManagerRun {
 public:
  ManagerRun(int ranks, const ManagerOptions& options) : ranks_(ranks), o_(options), random_(options.seed) { play(); }

  void behave(Process& p) const {
    p.barrier();
    for (const Step& step : steps_.at(p.rank())) make(p, step);
    p.barrier();
  }

 private:
  enum class What { send, recv, recv_any, probe, barrier };
  struct Step {
    What what;
    int peer = 0;
    std::int64_t tag = 0, got = 0, count = 4;
    std::uint64_t gap = 1000, address = 0;
    bool ints = false;
  };

  void make(Process& p, const Step& s) const {
    const std::int64_t any = mpi::kAnySource;
    switch (s.what) {
      case What::send:
        return p.call(
            "MPI_Send",
            {p.at(s.tag == kData ? 400 : 0), s.count, s.ints ? p.ints() : p.doubles(), s.peer, s.tag, p.comm()}, s.gap);
      case What::recv:
        return p.call(
            "MPI_Recv",
            {p.at(s.tag == kData ? 400 : s.address), s.count, s.ints ? p.ints() : p.doubles(), s.peer, s.tag, p.comm(),
             s.tag == mpi::kAnyTag ? std::vector<std::int64_t>{s.peer, s.got} : std::vector<std::int64_t>{}},
            s.gap);
      case What::recv_any:
        return p.call("MPI_Recv",
                      {p.at(200), s.count, p.doubles(), any, s.tag, p.comm(), std::vector<std::int64_t>{s.peer, s.got}},
                      s.gap);
      case What::probe:
        return p.call("MPI_Probe", {any, s.tag, p.comm(), std::vector<std::int64_t>{s.peer, s.got}}, s.gap);
      case What::barrier:
        return p.barrier();
    }
  }

  void hand_out(int worker, bool task) {
    const bool ints = o_.ints != 0;
    const std::int64_t count = ints ? std::abs(o_.ints) : 4;
    const std::uint64_t address = o_.two_buffers && ++received_[worker] % 2 ? 800 : 0;
    steps_[0].push_back({What::send, worker, task ? kTask : kStop, 0, task || o_.ints >= 0 ? count : 0, 1000, 0, ints});
    steps_[worker].push_back({What::recv, 0, mpi::kAnyTag, task ? kTask : kStop, count, 1000, address, ints});
    if (!task) return;
    if (o_.payload) {
      // All that one worker happened to get were equally long.
      steps_[0].push_back({What::send, worker, kData, 0, 8 + worker});
      steps_[worker].push_back({What::recv, 0, kData, 0, 8 + worker});
    }
    busy_.push_back(worker);
  }

  void say(int worker, std::uint64_t gap) {
    steps_[worker].push_back({What::send, 0, kResult, 0, size(worker), gap});
    if (o_.payload) steps_[worker].push_back({What::send, 0, kData, 0, 8});
  }
  void hear(int worker) {
    if (o_.probe) steps_[0].push_back({What::probe, worker, kResult, kResult});
    steps_[0].push_back({o_.probe ? What::recv : What::recv_any, worker, kResult, kResult, size(worker)});
    if (o_.payload) steps_[0].push_back({What::recv, worker, kData, 0, 8});
  }
  std::int64_t size(int worker) const { return o_.wrong == Wrong::small_receive ? 4 + worker : 4; }

  void play() {
    for (int r = 0; r < ranks_; ++r) steps_[r] = {};
    int next = 0;
    for (int w = 1; w < ranks_; ++w) {
      if (o_.workers_ask) {
        say(w, 1000);
        busy_.push_back(w);
      } else {
        ++next, hand_out(w, true);
      }
      if (o_.wrong == Wrong::two_at_first) ++next, hand_out(w, true);
    }
    std::map<int, bool> asked;  // it said that it is there
    for (int w = 1; w < ranks_; ++w) asked[w] = o_.workers_ask;
    while (!busy_.empty()) {
      const std::size_t who = random_() % busy_.size();
      int worker = busy_[who];
      busy_.erase(busy_.begin() + static_cast<std::ptrdiff_t>(who));
      if (!asked[worker]) say(worker, 1000 + random_() % 5000);
      asked[worker] = false;
      hear(worker);
      if (o_.wrong == Wrong::barrier_inside && next == o_.tasks / 2)
        for (int r = 0; r < ranks_; ++r) steps_[r].push_back({What::barrier});
      if (o_.wrong == Wrong::answers_next && !idle_.empty()) {
        idle_.push_back(worker);
        worker = idle_.front();
        idle_.pop_front();
      } else if (o_.wrong == Wrong::answers_next && next + 1 < o_.tasks) {
        idle_.push_back(worker);
        continue;
      }
      const bool task = next < o_.tasks;
      if (task) ++next;
      if (task || !o_.stop_all_at_end) hand_out(worker, task);
    }
    for (const int worker : idle_) hand_out(worker, false);
    if (o_.stop_all_at_end)
      for (int w = 1; w < ranks_; ++w) hand_out(w, false);
    if (o_.wrong == Wrong::late_message)
      for (int w = 1; w < ranks_; ++w) {
        steps_[w].push_back({What::send, 0, kResult});
        steps_[0].push_back({What::recv, w, kResult});
      }
  }

  int ranks_;
  ManagerOptions o_;
  std::mt19937 random_;
  std::map<int, std::vector<Step>> steps_;
  std::vector<int> busy_;
  std::deque<int> idle_;
  std::map<int, int> received_;
};

inline Behaviour manager(const ManagerOptions& options) {
  return [options](Process& p) { ManagerRun(p.ranks(), options).behave(p); };
}

}  // namespace skelgen::test
