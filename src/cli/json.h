#pragma once
// Values in JSON.

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/command.h"

namespace skelgen::cli {

/// null for a value that is missing.
template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}
/// A list of such values.
template <class Value>
Json or_null(const std::vector<std::optional<Value>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(or_null(value));
  return list;
}

}  // namespace skelgen::cli
