#pragma once
// Mode seed, word for word: no structure survives from one part of the text to the next.

#include <span>

#include "fold/fold.h"
#include "property/strings/naive.h"

namespace skelgen::fold::literal {

using FindRuns = std::vector<strings::Run>(std::span<const Symbol>);

inline Program fold(std::span<const Symbol> text, FindRuns* find_runs = strings::naive::runs) {
  const strings::Run* longest = nullptr;
  const auto runs = find_runs(text);  // by begin, then end: leftmost first; shortest periods only
  for (const auto& run : runs)
    if (!longest || run.end - run.begin > longest->end - longest->begin) longest = &run;

  Program program;
  if (!longest) {
    for (const Symbol s : text) program.push_back({s, 1, {}});
    return program;
  }
  const std::size_t trips = (longest->end - longest->begin) / longest->period;
  program = fold(text.first(longest->begin), find_runs);
  program.push_back({0, trips, fold(text.subspan(longest->begin, longest->period), find_runs)});
  for (Node& node : fold(text.subspan(longest->begin + trips * longest->period), find_runs))
    program.push_back(std::move(node));
  return program;
}

}  // namespace skelgen::fold::literal
