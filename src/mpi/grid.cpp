#include "mpi/grid.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "mpi/mpi.h"

namespace skelgen::mpi {

std::int64_t Grid::stride(std::size_t dimension) const {
  std::int64_t ranks = 1;
  for (std::size_t d = dimension + 1; d < dimensions.size(); ++d) ranks *= dimensions[d].size;
  return ranks;
}

std::int64_t Grid::ranks() const {
  std::int64_t ranks = 1;
  for (const Dimension& dimension : dimensions)
    if (__builtin_mul_overflow(ranks, dimension.size, &ranks)) return INT64_MAX;
  return ranks;
}

std::int64_t Grid::coordinate(std::int64_t rank, std::size_t dimension) const {
  return rank / stride(dimension) % dimensions[dimension].size;
}

std::int64_t Grid::neighbour(std::int64_t rank, std::size_t dimension, std::int64_t displacement) const {
  const auto [size, periodic] = dimensions[dimension];
  const std::int64_t own = coordinate(rank, dimension);
  std::int64_t other = own + displacement;
  if (periodic) other = (other % size + size) % size;
  return other < 0 || other >= size ? kProcNull : rank + (other - own) * stride(dimension);
}

std::shared_ptr<const Grid> made_grid(Way way, const std::shared_ptr<const Grid>& parent,
                                      std::span<const std::int64_t> first, std::span<const std::int64_t> last) {
  if (way == Way::duplicate) return parent;
  const bool part = way == Way::cart_sub;
  if (way != Way::cart && !(part && parent && first.size() == parent->dimensions.size())) return {};
  Grid grid;
  for (std::size_t d = 0; d < std::min(first.size(), last.size()); ++d) {
    if (part && first[d] == 0) continue;
    if (!part && (first[d] < 1 || first[d] > INT32_MAX)) return {};
    grid.dimensions.push_back(part ? parent->dimensions[d] : Grid::Dimension{static_cast<int>(first[d]), last[d] != 0});
  }
  return std::make_shared<const Grid>(std::move(grid));
}

std::optional<Neighbour> find_neighbour(std::span<const Peer> peers) {
  const auto first = std::ranges::find_if(peers, [](const Peer& peer) { return peer.value >= 0; });
  if (first == peers.end() || !first->comm->grid || first->value >= first->comm->size) return {};
  const Grid& grid = *first->comm->grid;
  for (std::size_t d = 0; d < grid.dimensions.size(); ++d) {
    const auto [size, periodic] = grid.dimensions[d];
    const std::int64_t direct = grid.coordinate(first->value, d) - grid.coordinate(first->comm->rank, d);
    const std::int64_t around = periodic ? direct + (direct < 0 ? size : -size) : 0;
    const bool nearer = std::pair(std::abs(direct), -direct) <= std::pair(std::abs(around), -around);
    for (const std::int64_t by : {nearer ? direct : around, nearer ? around : direct}) {
      const auto is_neighbour = [&](const Peer& peer) {
        const Grid* const own = peer.comm->grid.get();
        return own && d < own->dimensions.size() && own->neighbour(peer.comm->rank, d, by) == peer.value;
      };
      if (by != 0 && std::ranges::all_of(peers, is_neighbour)) return Neighbour{d, by};
    }
  }
  return {};
}

}  // namespace skelgen::mpi
