#pragma once
// Random programs of several ranks whose messages all arrive, as a trace has them.

#include <algorithm>
#include <random>

#include "unit/normalize/process.h"

namespace skelgen::test {

/// Phases of messages that are sent and received in any order, shifts, collectives. Some programs rely on buffered
/// sends. The same on every call with the same seed.
inline Behaviour random_program(std::uint64_t seed, int ranks) {
  struct Message {
    int from, to, tag, count;
    std::uint64_t at;
    std::uint64_t from_place, to_place;  // their order within the phase, on either side
  };
  struct Phase {
    int kind, shift, pivot, times;
    std::vector<Message> messages;
  };
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<Phase> phases(static_cast<std::size_t>(1 + below(6)));
  for (Phase& phase : phases) {
    phase = {below(6), 1 + below(std::max(1, ranks - 1)), below(ranks), 1 + below(4), {}};
    const bool in_order = below(2) == 0;  // then every rank's order is one of the whole: nobody waits in a circle
    for (int i = 0, n = 1 + below(8); i < n; ++i) {
      Message m{below(ranks), below(ranks), below(2), 1 + below(6), static_cast<std::uint64_t>(below(6)) * 32, 0, 0};
      if (m.from == m.to) continue;
      const auto place = static_cast<std::uint64_t>(i);
      m.from_place = in_order ? place : random() % 8;
      m.to_place = in_order ? place : random() % 8;
      phase.messages.push_back(m);
    }
  }
  return [=](Process& p) {
    const int r = p.rank(), n = p.ranks();
    const auto gap = [state = seed + static_cast<std::uint64_t>(r)]() mutable {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return state >> 50;
    };
    auto message = [&, next = gap](const char* name, int peer, std::uint64_t at, int count, int tag) mutable {
      if (std::string_view(name) == "MPI_Recv")
        p.call(name, {p.at(at), count, p.doubles(), peer, tag, p.comm(), std::vector<std::int64_t>{}}, next());
      else
        p.call(name, {p.at(at), count, p.doubles(), peer, tag, p.comm()}, next());
    };
    for (const Phase& phase : phases) {
      const int to = (r + phase.shift) % n, from = (r + n - phase.shift) % n;
      for (int t = 0; t < phase.times; ++t) switch (phase.kind) {
          case 0:  // a shift; one rank sends first, or all but one
          case 1: {
            const bool first = (r == phase.pivot) == (phase.kind == 0);
            if (to == r) break;
            if (first) message("MPI_Send", to, 0, 4, 3);
            message("MPI_Recv", from, 1000, 4, 3);
            if (!first) message("MPI_Send", to, 0, 4, 3);
            break;
          }
          case 2:
            p.irecv(from, 1, 2000), p.isend(to, 2, 3000), p.waitall({1, 2});
            break;
          case 3:
            p.barrier();
            break;
          default: {
            std::vector<std::pair<std::uint64_t, std::function<void()>>> own;
            for (const Message& m : phase.messages) {
              if (m.from == r)
                own.emplace_back(m.from_place, [&, m] { message("MPI_Send", m.to, 4000 + m.at, m.count, m.tag); });
              if (m.to == r)
                own.emplace_back(m.to_place, [&, m] { message("MPI_Recv", m.from, 5000 + m.at, m.count, m.tag); });
            }
            std::ranges::stable_sort(own, {}, [](const auto& each) { return each.first; });
            for (const auto& [place, call] : own) call();
          }
        }
    }
  };
}

}  // namespace skelgen::test
