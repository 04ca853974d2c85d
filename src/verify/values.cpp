#include "verify/values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace skelgen::verify {

using mpi::Role;

std::string locations_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " location" : " locations"); }

bool is_request(Role role) { return role == Role::request || role == Role::requests; }
bool is_status(Role role) { return role == Role::status || role == Role::statuses; }

bool is_array(const mpi::Function& function, Role role) {
  return mpi::is_array(role) || role == Role::info || (role == Role::group && mpi::known_by_members(function.kind));
}

namespace {

template <typename T>
std::vector<std::int64_t> translate(std::span<const T> left, std::span<const T> right) {
  std::map<T, std::int64_t> ids;
  for (std::size_t i = 0; i < right.size(); ++i) ids.try_emplace(right[i], static_cast<std::int64_t>(i));
  std::vector<std::int64_t> result;
  for (const T& content : left) {
    const auto found = ids.find(content);
    result.push_back(found == ids.end() ? -1 : found->second);
  }
  return result;
}

}  // namespace

Contents::Contents(Lists left, Lists right)
    : left_(left),
      right_(right),
      ids_equal_(std::ranges::equal(left.arrays, right.arrays) && std::ranges::equal(left.names, right.names)) {
  if (ids_equal_) return;
  array_ = translate(left.arrays, right.arrays);
  name_ = translate(left.names, right.names);
}

/// What the program made is a slot on both sides; a name that the other side lacks becomes one that nothing has.
std::int64_t Contents::name(std::int64_t left) const {
  if (left < 0 || left >= mpi::kMade) return left;
  const std::int64_t right = name_[static_cast<std::size_t>(left)];
  return right < 0 ? INT64_MIN : right;
}

bool Contents::same_types(std::int64_t left, std::int64_t right) const {
  return std::ranges::equal(left_.arrays[static_cast<std::size_t>(left)],
                            right_.arrays[static_cast<std::size_t>(right)], {},
                            [&](std::int64_t one) { return name(one); });
}

double change_of(std::int64_t was, std::int64_t now) {
  if (was == now) return 0;
  if (was == 0 || now == 0) return std::numeric_limits<double>::infinity();
  return std::abs(static_cast<double>(now) - static_cast<double>(was)) / std::abs(static_cast<double>(was));
}

/// Largest change of a count, or of the elements of an array of counts or displacements.
double Contents::counts(const mpi::Function& function, std::size_t i, std::int64_t left, std::int64_t right) const {
  if (!is_array(function, function.parameters[i].role)) return change_of(left, right);
  const auto &was = left_.arrays[static_cast<std::size_t>(left)], &now = right_.arrays[static_cast<std::size_t>(right)];
  if (was.size() != now.size()) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t j = 0; j < was.size(); ++j) most = std::max(most, change_of(was[j], now[j]));
  return most;
}

std::optional<double> Contents::change(const mpi::Function& function, std::span<const std::int64_t> left,
                                       std::span<const std::int64_t> right, double share, bool (*skip)(Role)) const {
  constexpr double kRounding = 1e-12;
  if (left.size() != right.size()) return {};
  if (ids_equal_ && share == 0 && !skip) return std::ranges::equal(left, right) ? std::optional(0.0) : std::nullopt;
  double most = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Role role = function.parameters[i].role;
    if (skip && skip(role)) continue;
    if (share > 0 && (function.counted_type(i) >= 0 || function.displaced_counts(i) >= 0)) {
      most = std::max(most, counts(function, i, left[i], right[i]));
      if (most > share + kRounding) return {};
      continue;
    }
    std::int64_t wanted = left[i];
    if (!ids_equal_ && wanted >= 0) {
      if (role == Role::datatypes) {
        if (!same_types(wanted, right[i])) return {};
        continue;
      }
      // An id without equal content on the other side becomes one that nothing has.
      if (is_array(function, role)) wanted = array_[static_cast<std::size_t>(wanted)];
      if (role == Role::datatype || role == Role::op) wanted = name(wanted);
    }
    if (wanted != right[i]) return {};
  }
  return most;
}

}  // namespace skelgen::verify
