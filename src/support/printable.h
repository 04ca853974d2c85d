#pragma once
// Printable form of text that others wrote, for terminals and for our own text formats.

#include <string>
#include <string_view>

namespace skelgen {

/// `text` with a '?' for each control character and each byte that is no UTF-8, so that printing it does nothing but show it.
std::string printable(std::string_view text);

}  // namespace skelgen
