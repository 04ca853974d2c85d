#include "verify/tests_of_sends.h"

#include <algorithm>

namespace skelgen::verify {

using mpi::Kind;
using mpi::Role;

std::vector<std::int64_t> completed(const normalize::Normalized& run, const normalize::Record& record) {
  const mpi::Function& function = *run.symbols[record.symbol].function;
  const auto number = [&](Role role) { return record.values[static_cast<std::size_t>(function.find(role))]; };
  const auto array = [&](Role role) -> const auto& { return run.arrays[static_cast<std::size_t>(number(role))]; };
  std::vector<std::int64_t> slots;
  mpi::each_completed_request(function, number, array, [&](std::int64_t slot, std::size_t) { slots.push_back(slot); });
  return slots;
}

std::vector<std::size_t> tests_of_sends(const normalize::Normalized& run, const normalize::LocationCalls& location) {
  std::vector<std::size_t> tests;
  std::vector<bool> sends;  // by slot
  std::size_t number = 0;
  for (const auto call : location.calls) {
    const std::size_t at = number++;
    const auto& record = run.records[call];
    const mpi::Function& function = *run.symbols[record.symbol].function;
    if (function.kind == Kind::test || function.kind == Kind::ask) {
      const auto slots = completed(run, record);
      if (std::ranges::any_of(slots, [&](std::int64_t s) { return s >= 0 && sends[static_cast<std::size_t>(s)]; }))
        tests.push_back(at);
      continue;
    }
    const int request = function.find(Role::request);
    if (request < 0) continue;
    const auto slot = record.values[static_cast<std::size_t>(request)];
    if (function.parameters[static_cast<std::size_t>(request)].direction != mpi::Direction::out || slot < 0) continue;
    if (sends.size() <= static_cast<std::size_t>(slot)) sends.resize(static_cast<std::size_t>(slot) + 1);
    sends[static_cast<std::size_t>(slot)] = function.kind == Kind::send || function.kind == Kind::send_init;
  }
  return tests;
}

void TestsOfSends::add(Test test, std::string_view function, std::vector<std::uint64_t> started) {
  std::ranges::sort(started);
  auto& alike = open_[{function, std::move(started)}];
  if (!alike.empty() && alike.front().expected != test.expected)
    alike.erase(alike.begin());
  else
    alike.push_back(test);
}

std::optional<TestsOfSends::Test> TestsOfSends::left_over() const {
  std::optional<Test> first;
  for (const auto& [what, tests] : open_)
    if (!tests.empty() &&
        (!first || std::pair(!tests[0].expected, tests[0].call) < std::pair(!first->expected, first->call)))
      first = tests[0];
  return first;
}

}  // namespace skelgen::verify
