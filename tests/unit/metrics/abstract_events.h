#pragma once
// Events of computations that are written down by hand.

#include "papers/computation.h"

namespace skelgen::metrics {

constexpr AbstractEvent internal() { return {}; }
constexpr AbstractEvent send(int message) { return {EventKind::send, message}; }
constexpr AbstractEvent receive(int message) { return {EventKind::receive, message}; }

}  // namespace skelgen::metrics
