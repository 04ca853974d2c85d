#pragma once
// Small skeletons made by hand, and helpers to make more.

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/mpi.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit::programs {

using skeleton::Argument;
using skeleton::Block;
using skeleton::Call;
using skeleton::Loop;
using skeleton::Node;
using skeleton::RankRule;
using skeleton::Sequence;
using skeleton::Skeleton;
using Where = std::vector<std::uint32_t>;
using Arguments = std::map<std::string, Argument>;

inline Argument constant(std::int64_t v) { return {{Sequence{Sequence::Kind::constant, {v}}}, {}, {}}; }
inline Argument sequence(const std::vector<std::int64_t>& all) { return {{Sequence::of(all)}, {}, {}}; }
/// One constant for each location that executes the statement.
inline Argument each(const std::vector<std::int64_t>& values) {
  Argument a;
  a.choices.clear();
  for (const auto v : values) {
    a.choice.push_back(static_cast<std::uint32_t>(a.choices.size()));
    a.choices.push_back({Sequence::Kind::constant, {v}});
  }
  return a;
}
inline Argument with_rule(Argument a, RankRule::Kind kind, std::int64_t c) {
  a.rule = RankRule{kind, c};
  return a;
}
inline std::int64_t buffer(std::int64_t slot, std::int64_t offset) { return mpi::pack(slot, offset); }

class Builder {
 public:
  explicit Builder(int ranks) {
    skeleton.arrays.emplace_back();
    skeleton.traced_wall_s = 1;
    skeleton.mpi_name = "MPICH";
    for (int r = 0; r < ranks; ++r) {
      everybody.push_back(static_cast<std::uint32_t>(r));
      skeleton::LocationData data;
      data.where = {r, 0};
      data.communicators = {{0, ranks, r, 1}, {1, 1, 0, 100 + static_cast<std::uint64_t>(r)}};
      data.working_set_bytes = 1 << 20;
      skeleton.locations.push_back(data);
    }
  }
  std::int64_t name(const std::string& text) {
    for (std::size_t i = 0; i < skeleton.names.size(); ++i)
      if (skeleton.names[i] == text) return static_cast<std::int64_t>(i);
    skeleton.names.push_back(text);
    skeleton.name_bytes.push_back(mpi::datatype_size(text));
    return static_cast<std::int64_t>(skeleton.names.size()) - 1;
  }
  std::int64_t array(const std::vector<std::int64_t>& values) {
    skeleton.arrays.push_back(values);
    return static_cast<std::int64_t>(skeleton.arrays.size()) - 1;
  }
  /// A buffer slot of this size on every rank.
  std::int64_t memory(std::uint64_t bytes) {
    for (auto& location : skeleton.locations) location.buffer_bytes.push_back(bytes);
    return static_cast<std::int64_t>(skeleton.locations[0].buffer_bytes.size()) - 1;
  }
  /// Parameters that are not given are 0.
  Node call(const std::string& function, const Arguments& arguments, const Where& where, double before_s = 0) {
    Node node;
    node.where = where;
    if (before_s > 0) node.before.mean_s.assign(where.size(), before_s);
    Call call;
    call.function = mpi::find(function);
    for (const auto& parameter : call.function->parameters) {
      const auto given = arguments.find(std::string(parameter.name));
      call.arguments.push_back(given == arguments.end() ? constant(0) : given->second);
    }
    call.duration_s.assign(where.size(), 1e-6);
    node.what = std::move(call);
    return node;
  }
  Node call(const std::string& function, const Arguments& arguments = {}, double before_s = 0) {
    return call(function, arguments, everybody, before_s);
  }
  Node loop(Argument trips, Block body, double between_s = 0) {
    Node node;
    node.where = everybody;
    Loop loop{std::move(trips), {}, std::move(body)};
    if (between_s > 0) loop.between.mean_s.assign(everybody.size(), between_s);
    node.what = std::move(loop);
    return node;
  }
  Skeleton finish(Block middle) {
    skeleton.program.push_back(call("MPI_Init"));
    for (auto& node : middle) skeleton.program.push_back(std::move(node));
    skeleton.program.push_back(call("MPI_Finalize", {}, 1e-4));
    return std::move(skeleton);
  }

  Skeleton skeleton;
  Where everybody;
};

/// Rank 0 sends first, the others receive first; `trips` times round.
inline Skeleton ring(int ranks, std::int64_t trips, double gap_s = 2e-4) {
  Builder b(ranks);
  const auto slot = b.memory(800);
  std::vector<std::int64_t> right, left;
  for (int r = 0; r < ranks; ++r) {
    right.push_back((r + 1) % ranks);
    left.push_back((r + ranks - 1) % ranks);
  }
  const Where first{0}, others(b.everybody.begin() + 1, b.everybody.end());
  const auto send = [&](const Where& where) {
    std::vector<std::int64_t> to;
    for (const auto l : where) to.push_back(right[l]);
    return b.call("MPI_Send",
                  {{"buf", constant(buffer(slot, 0))},
                   {"count", constant(100)},
                   {"datatype", constant(b.name("MPI_DOUBLE"))},
                   {"dest", with_rule(each(to), RankRule::Kind::plus_mod, 1)},
                   {"tag", constant(7)}},
                  where);
  };
  const auto receive = [&](const Where& where) {
    std::vector<std::int64_t> from;
    for (const auto l : where) from.push_back(left[l]);
    return b.call("MPI_Recv",
                  {{"buf", constant(buffer(slot, 0))},
                   {"count", constant(100)},
                   {"datatype", constant(b.name("MPI_DOUBLE"))},
                   {"source", with_rule(each(from), RankRule::Kind::plus_mod, ranks - 1)},
                   {"tag", constant(7)}},
                  where);
  };
  Block body;
  body.push_back(send(first));
  body.push_back(receive(first));
  body.push_back(receive(others));
  body.push_back(send(others));
  Block middle;
  middle.push_back(b.loop(constant(trips), std::move(body), gap_s));
  return b.finish(std::move(middle));
}

/// A line of ranks that exchange with both neighbours (none at the ends), then agree on a sum; sizes change from
/// iteration to iteration.
inline Skeleton halo(int ranks, std::int64_t trips, double gap_s = 2e-4) {
  Builder b(ranks);
  const auto in = b.memory(4096), out = b.memory(4096), sums = b.memory(16);
  std::vector<std::int64_t> up, down;
  for (int r = 0; r < ranks; ++r) {
    up.push_back(r == 0 ? mpi::kProcNull : r - 1);
    down.push_back(r + 1 == ranks ? mpi::kProcNull : r + 1);
  }
  std::vector<std::int64_t> counts, offsets;
  for (std::int64_t k = 0; k < trips; ++k) {
    counts.push_back(10 + k % 3);
    offsets.push_back(buffer(out, 8 * (k % 3)));
  }
  const auto type = constant(b.name("MPI_DOUBLE"));
  Block body;
  body.push_back(b.call("MPI_Irecv", {{"buf", constant(buffer(in, 0))},
                                      {"count", sequence(counts)},
                                      {"datatype", type},
                                      {"source", with_rule(each(up), RankRule::Kind::plus, -1)},
                                      {"tag", constant(1)},
                                      {"request", constant(0)}}));
  body.push_back(b.call("MPI_Irecv", {{"buf", constant(buffer(in, 2048))},
                                      {"count", sequence(counts)},
                                      {"datatype", type},
                                      {"source", with_rule(each(down), RankRule::Kind::plus, 1)},
                                      {"tag", constant(2)},
                                      {"request", constant(1)}}));
  body.push_back(b.call("MPI_Isend",
                        {{"buf", sequence(offsets)},
                         {"count", sequence(counts)},
                         {"datatype", type},
                         {"dest", with_rule(each(down), RankRule::Kind::plus, 1)},
                         {"tag", constant(1)},
                         {"request", constant(2)}},
                        gap_s));
  body.push_back(b.call("MPI_Isend", {{"buf", sequence(offsets)},
                                      {"count", sequence(counts)},
                                      {"datatype", type},
                                      {"dest", with_rule(each(up), RankRule::Kind::plus, -1)},
                                      {"tag", constant(2)},
                                      {"request", constant(3)}}));
  body.push_back(
      b.call("MPI_Waitall", {{"count", constant(4)}, {"array_of_requests", constant(b.array({0, 1, 2, 3}))}}, gap_s));
  body.push_back(b.call("MPI_Allreduce", {{"sendbuf", constant(buffer(sums, 0))},
                                          {"recvbuf", constant(buffer(sums, 8))},
                                          {"count", constant(1)},
                                          {"datatype", type},
                                          {"op", constant(b.name("MPI_SUM"))}}));
  Block middle;
  middle.push_back(b.call("MPI_Barrier"));
  middle.push_back(b.loop(constant(trips), std::move(body), gap_s));
  return b.finish(std::move(middle));
}

}  // namespace skelgen::emit::programs
