#pragma once
// Tests that found sends complete, of a skeleton that may make them later. Internal to src/verify.

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "normalize/normalize.h"

namespace skelgen::verify {

/// Slots of the requests that a call like MPI_Wait or MPI_Testsome completed, or asked for and found complete.
std::vector<std::int64_t> completed(const normalize::Normalized& run, const normalize::Record& record);

/// Which calls of a location are tests that completed a send, or found one complete; ascending. O(calls).
std::vector<std::size_t> tests_of_sends(const normalize::Normalized& run, const normalize::LocationCalls& location);

/// Do both sides complete the same requests in such tests, each at a place of its own?
class TestsOfSends {
 public:
  struct Test {
    bool expected;  ///< else of the other side
    std::size_t call;
  };
  /// started: numbers of the calls that started the requests, the same on both sides.
  void add(Test test, std::string_view function, std::vector<std::uint64_t> started);
  /// One that the other side has not made, the first of its side; nothing if there is none.
  std::optional<Test> left_over() const;

 private:
  using What = std::pair<std::string_view, std::vector<std::uint64_t>>;
  std::map<What, std::vector<Test>> open_;  // all of one side
};

}  // namespace skelgen::verify
