#include "emit/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

namespace skelgen::emit {
namespace {

constexpr std::size_t kLeastCopied = 4;  // LEAST_COPIED in skel_tables.h
constexpr std::size_t kLetters = 4000;   // SKEL_LETTERS in skel.h
constexpr std::size_t kTries = 16;       // places that a copy may begin at

void put(std::vector<std::uint8_t>& to, std::uint64_t n) {
  for (; n >= 128; n >>= 7) to.push_back(static_cast<std::uint8_t>(n | 128));
  to.push_back(static_cast<std::uint8_t>(n));
}

/// 2 n, or -2 n - 1 if n < 0.
std::uint64_t without_sign(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ (n < 0 ? ~std::uint64_t{0} : 0);
}

/// The greatest common divisor of all numbers, at least 1.
std::int64_t unit_of(std::span<const std::int64_t> numbers) {
  std::int64_t unit = 0;
  for (const auto n : numbers) {
    if (n == INT64_MIN) return 1;
    unit = std::gcd(unit, n);
    if (unit == 1) break;
  }
  return std::max<std::int64_t>(unit, 1);
}

/// Differences between numbers that are multiples of the unit.
std::vector<std::uint8_t> differences(std::span<const std::int64_t> numbers, std::int64_t unit) {
  std::vector<std::uint8_t> bytes;
  put(bytes, 0);
  put(bytes, static_cast<std::uint64_t>(unit));
  std::uint64_t last = 0;
  for (const auto number : numbers) {
    const auto n = static_cast<std::uint64_t>(number / unit);
    put(bytes, without_sign(static_cast<std::int64_t>(n - std::exchange(last, n))));
  }
  return bytes;
}

/// The same numbers in so many bits each as the largest needs above the least, or in the next multiple of `step` bits;
/// nothing if these are too many.
std::optional<std::vector<std::uint8_t>> fields(std::span<const std::int64_t> numbers, std::int64_t unit, int step) {
  constexpr int kWidest = 56;
  if (numbers.empty()) return {};
  const auto [least, most] = std::ranges::minmax(numbers);
  const auto range = static_cast<std::uint64_t>(most / unit) - static_cast<std::uint64_t>(least / unit);
  const int width = (std::max(1, static_cast<int>(std::bit_width(range))) + step - 1) / step * step;
  if (width > kWidest) return {};
  std::vector<std::uint8_t> bytes;
  put(bytes, static_cast<std::uint64_t>(width));
  put(bytes, static_cast<std::uint64_t>(unit));
  put(bytes, without_sign(least / unit));
  std::uint64_t bits = 0;
  int filled = 0;
  for (const auto number : numbers) {
    bits |= (static_cast<std::uint64_t>(number / unit) - static_cast<std::uint64_t>(least / unit)) << filled;
    for (filled += width; filled >= 8; filled -= 8, bits >>= 8) bytes.push_back(static_cast<std::uint8_t>(bits));
  }
  if (filled > 0) bytes.push_back(static_cast<std::uint8_t>(bits));
  return bytes;
}

/// In the way that leaves least of the first ones once repetitions are gone: bits where there are none, bytes where there
/// are.
std::vector<std::uint8_t> written(std::span<const std::int64_t> numbers) {
  constexpr std::size_t kSample = std::size_t{1} << 16;
  const auto unit = unit_of(numbers);
  const auto first = numbers.first(std::min(numbers.size(), kSample));
  std::size_t least = without_repetitions(differences(first, unit)).size();
  int best = 0;
  for (const int step : {1, 8}) {
    const auto bytes = fields(first, unit, step);
    const auto size = bytes ? without_repetitions(*bytes).size() : least;
    if (size < least) least = size, best = step;
  }
  if (best > 0)
    if (auto bytes = fields(numbers, unit, best)) return *std::move(bytes);
  return differences(numbers, unit);
}

std::uint32_t hash_at(const std::uint8_t* bytes) {
  std::uint32_t four;
  std::memcpy(&four, bytes, sizeof four);
  return (four * 2654435761u) >> 12;  // 20 bits
}

/// Digits of base 85, five for four bytes.
std::string letters_of(std::vector<std::uint8_t> bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  std::string text;
  text.reserve(bytes.size() / 4 * 5);
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t four = 0;
    for (std::size_t k = 0; k < 4; ++k) four = four << 8 | bytes[i + k];
    char digits[5];
    for (std::size_t k = 5; k-- > 0; four /= 85) {
      const char letter = static_cast<char>('#' + four % 85);
      digits[k] = letter == '?' ? 'x' : letter == '\\' ? 'y' : letter;
    }
    text.append(digits, sizeof digits);
  }
  return text;
}

}  // namespace

std::vector<std::uint8_t> without_repetitions(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kNowhere = ~0u;
  std::vector<std::uint8_t> packed;
  std::vector<std::uint32_t> last(std::size_t{1} << 20, kNowhere);  // place of these four bytes, by hash
  std::vector<std::uint32_t> before(bytes.size(), kNowhere);        // the same hash's place before
  const auto remember = [&](std::size_t at) {
    if (at + kLeastCopied > bytes.size()) return;
    auto& place = last[hash_at(&bytes[at])];
    before[at] = std::exchange(place, static_cast<std::uint32_t>(at));
  };
  std::size_t plain = 0;  // where those begin that are not copied
  const auto flush = [&](std::size_t end) {
    put(packed, end - plain);
    packed.insert(packed.end(), bytes.begin() + static_cast<std::ptrdiff_t>(plain),
                  bytes.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t longest = 0, from = 0;
    double most = 0;
    auto place = at + kLeastCopied <= bytes.size() ? last[hash_at(&bytes[at])] : kNowhere;
    for (std::size_t tries = 0; place != kNowhere && tries < kTries; ++tries, place = before[place]) {
      std::size_t length = 0;
      while (at + length < bytes.size() && bytes[place + length] == bytes[at + length]) ++length;
      // Bytes that the copy saves: it takes one for the length, one for those before it, and those of the distance.
      std::size_t cost = 3;
      for (auto back = (at - place) >> 7; back > 0; back >>= 7) ++cost;
      const double saved = static_cast<double>(length) - static_cast<double>(cost);
      if (length >= kLeastCopied && saved > most) most = saved, longest = length, from = place;
    }
    if (longest == 0) {
      remember(at++);
      continue;
    }
    flush(at);
    put(packed, longest - kLeastCopied);
    put(packed, at - from);
    for (const std::size_t end = at + longest; at < end;) remember(at++);
    plain = at;
  }
  flush(bytes.size());
  return packed;
}

void PackedTables::append(std::span<const std::int64_t> numbers) {
  const auto bytes = written(numbers);
  stream_.insert(stream_.end(), bytes.begin(), bytes.end());
}

void PackedTables::add(std::string_view where, int bytes, std::span<const std::int64_t> numbers, const Needed& by) {
  append(numbers);
  entries_.push_back(fmt::format("{{{}, 0, {}, {}, {}, {}}}", where, bytes, numbers.size(), by.of, by.number));
}

void PackedTables::add_arrays(std::string_view where, int bytes, std::span<const std::vector<std::int64_t>> arrays) {
  std::vector<std::int64_t> lengths, all;
  for (const auto& array : arrays) {
    lengths.push_back(static_cast<std::int64_t>(array.size()));
    all.insert(all.end(), array.begin(), array.end());
  }
  append(lengths);
  append(all);
  entries_.push_back(fmt::format("{{{}, 1, {}, {}, NULL, 0}}", where, bytes, arrays.size()));
}

std::string PackedTables::declarations() const {
  if (empty()) return {};
  std::uint64_t sum = 14695981039346656037u;  // FNV-1a
  for (const auto byte : stream_) sum = (sum ^ byte) * 1099511628211u;
  const auto letters = letters_of(without_repetitions(stream_));
  std::string text = "/* Numbers of the tables above, packed. */\nstatic const struct skel_table packed_tables[] = {\n";
  for (const auto& entry : entries_) text += fmt::format("  {},\n", entry);
  text += "};\nstatic const char packed_text[][SKEL_LETTERS + 1] = {\n";
  for (std::size_t at = 0; at < letters.size(); at += kLetters)
    text += fmt::format("\"{}\",\n", std::string_view(letters).substr(at, kLetters));
  text += fmt::format(
      "}};\nstatic const struct skel_packed packed = {{{}, packed_tables, packed_text[0], {}, {}, "
      "UINT64_C({})}};\n",
      entries_.size(), letters.size(), stream_.size(), sum);
  return text;
}

}  // namespace skelgen::emit
