// fold_table FILE...: folds recorded call sequences and prints a table in Markdown.
//
// The whole lines (sequences.h) are the symbols, the peer made relative to the rank: (peer - R) modulo the number of
// ranks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/fold/sequences.h"
#include "fold/fold.h"
#include "support/error.h"

namespace {

using namespace skelgen;
namespace fs = std::filesystem;
using sequences::Place;

constexpr int kRepeats = 5;

/// The line with its fourth word, if that is a rank, made relative.
std::string symbol_of(const std::string& line, const Place& place, const fs::path& file, std::uint64_t offset) {
  const auto words = sequences::words_of(line, file, offset);
  const auto peer = sequences::number(words[3]);
  std::string symbol;
  for (std::size_t w = 0; w < words.size(); ++w) {
    symbol += w == 3 && peer.value_or(-1) >= 0 ? std::to_string((*peer - place.rank + place.ranks) % place.ranks)
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
  const Place place = sequences::place_of(file);
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
