#include "trace/started.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace skelgen::trace {

std::string started(const std::filesystem::path& trace) {
  std::ifstream in(trace / "meta.json");
  const auto meta = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!meta.is_object()) return {};
  const auto found = meta.find("started");
  return found != meta.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace skelgen::trace
