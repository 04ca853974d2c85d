#include "engine/deferred_tests.h"

#include <algorithm>

namespace skelgen::engine {
namespace {

bool is_over(const DeferredTest& test, const Operations& operations) {
  return std::ranges::all_of(test.sends, [&](const auto& send) { return operations.all()[send.second].done; });
}

/// True if one of the sends is open.
bool wait_for_all(const DeferredTest& test, Operations& operations) {
  for (const auto& [slot, id] : test.sends) operations.wait(id);  // nothing if it is over
  return !is_over(test, operations);
}

}  // namespace

void DeferredTests::add(DeferredTest test, Operations& operations) {
  if (tests_.size() >= drop_at_) {
    drop_over(operations);
    drop_at_ = std::max(kFew, 2 * tests_.size());
  }
  tests_.push_back(std::move(test));
  for (const auto slot : tests_.back().persistent) of_request_.emplace(slot, std::prev(tests_.end()));
}

bool DeferredTests::wait_for_tests(std::optional<std::int64_t> slot, Operations& operations) {
  bool waits = false;
  if (!slot) {
    for (const auto& test : tests_) waits = wait_for_all(test, operations) || waits;
    return waits;
  }
  for (auto [at, end] = of_request_.equal_range(*slot); at != end; ++at)
    waits = wait_for_all(*at->second, operations) || waits;
  if (!waits) of_request_.erase(*slot);
  return waits;
}

void DeferredTests::wait_for_request(std::int64_t slot, Operations& operations) {
  for (auto [at, end] = of_request_.equal_range(slot); at != end; ++at)
    for (const auto& [of, id] : at->second->sends)
      if (of == slot) operations.wait(id);
}

void DeferredTests::drop_over(Operations& operations) {
  of_request_.clear();
  for (auto test = tests_.begin(); test != tests_.end();) {
    if (is_over(*test, operations)) {
      for (const auto& [slot, id] : test->sends) operations.release(id);
      test = tests_.erase(test);
    } else {
      for (const auto slot : test->persistent) of_request_.emplace(slot, test);
      ++test;
    }
  }
}

}  // namespace skelgen::engine
