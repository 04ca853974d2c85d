#pragma once
// Fields of the JSON that capture writes. A field of another type counts as absent. Internal to src/trace and src/threads.

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "support/printable.h"

namespace skelgen::trace {

/// A number; 0 if it is not there.
inline double real(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}
/// A time or a speed: 0 also where it is negative.
inline double amount(const nlohmann::json& json, const char* key) { return std::max(0.0, real(json, key)); }
inline std::uint64_t whole(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}
/// A printable text; empty if it is not there.
inline std::string word(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}
/// A value of any type, an empty object if it is not there. Valid as long as `json` is.
inline const nlohmann::json& part(const nlohmann::json& json, const char* key) {
  static const nlohmann::json kNone = nlohmann::json::object();
  const auto found = json.find(key);
  return found != json.end() ? *found : kNone;
}

}  // namespace skelgen::trace
