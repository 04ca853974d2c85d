#pragma once
// Data inside a page.

#include <nlohmann/json.hpp>
#include <string>

namespace skelgen::report {

/// JSON that may stand in a <script> element: ASCII only, and none of the characters that end or open anything in HTML.
/// What is no UTF-8 becomes U+FFFD.
std::string embedded_json(const nlohmann::ordered_json& json);

}  // namespace skelgen::report
