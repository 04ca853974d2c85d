#include "metrics/rank_state.h"

#include <algorithm>

namespace skelgen::metrics {

using mpi::Role;

Shape shape_of(const mpi::Function& function) {
  std::string_view name = function.name;
  name.remove_prefix(std::min<std::size_t>(4, name.size()));  // MPI_
  if (function.nonblocking) name.remove_prefix(1);            // I
  const auto is = [&](std::string_view word) { return name.substr(1, word.size()) == word; };
  if (is("cast") || is("catter")) return Shape::from_root;
  if (is("can") || is("xscan")) return Shape::prefix;
  if (is("ather") || (is("educe") && !is("educe_scatter"))) return Shape::to_root;
  return Shape::all;
}

Places::Places(const mpi::Function& f)
    : comm(f.find(Role::comm)),
      newcomm(f.find(Role::newcomm)),
      root(f.find(Role::root)),
      request(f.find(Role::request)),
      requests(f.find(Role::requests)),
      status(f.find(Role::status)),
      statuses(f.find(Role::statuses)),
      flag(f.find(Role::flag)),
      index(f.find(Role::index)),
      indices(f.find(Role::indices)),
      message(f.find(Role::message)) {
  int peers = 0, tags = 0;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    if (f.parameters[i].role == Role::peer && peers < 2) peer[peers++] = static_cast<int>(i);
    if (f.parameters[i].role == Role::tag && tags < 2) tag[tags++] = static_cast<int>(i);
  }
}

}  // namespace skelgen::metrics
