#pragma once
// Objects that the main thread of a rank made, for its other threads. Internal to src/normalize.

#include <variant>
#include <vector>

#include "normalize/datatypes.h"
#include "normalize/handles.h"
#include "normalize/hints.h"

namespace skelgen::normalize {

struct MainThreadObjects {
  struct Window {
    Communicator is;
    bool dynamic = false;
  };
  struct File {
    Communicator is;
  };
  struct Change {
    double time_s;  ///< when the call that made it had returned; when the one that freed it began
    std::uint64_t raw;
    bool lives;  ///< made; else freed
    std::variant<Communicator, Window, File, Datatypes::Type, ReductionOps::Op, InfoObjects::Hints> what;
  };
  std::vector<Change> changes;  ///< ascending by time_s
};

}  // namespace skelgen::normalize
