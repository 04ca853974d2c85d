#include "generalize/shapes.h"

#include <algorithm>

namespace skelgen::generalize {
namespace {

constexpr std::size_t kLongestHead = 4, kLongestBlock = 8;

bool is(List list, const Repeated& shape) {
  if (list.size() < shape.head + shape.block || (list.size() - shape.head) % shape.block != 0) return false;
  for (std::size_t k = shape.head + shape.block; k < list.size(); ++k)
    if (list[k] != list[k - shape.block]) return false;
  return true;
}

struct Run {
  std::int64_t value, times;
};

std::vector<Run> runs_of(List list) {
  std::vector<Run> runs;
  for (const std::int64_t value : list) {
    if (runs.empty() || runs.back().value != value)
      runs.push_back({value, 1});
    else
      ++runs.back().times;
  }
  return runs;
}

/// How one run follows another.
struct Step {
  Progression::Step step;
  std::int64_t difference = 0;
  bool operator==(const Step&) const = default;
};

std::vector<Step> steps(const Run& one, const Run& next) {
  if (one.times != next.times) return {};
  std::vector<Step> all;
  if (one.value != 0 && next.value == 2 * one.value) all.push_back({Progression::Step::twice});
  if (next.value != 0 && one.value == 2 * next.value) all.push_back({Progression::Step::half});
  all.push_back({Progression::Step::add, next.value - one.value});
  return all;
}

struct Part {
  std::size_t begin, end;   ///< runs
  std::vector<Step> steps;  ///< that it may be made of; none of one run
};

/// As few parts as there are when each is as long as it can be.
std::vector<Part> parts_of(const std::vector<Run>& runs) {
  std::vector<Part> parts;
  for (std::size_t begin = 0; begin < runs.size();) {
    Part part{begin, begin + 1, {}};
    while (part.end < runs.size()) {
      auto next = steps(runs[part.end - 1], runs[part.end]);
      if (part.end > begin + 1)
        std::erase_if(next, [&](const Step& s) { return std::ranges::find(part.steps, s) == part.steps.end(); });
      if (next.empty()) break;
      part.steps = std::move(next);
      ++part.end;
    }
    begin = part.end;
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Each run by itself.
std::vector<Part> each_of(const std::vector<Run>& runs) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < runs.size(); ++i) parts.push_back({i, i + 1, {}});
  return parts;
}

}  // namespace

std::optional<Repeated> repeated(std::span<const List> lists) {
  for (std::size_t size = 1; size <= kLongestHead + kLongestBlock; ++size)
    for (std::size_t block = 1; block <= std::min(size, kLongestBlock); ++block) {
      const Repeated shape{size - block, block};
      if (shape.head > kLongestHead) continue;
      if (std::ranges::any_of(lists, [&](List list) { return list.size() > size; }) &&
          std::ranges::all_of(lists, [&](List list) { return is(list, shape); }))
        return shape;
    }
  return {};
}

std::optional<Repeated> first_and_rest(std::span<const List> lists) {
  const auto fits = [](List list) {
    return !list.empty() && std::ranges::all_of(list.subspan(1), [&](std::int64_t v) { return v == list[1]; });
  };
  const auto short_one = [](List list) { return list.size() == 1; };
  if (!std::ranges::all_of(lists, fits) || std::ranges::all_of(lists, short_one) ||
      std::ranges::none_of(lists, short_one))
    return {};
  return Repeated{1, 1};
}

namespace {

/// whole: parts are as long as they can be; else each run is one.
std::optional<std::vector<Progression>> progressions_of(std::span<const List> lists, bool whole) {
  std::vector<Progression> all;
  std::vector<std::vector<Step>> possible;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const auto runs = runs_of(lists[l]);
    const auto parts = whole ? parts_of(runs) : each_of(runs);
    if (l == 0) all.resize(parts.size()), possible.resize(parts.size());
    if (parts.empty() || parts.size() > kMostProgressions || parts.size() != all.size()) return {};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all[i].first.push_back(runs[parts[i].begin].value);
      all[i].last.push_back(runs[parts[i].end - 1].value);
      all[i].times.push_back(runs[parts[i].begin].times);
      all[i].runs.push_back(static_cast<std::int64_t>(parts[i].end - parts[i].begin));
      if (parts[i].steps.empty()) continue;
      if (possible[i].empty())
        possible[i] = parts[i].steps;
      else
        std::erase_if(possible[i],
                      [&](const Step& s) { return std::ranges::find(parts[i].steps, s) == parts[i].steps.end(); });
      if (possible[i].empty()) return {};
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!possible[i].empty()) all[i].step = possible[i][0].step, all[i].difference = possible[i][0].difference;
  return all;
}

}  // namespace

std::optional<std::vector<Progression>> progressions(std::span<const List> lists) {
  auto found = progressions_of(lists, true);
  return found ? found : progressions_of(lists, false);
}

}  // namespace skelgen::generalize
