#include "report/groups.h"

#include <fmt/format.h>

namespace skelgen::report {
namespace {

std::vector<std::size_t> first_locations(const std::vector<int>& threads) {
  std::vector<std::size_t> first{0};
  for (const int own : threads) first.push_back(first.back() + static_cast<std::size_t>(std::max(1, own)));
  if (first.size() == 1) first.push_back(1);
  return first;
}

}  // namespace

Rows::Rows(const std::vector<int>& threads, std::size_t most)
    : first_(first_locations(threads)), groups_(locations(), most) {}

std::string Rows::name(std::size_t row) const {
  if (are_ranks()) return groups_.name(row);
  const auto text = [&](Rank number) {
    const auto index = static_cast<std::size_t>(number);
    const auto rank = std::ranges::upper_bound(first_, index) - first_.begin() - 1;
    return fmt::format("rank {}, thread {}", rank, index - first_[static_cast<std::size_t>(rank)]);
  };
  const Rank first = groups_.first(row), last = groups_.first(row + 1) - 1;
  return first == last ? text(first) : text(first) + " to " + text(last);
}

}  // namespace skelgen::report
