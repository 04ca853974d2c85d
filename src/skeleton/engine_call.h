#pragma once
// A location's call as the engine takes it. Internal to src/skeleton and src/emit.

#include <vector>

#include "engine/call.h"
#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// The statement that the engine's origins are.
inline const Call* statement(const void* origin) { return static_cast<const Call*>(origin); }

class EngineCall {
 public:
  /// value(i): of parameter i. Valid until the next set().
  template <class ValueOf>
  const engine::Call& set(const Skeleton& skeleton, const Call& call, const ValueOf& value,
                          std::int64_t matched = mpi::kAnySource) {
    const auto parameters = call.function->parameters;
    values_.resize(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::int64_t number = value(i);
      values_[i] = {number, {}};
      if (mpi::is_array(written_role(*call.function, parameters[i])))
        values_[i].array = skeleton.arrays.at(static_cast<std::size_t>(number));
    }
    return call_ = {call.function, values_, matched, &call};
  }

 private:
  std::vector<mpi::Value> values_;
  engine::Call call_;
};

}  // namespace skelgen::skeleton
