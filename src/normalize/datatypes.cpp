#include "normalize/datatypes.h"

#include <algorithm>
#include <array>

#include "support/error.h"

namespace skelgen::normalize {

using mpi::Layout;
using mpi::Role;

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
  made.layout = mpi::made_layout(*event.function, event.values, olds);
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
