#include "synthetic/synthetic.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "support/error.h"
#include "support/parallel.h"
#include "traces/writer.h"

namespace skelgen::synthetic {
namespace {

constexpr std::int64_t kWorld = 0x44000000, kDouble = 0x4c00080b, kInt = 0x4c000405, kSum = 0x58000003;
constexpr std::int64_t kRequest = 0x98000000, kMemory = 0x7f0000000000;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A call and its usual times in ns.
struct Call {
  std::string_view function;
  std::vector<trace::Argument> arguments;
  std::uint64_t gap_ns = 1000, call_ns = 1500;
};

std::int64_t memory(int place) { return kMemory + (std::int64_t{place} << 20); }
Call send(int place, std::int64_t count, std::int64_t peer, std::int64_t tag, std::uint64_t gap_ns = 1000) {
  return {"MPI_Send", {memory(place), count, kDouble, peer, tag, kWorld}, gap_ns};
}
Call recv(int place, std::int64_t count, std::int64_t peer, std::int64_t tag) {
  return {"MPI_Recv", {memory(place), count, kDouble, peer, tag, kWorld, std::vector<std::int64_t>{}}, 1000, 4000};
}
Call isend(int place, std::int64_t count, std::int64_t peer, std::int64_t tag, std::int64_t request) {
  return {"MPI_Isend", {memory(place), count, kDouble, peer, tag, kWorld, kRequest + request}};
}
Call irecv(int place, std::int64_t count, std::int64_t peer, std::int64_t tag, std::int64_t request) {
  return {"MPI_Irecv", {memory(place), count, kDouble, peer, tag, kWorld, kRequest + request}};
}
Call wait(std::int64_t request) { return {"MPI_Wait", {kRequest + request, std::vector<std::int64_t>{}}, 1000, 4000}; }
Call waitall(std::int64_t requests) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < requests; ++i) all.push_back(kRequest + i);
  return {"MPI_Waitall", {requests, all, std::vector<std::int64_t>{}}, 1000, 5000};
}
Call bcast(std::int64_t count, std::int64_t root) {
  return {"MPI_Bcast", {memory(0), count, kDouble, root, kWorld}, 1000, 5000};
}
Call allreduce(std::int64_t count) {
  return {"MPI_Allreduce", {memory(1), memory(2), count, kDouble, kSum, kWorld}, 1000, 8000};
}
Call barrier() { return {"MPI_Barrier", {kWorld}, 1000, 6000}; }

using Block = std::vector<Call>;

/// One rank's program, call by call.
class Rank {
 public:
  Rank(const std::filesystem::path& directory, const trace::Run& run, int rank, const Options& options)
      : options_(options),
        rank_(rank),
        random_(mix(options.seed) + static_cast<std::uint64_t>(rank) * kStep),
        writer_(directory, run, rank, description(options)) {
    writer_.comm({static_cast<std::uint64_t>(kWorld), options.ranks, rank, 0, false});
    writer_.datatype({static_cast<std::uint64_t>(kDouble), 8, 8, "MPI_DOUBLE"});
    writer_.datatype({static_cast<std::uint64_t>(kInt), 4, 4, "MPI_INT"});
    writer_.op({static_cast<std::uint64_t>(kSum), true, "MPI_SUM"});
  }

  std::uint64_t write() {
    call({"MPI_Init", {}});
    switch (options_.kind) {
      case Kind::nests:
        nests();
        break;
      case Kind::noise:
        noise();
        break;
      case Kind::wavefront:
        wavefront();
        break;
      case Kind::halo:
        halo();
        break;
    }
    call({"MPI_Finalize", {}});
    trace::RankEnding ending;
    ending.finalize_entry_ticks = ending.finalize_exit_ticks = now_;
    writer_.finish(ending);
    return calls_;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

  static trace::RankDescription description(const Options& options) {
    trace::RankDescription description;
    if (options.counters) description.columns = {"PAPI_TOT_INS", "PAPI_L3_TCM"};
    description.speed_register = description.speed_memory = 1e9;
    return description;
  }

  void call(const Call& call) {
    random_ += kStep;
    const std::uint64_t bits = mix(random_);
    const auto about = [](std::uint64_t ns, std::uint64_t noise) { return ns + ns * (noise % 1024) / 10240; };
    const std::uint64_t gap = about(call.gap_ns, bits), duration = about(call.call_ns, bits >> 10);
    if (options_.counters)
      writer_.call(call.function, call.arguments, gap, duration, {3 * gap, (bits >> 20) % 1000});
    else
      writer_.call(call.function, call.arguments, gap, duration);
    now_ += gap + duration;
    ++calls_;
  }
  void all(const Block& block) {
    for (const Call& one : block) call(one);
  }
  /// Iterations of `length` calls that are in what is left of the records.
  std::uint64_t iterations(std::uint64_t before, std::uint64_t length) const {
    return std::max<std::uint64_t>(1, options_.records > before ? (options_.records - before) / length : 0);
  }

  void nests() {
    const std::int64_t next = (rank_ + 1) % options_.ranks, previous = (rank_ + options_.ranks - 1) % options_.ranks;
    const Block ring = {irecv(3, 100, previous, 7, 0), send(4, 100, next, 7, 20000), wait(0)};
    const std::uint64_t rounds = iterations(4, 12 * (3 + 4 * 3) + 2);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      for (int j = 0; j < 12; ++j) {
        all({bcast(16, 0), allreduce(8), barrier()});
        for (int k = 0; k < 4; ++k) all(ring);
      }
      all({allreduce(1), bcast(4, 0)});
    }
    all({allreduce(5), barrier()});
  }

  void noise() {
    const Block kinds = {allreduce(1), allreduce(2), bcast(1, 0), bcast(2, options_.ranks - 1), barrier(), bcast(3, 0)};
    std::uint64_t common = mix(options_.seed);  // the same on all ranks
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(options_.records, 3) - 2; ++i)
      call(kinds[mix(common += kStep) % kinds.size()]);
  }

  /// Ranks next to this one on the grid, or -1.
  struct Neighbours {
    int north, south, west, east;
  };
  Neighbours neighbours() const {
    const int rows = grid_rows(options_.ranks), row = rank_ % rows;
    return {row > 0 ? rank_ - 1 : -1, row + 1 < rows ? rank_ + 1 : -1, rank_ >= rows ? rank_ - rows : -1,
            rank_ + rows < options_.ranks ? rank_ + rows : -1};
  }

  void wavefront() {
    constexpr std::uint64_t kPlanes = 160;
    const Neighbours n = neighbours();
    Block exchange, lower, upper;
    // tags: 2 towards south, 1 towards north, 4 towards east, 3 towards west
    const auto both = [&](int low, int high, std::int64_t up, std::int64_t down, int place) {
      if (low >= 0) exchange.push_back(irecv(place, 9720, low, up, 0));
      if (high >= 0) exchange.push_back(send(place + 1, 9720, high, up));
      if (low >= 0) exchange.push_back(wait(0));
      if (high >= 0) exchange.push_back(irecv(place + 2, 9720, high, down, 0));
      if (low >= 0) exchange.push_back(send(place + 3, 9720, low, down));
      if (high >= 0) exchange.push_back(wait(0));
    };
    both(n.north, n.south, 2, 1, 3);
    both(n.west, n.east, 4, 3, 7);
    const auto sweep = [](Block& block, int from, int from_too, int to, int to_too, std::int64_t a, std::int64_t b) {
      if (from >= 0) block.push_back(recv(11, 25, from, a));
      if (from_too >= 0) block.push_back(recv(12, 25, from_too, b));
      if (to >= 0) block.push_back(send(13, 25, to, a, 20000));
      if (to_too >= 0) block.push_back(send(14, 25, to_too, b));
    };
    sweep(lower, n.north, n.west, n.south, n.east, 2, 4);
    sweep(upper, n.south, n.east, n.north, n.west, 1, 3);
    const auto iteration = [&] {
      for (std::uint64_t k = 0; k < kPlanes; ++k) all(lower);
      for (std::uint64_t k = 0; k < kPlanes; ++k) all(upper);
      all(exchange);
    };
    all({{"MPI_Comm_rank", {kWorld}}, {"MPI_Comm_size", {kWorld}}, {"MPI_Comm_size", {kWorld}}});
    for (int i = 0; i < 10; ++i) call(bcast(i == 5 ? 5 : 1, 0));
    all(exchange);
    all(exchange);
    all({allreduce(5), barrier()});
    iteration();
    call(allreduce(1));
    all(exchange);
    all({allreduce(5), barrier()});
    const std::uint64_t length = 8 * kPlanes + 12;
    const std::uint64_t trips = iterations(length + 63, length);
    for (std::uint64_t i = 0; i < trips; ++i) iteration();
    call(allreduce(5));
    all(exchange);
    all({allreduce(5), allreduce(1), allreduce(5)});
    const auto edge = [&](int from, int to, std::int64_t tag, std::int64_t count, int place) {
      if (from >= 0) all({irecv(place, count, from, tag, 0), wait(0)});
      if (to >= 0) call(send(place + 1, count, to, tag));
    };
    edge(n.east, n.west, 3, 12, 15);
    edge(n.south, n.north, 1, 16, 17);
    call(allreduce(1));
    edge(n.south, n.north, 1, 162, 19);
    call(allreduce(1));
    edge(n.east, n.west, 3, 162, 21);
    call(allreduce(1));
  }

  void halo() {
    const Neighbours n = neighbours();
    Block block;
    std::int64_t requests = 0;
    const int sides[] = {n.north, n.south, n.west, n.east};
    for (int i = 0; i < 4; ++i)
      if (sides[i] >= 0) block.push_back(irecv(3 + i, 1000, sides[i], i, requests++));
    for (int i = 0; i < 4; ++i)
      if (sides[i] >= 0) block.push_back(isend(7 + i, 1000, sides[i], i ^ 1, requests++));
    if (requests) block.push_back(waitall(requests));
    block.push_back(allreduce(1));
    block.back().gap_ns = 50000;
    call(bcast(4, 0));
    for (std::uint64_t i = 0; i < iterations(4, 10); ++i) all(block);
    call(barrier());
  }

  const Options& options_;
  int rank_;
  std::uint64_t random_;
  trace::Writer writer_;
  std::uint64_t calls_ = 0, now_ = 1'000'000'000;
};

}  // namespace

std::optional<Kind> kind_of(std::string_view name) {
  constexpr std::pair<std::string_view, Kind> kNames[] = {
      {"nests", Kind::nests}, {"noise", Kind::noise}, {"wavefront", Kind::wavefront}, {"halo", Kind::halo}};
  for (const auto& [known, kind] : kNames)
    if (known == name) return kind;
  return {};
}

int grid_rows(int ranks) {
  int rows = 1;
  for (int r = 1; r <= ranks / r; ++r)
    if (ranks % r == 0) rows = r;
  return rows;
}

std::uint64_t write(const std::filesystem::path& directory, const Options& options) {
  if (options.ranks < 1) throw Error(Code::invalid_argument, "a trace of no ranks");
  trace::Run run;
  run.ranks = options.ranks;
  run.application = "synthetic";
  run.command = "./synthetic";
  trace::write_meta(directory, run);
  std::atomic<std::uint64_t> calls = 0;
  parallel_for(static_cast<std::size_t>(options.ranks),
               [&](std::size_t rank) { calls += Rank(directory, run, static_cast<int>(rank), options).write(); });
  return calls;
}

}  // namespace skelgen::synthetic
