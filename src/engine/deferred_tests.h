#pragma once
// Tests that found sends complete and have not waited for them, of one simulated location. Internal to src/engine.

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/operations.h"

namespace skelgen::engine {

struct DeferredTest {
  std::vector<std::pair<std::int64_t, Id>> sends;  ///< that were open: request slot and operation
  std::vector<std::int64_t> persistent;            ///< slots of all persistent requests of the test
};

class DeferredTests {
 public:
  /// O(size of the test x log of the persistent requests), amortised; drops tests that are over.
  void add(DeferredTest test, Operations& operations);

  /// Makes the location wait for all sends of the deferred tests of this persistent request (of all deferred tests
  /// without one); false if there is nothing to wait for.
  bool wait_for_tests(std::optional<std::int64_t> slot, Operations& operations);

  /// Makes the location wait for the sends of this persistent request itself: it is complete for the program, but a
  /// deferred test has not completed it.
  void wait_for_request(std::int64_t slot, Operations& operations);

 private:
  using Tests = std::list<DeferredTest>;
  void drop_over(Operations& operations);

  Tests tests_;
  std::multimap<std::int64_t, Tests::iterator> of_request_;  ///< by slot; may have some that are over
  std::size_t drop_at_ = kFew;  ///< number of tests at which those that are over are dropped
  static constexpr std::size_t kFew = 16;
};

}  // namespace skelgen::engine
