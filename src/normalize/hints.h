#pragma once
// Hints that info objects hold. Internal to src/normalize.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "trace/trace.h"

namespace skelgen::normalize {

class InfoObjects {
 public:
  using Hints = std::map<std::string, std::string>;
  /// Takes note of a call that makes, changes or frees an info object; false for others.
  bool call(const trace::Event& event);
  /// nullptr: the object was made by a call that does not tell what it holds.
  const Hints* find(std::int64_t raw) const;

  /// Another thread made it, or changed what it holds; it has freed it.
  void borrow(std::int64_t raw, const Hints& hints) { live_[raw] = hints; }
  void give_back(std::int64_t raw) { live_.erase(raw); }

 private:
  std::unordered_map<std::int64_t, Hints> live_;
};

}  // namespace skelgen::normalize
