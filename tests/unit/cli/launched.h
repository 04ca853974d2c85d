#pragma once
// What a launcher was given.

#include <filesystem>
#include <fstream>
#include <string>

#include "launch/launch.h"

namespace skelgen::cli {

/// The value of an environment variable, empty if it is not set.
inline std::string value_of(const launch::Launch& what, const std::string& name) {
  for (const auto& [key, value] : what.environment)
    if (key == name) return value;
  return {};
}

/// While it lives, the working directory is `place`, a new one, which has a program ./app.
class PlaceWithApp {
 public:
  explicit PlaceWithApp(const std::filesystem::path& place) {
    std::filesystem::create_directory(place);
    std::ofstream(place / "app") << "#!/bin/sh\n";
    std::filesystem::permissions(place / "app", std::filesystem::perms::owner_all);
    std::filesystem::current_path(place);
  }
  ~PlaceWithApp() { std::filesystem::current_path(before_); }
  PlaceWithApp(const PlaceWithApp&) = delete;
  PlaceWithApp& operator=(const PlaceWithApp&) = delete;

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace skelgen::cli
