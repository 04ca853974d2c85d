#include "emit/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Kind;
using skeleton::Node;

bool is(const Node& node, Kind kind) { return !node.is_loop() && node.call().function->kind == kind; }

/// Whether it can stand outside of MPI_Init and MPI_Finalize; in a loop on all of the loop's ranks.
bool needs_no_mpi(const Node& node) {
  if (!node.is_loop())
    return is(node, Kind::init) || is(node, Kind::finalize) || is(node, Kind::environment) || is(node, Kind::opaque);
  return std::ranges::all_of(node.loop().body, [&](const Node& inner) {
    return inner.where.size() == node.where.size() && needs_no_mpi(inner);
  });
}

/// All ranks run the loop, and those in it, equally often: without MPI nobody knows its rank.
bool same_trips(const Node& node) {
  return !node.is_loop() ||
         (node.loop().trips.choices.size() == 1 && std::ranges::all_of(node.loop().body, same_trips));
}

std::vector<std::uint32_t> main_threads(const skeleton::Skeleton& skeleton) {
  std::vector<std::uint32_t> mains;
  Location next;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    const auto& where = skeleton.locations[l].where;
    if (where.thread == 0) {
      next = {static_cast<Rank>(mains.size()), 0};
      mains.push_back(l);
    }
    if (where != next)
      throw Error(Code::unsupported, fmt::format("rank {}, thread {}, is missing", next.rank, next.thread),
                  "trace all ranks");
    ++next.thread;
  }
  return mains;
}

}  // namespace

Running running(const skeleton::Block& program) {
  Running of{0, program.size()};
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (is(program[i], Kind::init)) of.begin = i + 1;
    if (is(program[i], Kind::finalize)) of.end = std::min(of.end, i);
  }
  return of;
}

Sections sections(const skeleton::Skeleton& skeleton) {
  Sections of;
  of.mains = main_threads(skeleton);
  const auto& program = skeleton.program;
  const auto [begin, end] = running(program);
  std::size_t starters = 0, enders = 0;
  for (const Node& node : program) {
    if (is(node, Kind::init)) starters += node.where.size();
    if (is(node, Kind::finalize)) enders += node.where.size();
  }
  const auto n = of.mains.size();
  if (starters != n || enders != n)
    throw Error(Code::unsupported,
                fmt::format("{} of {} ranks call {}", starters != n ? starters : enders, n,
                            starters != n ? "MPI_Init" : "MPI_Finalize"),
                "trace a run that ends by itself");
  for (std::size_t i = 0; i < program.size(); ++i) {
    // What only other threads do is done while all run, wherever it stands.
    const auto mains = std::ranges::count_if(program[i].where,
                                             [&](std::uint32_t l) { return skeleton.locations[l].where.thread == 0; });
    if (mains == 0) {
      of.middle.push_back(&program[i]);
      continue;
    }
    const bool alone = needs_no_mpi(program[i]);
    const bool mixed = static_cast<std::size_t>(mains) != program[i].where.size();
    if ((mixed && (i < begin || i >= end)) ||
        (i < begin && (!alone || !same_trips(program[i]) || program[i].where.size() != n)) || (i >= end && !alone))
      throw Error(Code::unsupported, "the ranks do different things before MPI_Init or after MPI_Finalize",
                  "trace a run without calls there");
    (i < begin ? of.init : i < end ? of.middle : of.finalize).push_back(&program[i]);
  }
  of.first = begin;
  return of;
}

std::vector<Nodes> parts_of(const Nodes& nodes) {
  constexpr std::size_t kLargest = 1000;  // statements
  std::vector<Nodes> parts;
  std::size_t room = 0;
  for (const auto* node : nodes) {
    const auto statements = node->is_loop() ? 1 + skeleton::length(node->loop().body) : 1;
    if (room == 0) parts.emplace_back();
    room = std::max(room == 0 ? kLargest : room, statements) - statements;
    parts.back().push_back(node);
  }
  return parts;
}

}  // namespace skelgen::emit
