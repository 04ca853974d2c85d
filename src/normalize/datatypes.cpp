#include "normalize/datatypes.h"

#include <algorithm>
#include <array>

#include "support/error.h"

namespace skelgen::normalize {
namespace {

using mpi::Layout;
using mpi::Role;

/// The values of a constructor call by name.
class Given {
 public:
  explicit Given(const trace::Event& event) : event_(event) {}
  std::int64_t number(std::string_view name) const { return event_.values[at(name)].scalar; }
  std::span<const std::int64_t> list(std::string_view name) const { return event_.values[at(name)].array; }
  /// Of numbers that count bytes 1, of others the extent of what they count.
  std::int64_t unit(std::string_view name, const Layout& old) const {
    const Role role = event_.function->parameters[at(name)].role;
    return role == Role::aint || role == Role::aints ? 1 : old.extent();
  }

 private:
  std::size_t at(std::string_view name) const {
    const auto& all = event_.function->parameters;
    const auto found = std::ranges::find(all, name, &mpi::Parameter::name);
    if (found == all.end())
      throw Error(Code::internal, std::string(event_.function->name) + " has no parameter " + std::string(name));
    return static_cast<std::size_t>(found - all.begin());
  }
  const trace::Event& event_;
};

/// Of a datatype that this constructor made of `olds`.
Layout layout_of(const trace::Event& event, const std::vector<Layout>& olds) {
  using mpi::Way;
  const Given given(event);
  const Way way = event.function->way;
  if (olds.empty() && way != Way::structure) return {};  // of a parametrized basic type: its definition follows
  switch (way) {
    case Way::contiguous:
      return mpi::contiguous(given.number("count"), olds[0]);
    case Way::vector: {
      const __int128 stride = static_cast<__int128>(given.number("stride")) * given.unit("stride", olds[0]);
      if (stride != static_cast<std::int64_t>(stride)) throw Error(Code::corrupt, "a datatype larger than 2^62 bytes");
      return mpi::vector(given.number("count"), given.number("blocklength"), static_cast<std::int64_t>(stride),
                         olds[0]);
    }
    case Way::structure:
      return mpi::structure(given.list("array_of_blocklengths"), given.list("array_of_displacements"), olds);
    case Way::indexed:
      return mpi::indexed(given.list("array_of_blocklengths"), given.list("array_of_displacements"),
                          given.unit("array_of_displacements", olds[0]), olds[0]);
    case Way::indexed_block: {
      const std::int64_t length = given.number("blocklength");
      return mpi::indexed({&length, 1}, given.list("array_of_displacements"),
                          given.unit("array_of_displacements", olds[0]), olds[0]);
    }
    case Way::subarray:
      return mpi::subarray(given.list("array_of_sizes"), given.list("array_of_subsizes"), given.list("array_of_starts"),
                           given.number("order"), olds[0]);
    case Way::darray:
      return mpi::darray({given.number("rank"), given.list("array_of_gsizes"), given.list("array_of_distribs"),
                          given.list("array_of_dargs"), given.list("array_of_psizes")},
                         given.number("order"), olds[0]);
    case Way::resized:
      return mpi::resized(given.number("lb"), given.number("extent"), olds[0]);
    default:
      return olds[0];  // a duplicate
  }
}

}  // namespace

void Datatypes::define(const trace::DatatypeDefinition& definition) {
  const auto raw = static_cast<std::int64_t>(definition.handle);
  if (!definition.name.empty()) {
    Type& type = live_[raw] = {};
    type.name = definition.name;
    type.layout = mpi::predefined_layout(definition.name, definition.size, definition.extent);
    for (const char c : definition.name) type.form = mix(type.form, static_cast<unsigned char>(c));
    return;
  }
  const auto found = live_.find(raw);
  if (found == live_.end() || found->second.borrowed) return;
  // The traced MPI knows best how it pads structures.
  Layout& layout = found->second.layout;
  const bool known = layout.true_ub > layout.true_lb;
  if (definition.size >= 0) layout.size = definition.size;
  layout.ub = layout.lb + definition.extent;
  if (!known) layout.true_lb = layout.lb, layout.true_ub = layout.size > 0 ? layout.ub : layout.lb;
  listed_[found->second.listed].bytes = layout.size;
  listed_[found->second.listed].extent = layout.extent();
}

const Datatypes::Type* Datatypes::find(std::int64_t raw) const {
  const auto found = live_.find(raw);
  return found == live_.end() ? nullptr : &found->second;
}

std::int64_t Datatypes::create(const trace::Event& event, std::int64_t raw) {
  if (raw == 0) return -1;
  Type made;
  for (const char c : event.function->name) made.form = mix(made.form, static_cast<unsigned char>(c));
  std::vector<Layout> olds;
  const auto& parameters = event.function->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].role != Role::datatype && parameters[i].role != Role::datatypes) continue;
    const std::array one{event.values[i].scalar};
    const auto handles =
        parameters[i].role == Role::datatype ? std::span<const std::int64_t>(one) : event.values[i].array;
    for (const std::int64_t handle : handles) {
      const Type* old = find(handle);
      if (!old) return -1;
      olds.push_back(old->layout);
      made.form = mix(made.form, old->form);
    }
  }
  made.layout = layout_of(event, olds);
  // A parametrized basic type is returned with the same handle again.
  const auto live = live_.find(raw);
  made.slot = live != live_.end() && live->second.slot >= 0 ? live->second.slot : slots_.take();
  made.listed = listed_.size();
  listed_.push_back({made.slot, made.layout.size, made.layout.extent()});
  live_[raw] = std::move(made);
  return listed_.back().slot;
}

void Datatypes::refer(std::span<const std::int64_t> raw) {
  for (const std::int64_t handle : raw)
    if (const auto found = live_.find(handle); found != live_.end()) ++found->second.references;
}

bool Datatypes::is_shared(std::int64_t raw) const {
  const Type* found = find(raw);
  return !found || found->references > 0;
}

std::int64_t Datatypes::free(std::int64_t raw) {
  const auto found = live_.find(raw);
  if (found == live_.end() || found->second.slot < 0) return -1;
  if (found->second.references > 0) return --found->second.references, -1;
  const std::int64_t slot = found->second.slot;
  slots_.give(found->second.slot);
  live_.erase(found);
  return slot;
}

void ReductionOps::define(const trace::OpDefinition& definition) {
  Op& op = live_[static_cast<std::int64_t>(definition.handle)];
  op.name = definition.name;
  op.commutes = definition.commutes;
}

const ReductionOps::Op* ReductionOps::find(std::int64_t raw) const {
  const auto found = live_.find(raw);
  return found == live_.end() || (found->second.name.empty() && found->second.slot < 0) ? nullptr : &found->second;
}

std::int64_t ReductionOps::create(std::int64_t raw) {
  if (raw == 0) return -1;
  Op& op = live_[raw] = {};
  op.slot = slots_.take();
  return op.slot;
}

std::int64_t ReductionOps::free(std::int64_t raw) {
  const auto found = live_.find(raw);
  if (found == live_.end() || found->second.slot < 0) return -1;
  const std::int64_t slot = found->second.slot;
  slots_.give(found->second.slot);
  live_.erase(found);
  return slot;
}

}  // namespace skelgen::normalize
