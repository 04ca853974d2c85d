#include "work/nnls.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace skelgen::work {
namespace {

using Vector = std::vector<double>;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Vector& from, double times, std::span<const double> what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= times * what[i];
}

/// Orthonormal columns of those in use (Gram-Schmidt, twice, which is as good as Householder's), and their triangle.
struct Factors {
  std::vector<Vector> q, r;  // r[j][i], i <= j
};

/// False if the column depends on those before, as far as numbers of 53 bits can say.
bool add(Factors& factors, const Vector& column) {
  Vector rest = column, above(factors.q.size(), 0.0);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < factors.q.size(); ++i) {
      const double part = dot(factors.q[i], rest);
      above[i] += part;
      subtract(rest, part, factors.q[i]);
    }
  const double length = std::sqrt(dot(rest, rest));
  if (length <= 1e-10 * std::sqrt(dot(column, column))) return false;
  for (double& value : rest) value /= length;
  above.push_back(length);
  factors.q.push_back(std::move(rest));
  factors.r.push_back(std::move(above));
  return true;
}

/// The x with the least |Q R x - b|.
Vector solve(const Factors& factors, std::span<const double> b) {
  Vector x(factors.q.size());
  for (std::size_t j = x.size(); j-- > 0;) {
    x[j] = dot(factors.q[j], b);
    for (std::size_t k = j + 1; k < x.size(); ++k) x[j] -= factors.r[k][j] * x[k];
    x[j] /= factors.r[j][j];
  }
  return x;
}

Factors factors_of(std::span<const Vector> columns, const std::vector<std::size_t>& used) {
  Factors factors;
  for (const std::size_t j : used) add(factors, columns[j]);
  return factors;
}

}  // namespace

std::vector<double> non_negative_least_squares(std::span<const Vector> columns, std::span<const double> b) {
  Vector x(columns.size(), 0.0), rest(b.begin(), b.end());
  std::vector<std::size_t> used;  // columns whose x may be above 0
  std::vector<bool> refused(columns.size(), false);
  const double small = 1e-12 * std::sqrt(dot(b, b));
  for (std::size_t steps = 0; steps < 3 * columns.size() + 10; ++steps) {
    // The column that would make the rest smaller fastest.
    std::size_t best = columns.size();
    double steepest = small;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (refused[j] || std::ranges::find(used, j) != used.end()) continue;
      const double length = std::sqrt(dot(columns[j], columns[j]));
      if (const double slope = length > 0 ? dot(columns[j], rest) / length : 0; slope > steepest)
        steepest = slope, best = j;
    }
    if (best == columns.size()) break;
    used.push_back(best);
    Factors factors = factors_of(columns, used);
    Vector z = factors.q.size() == used.size() ? solve(factors, b) : Vector{-1};
    if (z.back() <= 0) {  // depends on the others, or gains nothing but by rounding
      used.pop_back();
      refused[best] = true;
      continue;
    }
    while (std::ranges::any_of(z, [](double value) { return value <= 0; })) {
      double most = 1;  // of the way to z
      for (std::size_t i = 0; i < used.size(); ++i)
        if (z[i] <= 0) most = std::min(most, x[used[i]] / (x[used[i]] - z[i]));
      for (std::size_t i = 0; i < used.size(); ++i) x[used[i]] += most * (z[i] - x[used[i]]);
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < used.size(); ++i) {
        const std::size_t j = used[i];
        const bool at_bound = z[i] <= 0 && x[j] <= 1e-14 * std::abs(z[i]) + 1e-300;
        if (at_bound)
          x[j] = 0;
        else
          kept.push_back(j);
      }
      if (kept.size() == used.size()) {  // rounding: the one that is nearest to its bound leaves
        const auto least = std::ranges::min_element(kept, {}, [&](std::size_t j) { return x[j]; });
        x[*least] = 0;
        kept.erase(least);
      }
      used = std::move(kept);
      factors = factors_of(columns, used);
      z = solve(factors, b);
    }
    for (std::size_t i = 0; i < used.size(); ++i) x[used[i]] = z[i];
    rest.assign(b.begin(), b.end());
    for (const std::size_t j : used) subtract(rest, x[j], columns[j]);
    refused.assign(columns.size(), false);
  }
  return x;
}

}  // namespace skelgen::work
