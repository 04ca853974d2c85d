#include "support/error.h"

namespace skelgen {
namespace {

std::string message(const std::string& path, std::optional<std::uint64_t> offset, const std::string& text,
                    const std::string& remedy) {
  std::string line;
  if (!path.empty()) line += path + ": ";
  line += text;
  if (offset) line += " (byte " + std::to_string(*offset) + ")";
  if (!remedy.empty()) line += "; " + remedy;
  return line;
}

}  // namespace

Error::Error(Code code, std::string path, std::optional<std::uint64_t> offset, std::string text, std::string remedy)
    : std::runtime_error(message(path, offset, text, remedy)),
      code_(code),
      path_(std::move(path)),
      offset_(offset),
      text_(std::move(text)),
      remedy_(std::move(remedy)) {}

}  // namespace skelgen
