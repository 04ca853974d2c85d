#include "normalize/join.h"

#include <algorithm>
#include <map>
#include <utility>

#include "normalize/append_rank.h"
#include "normalize/peers.h"
#include "normalize/tables.h"

namespace skelgen::normalize {
namespace {

constexpr std::int64_t kBehind = std::int64_t{1} << 31;  ///< a peer r - c in a symbol is kBehind - c

/// The size of the communicators in each slot, where all that the run ever has there are as large; 0 elsewhere.
std::map<std::int64_t, std::int64_t> sizes_of(const Normalized& run) {
  std::map<std::int64_t, std::int64_t> sizes;
  for (const LocationCalls& location : run.locations)
    for (const Communicator& comm : location.communicators) {
      const auto [known, fresh] = sizes.try_emplace(comm.slot, comm.peers_size());
      if (!fresh && known->second != comm.peers_size()) known->second = 0;
    }
  return sizes;
}

void name_nearer_peers(Normalized& run) {
  const auto sizes = sizes_of(run);
  for (Symbol& symbol : run.symbols) {
    std::int64_t size = 0;
    each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
      if (parameter.role != mpi::Role::comm) return;
      const auto known = sizes.find(symbol.key[at]);
      size = known == sizes.end() ? 0 : known->second;
    });
    each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
      std::int64_t& peer = symbol.key[at];
      if (parameter.role == mpi::Role::peer && 2 * peer > size && peer < size) peer += kBehind - size;
    });
  }
}

/// Different from those of other runs.
std::uint64_t identity_in(std::size_t run, std::uint64_t identity) {
  const std::uint64_t own = mix(identity, run + 1);
  return identity == 0 ? 0 : own == 0 ? 1 : own;
}

/// A file that one of the runs made by itself, all can make; else it held as much as it ever did.
void add_files(const std::vector<mpi::ScratchFile>& own, std::vector<mpi::ScratchFile>& all) {
  for (std::size_t n = 0; n < own.size(); ++n) {
    if (n == all.size()) {
      all.push_back(own[n]);
      continue;
    }
    mpi::ScratchFile& file = all[n];
    file.bytes = std::min(file.bytes, own[n].bytes) < 0 ? -1 : std::max(file.bytes, own[n].bytes);
  }
}

}  // namespace

Normalized join(std::vector<Normalized> runs) {
  Normalized all;
  Tables tables({}, all);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Normalized& run = runs[i];
    name_nearer_peers(run);
    for (LocationCalls& location : run.locations)
      for (auto* const list : {&location.communicators, &location.windows, &location.files})
        for (Communicator& one : *list) {
          one.identity = identity_in(i, one.identity);
          one.remote = identity_in(i, one.remote);
        }
    add_files(run.scratch, all.scratch);
    append_rank(std::move(run), tables, all);
  }
  name_neighbours(all, tables);
  all.classes = group_equal(all);
  return all;
}

}  // namespace skelgen::normalize
