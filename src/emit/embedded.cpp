#include "emit/embedded.h"

#include <algorithm>

#include "support/error.h"

namespace skelgen::emit {

std::string_view embedded(std::string_view name) {
  const auto* end = kEmbedded + kEmbeddedCount;
  const auto* found = std::find_if(kEmbedded, end, [&](const Embedded& file) { return file.name == name; });
  if (found == end) throw Error(Code::internal, "no template " + std::string(name));
  return found->text;
}

std::vector<CParameter> c_parameters(std::string_view function) {
  const auto* end = kShapes + kShapeCount;
  const auto* found = std::find_if(kShapes, end, [&](const Shape& shape) { return shape.function == function; });
  if (found == end) throw Error(Code::internal, "no parameter list of " + std::string(function));
  std::vector<CParameter> all;
  auto rest = found->parameters;
  while (!rest.empty()) {
    const auto end_of_name = std::min(rest.find(' '), rest.size());
    const auto one = rest.substr(0, end_of_name);
    const auto sign = std::min(one.find('='), one.size());
    all.push_back({one.substr(0, sign), one.substr(std::min(sign + 1, one.size()))});
    rest.remove_prefix(std::min(end_of_name + 1, rest.size()));
  }
  return all;
}

}  // namespace skelgen::emit
