// synthetic_trace KIND RANKS RECORDS DIR [SEED]: writes a synthetic trace, prints the number of its calls.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "support/error.h"
#include "synthetic/synthetic.h"

namespace {

template <class Number>
bool parse(const char* text, Number& number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  return error == std::errc() && *end == '\0';
}

}  // namespace

int main(int argc, char** argv) {
  skelgen::synthetic::Options options;
  const auto kind = argc > 1 ? skelgen::synthetic::kind_of(argv[1]) : std::nullopt;
  if (argc < 5 || argc > 6 || !kind || !parse(argv[2], options.ranks) || !parse(argv[3], options.records) ||
      (argc == 6 && !parse(argv[5], options.seed))) {
    std::fputs("usage: synthetic_trace nests|noise|wavefront|halo RANKS RECORDS DIR [SEED]\n", stderr);
    return 2;
  }
  options.kind = *kind;
  try {
    std::printf("%llu\n", static_cast<unsigned long long>(skelgen::synthetic::write(argv[4], options)));
  } catch (const skelgen::Error& error) {
    std::fprintf(stderr, "synthetic_trace: %s\n", error.what());
    return 1;
  }
}
