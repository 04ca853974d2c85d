#pragma once
// JSON of what the library knows; a value that is missing is null.

#include <nlohmann/json.hpp>
#include <optional>

template <class Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  static void to_json(auto& json, const std::optional<Value>& value) {
    if (value)
      json = *value;
    else
      json = nullptr;
  }
  static void from_json(const auto& json, std::optional<Value>& value) {
    value = json.is_null() ? std::nullopt : std::optional(json.template get<Value>());
  }
};

namespace skelgen::build {

using Json = nlohmann::ordered_json;

}  // namespace skelgen::build
