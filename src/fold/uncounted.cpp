#include "fold/uncounted.h"

#include <algorithm>
#include <iterator>

namespace skelgen::fold {

Program settled(Program program) {
  Program result;
  for (Node& node : program) {
    if (!node.is_loop()) {
      result.push_back(std::move(node));
      continue;
    }
    if (is_uncounted(node)) {
      const std::uint64_t most = node.each.empty() ? 0 : *std::ranges::max_element(node.each);
      if (most == 0) continue;
      node.symbol = 0;
      node.trips = most;
      if (std::ranges::count(node.each, most) == std::ssize(node.each)) node.each.clear();
    }
    node.body = settled(std::move(node.body).take());
    if (node.trips == 1 && node.each.empty())
      result.insert(result.end(), std::move_iterator(node.body.begin()), std::move_iterator(node.body.end()));
    else
      result.push_back(std::move(node));
  }
  return result;
}

}  // namespace skelgen::fold
