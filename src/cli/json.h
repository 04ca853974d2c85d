#pragma once
// Values in JSON.

#include <optional>
#include <vector>

#include "build/build.h"
#include "cli/command.h"

namespace skelgen::cli {

using build::or_null;
/// A list of such values.
template <class Value>
Json or_null(const std::vector<std::optional<Value>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(or_null(value));
  return list;
}

}  // namespace skelgen::cli
