#pragma once
// Random programs on a simple network, which can be run again with other computation.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "unit/metrics/run.h"

namespace skelgen::test {

/// Its calls in an order in which they can be made, and what is computed before them.
struct Program {
  enum class Kind { message, barrier, broadcast, reduce, scan, several };
  struct Call {
    Kind kind;
    std::size_t from, to;  // broadcast: from the root; reduce: to the root, which is `from`; several: messages of all
                           // others to `from`, which waits for them at once
    std::vector<int> compute;  // by rank, in microseconds; message: of both
    bool synchronous = false;  // message
  };
  /// What a rank computes before call number i, which takes `compute` in the program.
  using Compute = std::function<int(std::size_t rank, std::size_t i, int compute)>;
  std::size_t ranks;
  std::vector<Call> calls;

  explicit Program(unsigned seed, int length = 80) {
    std::mt19937 random(seed);
    ranks = 2 + random() % 4;
    for (int i = 0; i < length; ++i) {
      const Kind kinds[] = {Kind::barrier, Kind::broadcast, Kind::reduce, Kind::scan, Kind::several};
      Call call{random() % 5 ? Kind::message : kinds[random() % 5], random() % ranks, 0, {}};
      call.to = (call.from + 1 + random() % (ranks - 1)) % ranks;
      for (std::size_t r = 0; r < ranks; ++r)
        call.compute.push_back(static_cast<int>(2 * (random() % (r == seed % ranks ? 400 : 100))));
      call.synchronous = random() % 3 == 0;
      calls.push_back(call);
    }
  }

  /// Whether rank r takes part in a call.
  static bool makes(const Call& call, std::size_t r) {
    return call.kind != Kind::message || r == call.from || r == call.to;
  }

  /// Writes how the message of call number i is received: at once, or after the receiver has asked for it. When the receiver
  /// of a synchronous one comes it posts the receive.
  static void receive(TracedRun& run, std::size_t i, bool synchronous, int to, int from, int gap, int inside) {
    const std::vector<std::int64_t> status{from, 0}, unknown;
    const int answered = inside - 2, half = inside / 2;  // it is there when both have been for 3
    switch (synchronous ? 5 + i % 3 : i % 5) {
      case 0:
        return run.recv(to, from, gap, inside);
      case 1:
        run.call(to, "MPI_Probe", {mpi::kAnySource, 0, kWorld, status}, gap, answered);
        return run.recv(to, from, 0, inside - answered);
      case 2:
        run.call(to, "MPI_Iprobe", {from, 0, kWorld, 0, unknown}, gap, half);
        return run.recv(to, from, 0, inside - half);
      case 3:
        run.call(to, "MPI_Mprobe", {from, 0, kWorld, 99, status}, gap, answered);
        return run.call(to, "MPI_Mrecv", {0x1000, 1, kInt, 99, status}, 0, inside - answered);
      case 5:
        return run.recv(to, from, gap, inside);
      case 6:
        run.call(to, "MPI_Irecv", {0x1000, 1, kInt, mpi::kAnySource, 0, kWorld, 55}, gap, 0);
        return run.call(to, "MPI_Wait", {55, status}, 0, inside);
      default:
        run.call(to, "MPI_Irecv", {0x1000, 1, kInt, from, 0, kWorld, 55}, gap, 0);
        run.call(to, "MPI_Test", {55, 0, unknown}, 0, half);
        run.call(to, "MPI_Testall", {1, std::vector<std::int64_t>{55}, 0, unknown}, 0, inside - half - 1);
        return run.call(to, "MPI_Wait", {55, status}, 0, 1);
    }
  }

  /// Writes how a rank waits for messages of all others at once.
  void receive_all(TracedRun& run, int to, int gap, int inside) const {
    std::vector<std::int64_t> requests, statuses;
    for (std::size_t from = 0; from < ranks; ++from) {
      if (static_cast<int>(from) == to) continue;
      requests.push_back(60 + static_cast<int>(from));
      statuses.insert(statuses.end(), {static_cast<int>(from), 0});
      run.call(to, "MPI_Irecv", {0x1000, 1, kInt, static_cast<int>(from), 0, kWorld, requests.back()}, gap, 0);
      gap = 0;
    }
    run.call(to, "MPI_Waitall", {static_cast<int>(requests.size()), requests, statuses}, 0, inside);
  }

  /// Runs it on a network where sending takes 1, or 2 from when both are there if it is synchronous, a message 3 from when
  /// both are there, collectives and several messages 5 from the last one that a rank needs. The run's length; it is written to `run` if there is
  /// one.
  int simulate(const Compute& compute, TracedRun* run = nullptr) const {
    std::vector<int> now(ranks), gap(ranks);
    const auto number = [](std::size_t r) { return static_cast<int>(r); };
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Call& call = calls[i];
      for (std::size_t r = 0; r < ranks; ++r)
        if (makes(call, r)) now[r] += gap[r] = compute(r, i, call.compute[r]);
      if (call.kind == Kind::message) {
        const int both = std::max(now[call.from], now[call.to]), there = both + 3;
        const int sent = call.synchronous ? both + 2 : now[call.from] + 1;
        if (run)
          run->call(number(call.from), call.synchronous ? "MPI_Ssend" : "MPI_Send",
                    {0x1000, 1, kInt, number(call.to), 0, kWorld}, gap[call.from], sent - now[call.from]);
        if (run)
          receive(*run, i, call.synchronous, number(call.to), number(call.from), gap[call.to], there - now[call.to]);
        now[call.from] = sent;
        now[call.to] = there;
        continue;
      }
      const auto came = now;
      const int last = std::ranges::max(came), root = number(call.from);
      for (std::size_t r = 0; r < ranks; ++r) {
        int from = came[r];  // of those that it needs
        if (call.kind == Kind::barrier || (call.kind == Kind::reduce && r == call.from)) from = last;
        if (call.kind == Kind::broadcast) from = std::max(from, came[call.from]);
        if (call.kind == Kind::scan) from = *std::max_element(came.begin(), came.begin() + number(r) + 1);
        if (call.kind == Kind::several && r == call.from) from = last;
        now[r] = from + (call.kind == Kind::several && r != call.from ? 1 : 5);
        const int inside = now[r] - came[r];
        if (!run) continue;
        if (call.kind == Kind::several && r != call.from) run->send(number(r), root, gap[r], inside);
        if (call.kind == Kind::several && r == call.from) receive_all(*run, root, gap[r], inside);
        if (call.kind == Kind::barrier) run->barrier(number(r), gap[r], inside);
        if (call.kind == Kind::broadcast) run->bcast(number(r), root, gap[r], inside);
        if (call.kind == Kind::reduce)
          run->call(number(r), "MPI_Reduce", {0x1000, 0x2000, 1, kInt, kSum, root, kWorld}, gap[r], inside);
        if (call.kind == Kind::scan)
          run->call(number(r), "MPI_Scan", {0x1000, 0x2000, 1, kInt, kSum, kWorld}, gap[r], inside);
      }
    }
    for (std::size_t r = 0; run && r < ranks; ++r) run->finalize(number(r), 0);
    return std::ranges::max(now);
  }
  /// As it is.
  int simulate(TracedRun* run = nullptr) const {
    return simulate([](std::size_t, std::size_t, int compute) { return compute; }, run);
  }
};

}  // namespace skelgen::test
