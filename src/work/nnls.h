#pragma once
// Non-negative least squares (Lawson & Hanson, Solving Least Squares Problems, 1974, chapter 23).

#include <span>
#include <vector>

namespace skelgen::work {

/// The x >= 0 with the least |A x - b|, A with b.size() rows and any number of columns, which need not be independent.
/// columns: of A, each with b.size() finite numbers. Returns a number for each column, at most b.size() of them above 0.
/// O(rows x columns + rows x (columns in use)^2) for each step, mostly a few more steps than columns come into use.
std::vector<double> non_negative_least_squares(std::span<const std::vector<double>> columns, std::span<const double> b);

}  // namespace skelgen::work
