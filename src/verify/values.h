#pragma once
// Equal arguments whose arrays and names are numbered differently. Internal to src/verify.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/mpi.h"

namespace skelgen::verify {

inline constexpr const char* kNoCall = "(no call)";

/// "4 locations"
std::string locations_text(std::size_t n);

/// What ids of arrays and names mean on one side.
struct Lists {
  std::span<const std::vector<std::int64_t>> arrays;
  std::span<const std::string> names;
};

/// Roles that compare() treats apart.
bool is_request(mpi::Role role);
bool is_status(mpi::Role role);

/// How much a count of `now` differs from one of `was`, as a share of the latter; infinite if only one of them is 0.
double change_of(std::int64_t was, std::int64_t now);

/// True if the value is the id of an array: of an array role, or the members of Comm_create's group.
bool is_array(const mpi::Function& function, mpi::Role role);

/// Translates the ids of the left side, once, into those of the right side.
class Contents {
 public:
  Contents(Lists left, Lists right);
  /// All values of two calls of `function`; `skip`: roles that do not count.
  bool values(const mpi::Function& function, std::span<const std::int64_t> left, std::span<const std::int64_t> right,
              bool (*skip)(mpi::Role) = nullptr) const {
    return change(function, left, right, 0, skip) == 0.0;
  }
  /// The same, but sizes of messages (mpi::Function::counted_type) may differ by `share` of those on the left. Returns
  /// the largest such difference; nothing if the calls differ otherwise, or by more.
  std::optional<double> change(const mpi::Function& function, std::span<const std::int64_t> left,
                               std::span<const std::int64_t> right, double share,
                               bool (*skip)(mpi::Role) = nullptr) const;

 private:
  std::int64_t name(std::int64_t left) const;
  bool same_types(std::int64_t left, std::int64_t right) const;
  double counts(const mpi::Function& function, std::size_t i, std::int64_t left, std::int64_t right) const;

  Lists left_, right_;
  bool ids_equal_ = false;                  // both sides number alike
  std::vector<std::int64_t> array_, name_;  // by left id: right id, or -1
};

}  // namespace skelgen::verify
