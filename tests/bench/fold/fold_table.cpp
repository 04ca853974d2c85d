// fold_table FILE...: folds recorded call sequences and prints a table in Markdown.
//
// A file NAME.rankR.txt has one call of rank R per line, "function count datatype peer tag comm"; peer is a rank, or
// "-" or negative where there is none. Its whole lines are the symbols, the peer made relative to the rank: (peer - R)
// modulo the number of ranks, which is how many NAME.rank*.txt there are.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fold/fold.h"
#include "support/error.h"

namespace {

using namespace skelgen;
namespace fs = std::filesystem;

constexpr int kRepeats = 5;

struct Place {
  std::string name;
  int rank;
  int ranks;
};

/// Throws Error{invalid_argument} if the name of the file does not say whose calls it has.
Place place_of(const fs::path& file) {
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

/// The line with its fourth word, if that is a rank, made relative. Throws Error{corrupt} on another number of words.
std::string symbol_of(const std::string& line, const Place& place, const fs::path& file, std::uint64_t offset) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (end > at) words.push_back(std::string_view(line).substr(at, end - at));
    at = end + 1;
  }
  if (words.size() != 6)
    throw Error(Code::corrupt, file.string(), offset, "a line is not `function count datatype peer tag comm`");
  int peer = -1;
  const auto [end, error] = std::from_chars(words[3].data(), words[3].data() + words[3].size(), peer);
  const bool number = error == std::errc{} && end == words[3].data() + words[3].size();
  std::string symbol;
  for (std::size_t w = 0; w < words.size(); ++w) {
    symbol += w == 3 && number && peer >= 0 ? std::to_string((peer - place.rank + place.ranks) % place.ranks)
                                            : std::string(words[w]);
    symbol += ' ';
  }
  return symbol;
}

std::vector<fold::Symbol> read(const fs::path& file, const Place& place) {
  std::ifstream in(file);
  std::vector<fold::Symbol> text;
  std::unordered_map<std::string, fold::Symbol> symbols;
  std::uint64_t offset = 0;
  for (std::string line; std::getline(in, line); offset += line.size() + 1)
    text.push_back(symbols.emplace(symbol_of(line, place, file, offset), symbols.size()).first->second);
  if (!in.eof()) throw Error(Code::io, file.string(), {}, "cannot be read");
  return text;
}

void print_row(const fs::path& file) {
  const Place place = place_of(file);
  const auto text = read(file, place);
  std::printf("| %s | %d | %zu |", place.name.c_str(), place.rank, text.size());
  for (const auto mode : {fold::Mode::seed, fold::Mode::best}) {
    std::vector<double> seconds;
    fold::Program program;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      program = fold::fold(text, mode);
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    if (fold::expand(program) != text)
      throw Error(Code::internal, file.string(), {}, "the folded form expands to another string");
    std::ranges::sort(seconds);
    std::printf(" %zu | %.6f |", fold::length(program), seconds[kRepeats / 2]);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fold_table NAME.rankR.txt...\n");
    return 2;
  }
  try {
    std::printf(
        "| program | rank | calls | seed | seconds | best | seconds, medians of %d |\n|---|---|---|---|---|---|---|\n",
        kRepeats);
    for (int i = 1; i < argc; ++i) print_row(argv[i]);
  } catch (const Error& error) {
    std::fprintf(stderr, "fold_table: %s\n", error.what());
    return 1;
  }
}
