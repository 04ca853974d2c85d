#include "mpi/codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace skelgen::mpi {

bool Codes::contains(std::int64_t v) const {
  if (!flags) return std::ranges::find(words, v, &Word::value) != words.end();
  std::int64_t rest = v;
  for (const Word& word : words) rest &= ~word.value;
  return rest == 0;
}

std::string Codes::text(std::int64_t v) const {
  std::vector<std::string_view> set;
  for (const Word& word : words)
    if (flags ? (v & word.value) != 0 : v == word.value) set.push_back(word.text);
  return set.empty() ? "0" : fmt::format("{}", fmt::join(set, " | "));
}

std::string Codes::all() const {
  std::vector<std::string> each;
  for (const Word& word : words) each.push_back(fmt::format("{} {}", word.value, word.text));
  return fmt::format("{}{}", flags ? "a sum of " : "", fmt::join(each, ", "));
}

}  // namespace skelgen::mpi
