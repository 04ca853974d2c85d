#pragma once

namespace skelgen {

/// A run is disturbed where its ranks or threads were ready to run but had no core for more than this share of their time.
inline constexpr double kBusy = 0.05;

}  // namespace skelgen
