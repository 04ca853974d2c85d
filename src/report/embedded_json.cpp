#include "report/embedded_json.h"

namespace skelgen::report {

std::string embedded_json(const nlohmann::ordered_json& json) {
  const std::string plain = json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(plain.size());
  for (const char c : plain) {  // these stand in strings only
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

}  // namespace skelgen::report
