#pragma once
// templates/report, put into the library at build time (src/report/generate.py).

#include <string_view>

namespace skelgen::report {

extern const std::string_view kPage, kStyle, kScript;
extern const std::string_view kStyleHash, kScriptHash;  ///< "sha256-...": only these run and apply

}  // namespace skelgen::report
