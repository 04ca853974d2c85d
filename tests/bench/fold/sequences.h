#pragma once
// Recorded call sequences: a file NAME.rankR.txt has one call of rank R per line, "function count datatype peer tag
// comm"; peer is a rank, or "-" or negative where there is none. NAME has as many ranks as there are such files.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"

namespace skelgen::sequences {

struct Place {
  std::string name;
  int rank;
  int ranks;
};

/// Throws Error{invalid_argument} if the name of the file does not say whose calls it has.
inline Place place_of(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const std::string leaf = file.filename().string();
  const std::size_t dot = leaf.rfind(".rank"), end = leaf.size() - std::min<std::size_t>(leaf.size(), 4);
  Place place{leaf.substr(0, dot), 0, 0};
  bool named = dot != std::string::npos && leaf.substr(end) == ".txt";
  if (named) {
    const auto [after, error] = std::from_chars(leaf.data() + dot + 5, leaf.data() + end, place.rank);
    named = error == std::errc{} && after == leaf.data() + end && place.rank >= 0;
  }
  if (!named) throw Error(Code::invalid_argument, file.string(), {}, "is not named NAME.rankR.txt");
  if (!fs::is_regular_file(file)) throw Error(Code::io, file.string(), {}, "is not there");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  while (fs::exists(folder / (place.name + ".rank" + std::to_string(place.ranks) + ".txt"))) ++place.ranks;
  if (place.ranks <= place.rank)
    throw Error(Code::invalid_argument, file.string(), {}, "the files of ranks before it are missing");
  return place;
}

/// function, count, datatype, peer, tag, comm
using Words = std::array<std::string_view, 6>;

/// Throws Error{corrupt} on another number of words.
inline Words words_of(std::string_view line, const std::filesystem::path& file, std::uint64_t offset) {
  Words words;
  std::size_t found = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (end > at && found < words.size()) words[found] = line.substr(at, end - at);
    found += end > at;
    at = end + 1;
  }
  if (found != words.size())
    throw Error(Code::corrupt, file.string(), offset, "a line is not `function count datatype peer tag comm`");
  return words;
}

/// Nothing for "-".
inline std::optional<int> number(std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

}  // namespace skelgen::sequences
