#include <set>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {
namespace {

void add(const Block& block, std::int64_t slots, std::set<std::int64_t>& found) {
  for (const Node& node : block) {
    if (node.is_loop()) {
      add(node.loop().body, slots, found);
      continue;
    }
    const Call& call = node.call();
    if (call.function->kind != mpi::Kind::win_attach) continue;
    const auto at = static_cast<std::size_t>(call.function->find(mpi::Role::buffer));
    for (const Sequence& places : call.arguments[at].choices) {
      const bool arithmetic = places.kind == Sequence::Kind::arithmetic;
      const std::size_t n = !arithmetic                              ? places.values.size()
                            : mpi::stays_in_buffer(places.values[1]) ? 1
                                                                     : static_cast<std::size_t>(slots);
      for (std::size_t k = 0; k < n; ++k) {
        const std::int64_t slot = mpi::slot_of(places.at(k));
        if (slot >= 0 && slot < slots) found.insert(slot);
        if (arithmetic && (slot < 0 || slot >= slots)) break;
      }
    }
  }
}

}  // namespace

std::vector<std::int64_t> attached_slots(const Skeleton& skeleton) {
  std::size_t slots = 0;
  for (const LocationData& location : skeleton.locations) slots = std::max(slots, location.buffer_bytes.size());
  std::set<std::int64_t> found;
  add(skeleton.program, static_cast<std::int64_t>(slots), found);
  return {found.begin(), found.end()};
}

}  // namespace skelgen::skeleton
