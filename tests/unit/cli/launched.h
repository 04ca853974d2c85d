#pragma once
// What a launcher was given.

#include <string>

#include "launch/launch.h"

namespace skelgen::cli {

/// The value of an environment variable, empty if it is not set.
inline std::string value_of(const launch::Launch& what, const std::string& name) {
  for (const auto& [key, value] : what.environment)
    if (key == name) return value;
  return {};
}

}  // namespace skelgen::cli
