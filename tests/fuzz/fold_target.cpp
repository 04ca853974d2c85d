// Bytes -> a text of symbols -> every mode of folding: what is folded expands to the text, however it is folded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fold/fold.h"
#include "fold/stream.h"
#include "fold_text.h"
#include "fuzz/pipeline.h"

namespace {

using namespace skelgen;
using Text = std::vector<fold::Symbol>;

constexpr std::size_t kLongest = 6000;

/// The first byte says which symbols. Bytes from 0xe0 on repeat what is before them, as loops do: the next byte says how
/// much of it, and every eighth one gives each copy a symbol less or more.
Text text_of(const std::uint8_t* data, std::size_t size) {
  Text text;
  if (size == 0) return text;
  const unsigned kind = data[0] & 7, alphabet = 1u + (data[0] >> 3);
  const fold::Symbol first = kind == 0   ? ~fold::Symbol{0} - alphabet + 1
                             : kind == 1 ? fold::kLargestStreamed - alphabet / 2
                             : kind == 2 ? ~fold::Symbol{0} - alphabet - 3
                                         : 0;
  for (std::size_t i = 1; i < size && text.size() < kLongest; ++i) {
    if (data[i] < 0xe0 || i + 1 == size) {
      text.push_back(first + data[i] % alphabet);
      continue;
    }
    const std::size_t length = std::min<std::size_t>(1u + data[i + 1], text.size());
    const std::size_t begin = text.size() - length, times = (data[i] & 31) + 1u;
    for (std::size_t t = 0; t < times && text.size() + length < kLongest; ++t) {
      if (data[i] % 8 == 7 && t % 2 == 1 && !text.empty()) text.push_back(text.back());
      for (std::size_t k = 0; k < length; ++k) text.push_back(text[begin + k]);
    }
    ++i;
  }
  return text;
}

void check(const Text& text, fold::Mode mode, const char* name, fold::Program& program) {
  program = fold::fold(text, mode);
  if (fold::expand(program) != text) fuzz::finding(std::string("mode ") + name + " expands to another text");
  fold::print(program);
}

void fold_all(const Text& text) {
  fold::Program seed, best, stream;
  check(text, fold::Mode::seed, "seed", seed);
  check(text, fold::Mode::best, "best", best);
  if (fold::length(best) > fold::length(seed)) fuzz::finding("mode best is longer than mode seed");
  check(text, fold::Mode::stream, "stream", stream);
  fold::Stream pieces;
  for (std::size_t i = 0, n = 1; i < text.size(); i += n, n = n * 3 % 61 + 1)
    pieces.push(std::span(text).subspan(i, std::min(n, text.size() - i)));
  if (std::move(pieces).finish() != stream) fuzz::finding("a stream that comes in pieces folds differently");
  for (const std::size_t block : {std::size_t{20}, std::size_t{300}}) {
    fold::Stream short_blocks(block);
    short_blocks.push(text);
    if (fold::expand(std::move(short_blocks).finish()) != text)
      fuzz::finding("a stream of blocks expands to another text");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Text text = text_of(data, size);
  fuzz::expect_no_other_errors([&] { fold_all(text); });
  return 0;
}
