#include "mpi/codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mpi/layout.h"

namespace skelgen::mpi {
namespace {

using Names = std::string_view[];

constexpr Names kThreadLevels = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                 "MPI_THREAD_MULTIPLE"};
constexpr Names kOrders = {"MPI_ORDER_C", "MPI_ORDER_FORTRAN"};
constexpr Names kDistributions = {"MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC", "MPI_DISTRIBUTE_NONE"};
constexpr Names kLocks = {"MPI_LOCK_EXCLUSIVE", "MPI_LOCK_SHARED"};
constexpr Names kWhences = {"MPI_SEEK_SET", "MPI_SEEK_CUR", "MPI_SEEK_END"};
constexpr Names kAssertions = {"MPI_MODE_NOCHECK", "MPI_MODE_NOSTORE", "MPI_MODE_NOPUT", "MPI_MODE_NOPRECEDE",
                               "MPI_MODE_NOSUCCEED"};
constexpr Names kModes = {"MPI_MODE_CREATE", "MPI_MODE_RDONLY",          "MPI_MODE_WRONLY",
                          "MPI_MODE_RDWR",   "MPI_MODE_DELETE_ON_CLOSE", "MPI_MODE_UNIQUE_OPEN",
                          "MPI_MODE_EXCL",   "MPI_MODE_APPEND",          "MPI_MODE_SEQUENTIAL"};
static_assert(kOrderFortran == kOrderC + 1 && kDistributeNone == kDistributeBlock + 2);

constexpr Codes kCodes[] = {{"required", 0, kThreadLevels},
                            {"order", kOrderC, kOrders},
                            {"array_of_distribs", kDistributeBlock, kDistributions},
                            {"lock_type", 1, kLocks},
                            {"whence", 1, kWhences},
                            {"assert", 1, kAssertions, true},
                            {"amode", 1, kModes, true}};

}  // namespace

bool Codes::contains(std::int64_t v) const {
  const auto n = static_cast<std::int64_t>(names.size());
  return flags ? v >= 0 && v >> n == 0 : v >= first && v < first + n;
}

std::string Codes::text(std::int64_t v) const {
  if (!flags) return std::string(names[static_cast<std::size_t>(v - first)]);
  std::vector<std::string_view> set;
  for (std::size_t bit = 0; bit < names.size(); ++bit)
    if (v >> bit & 1) set.push_back(names[bit]);
  return set.empty() ? "0" : fmt::format("{}", fmt::join(set, " | "));
}

std::string Codes::all() const {
  std::vector<std::string> each;
  for (std::size_t i = 0; i < names.size(); ++i)
    each.push_back(fmt::format("{} {}", flags ? std::int64_t{1} << i : first + static_cast<std::int64_t>(i), names[i]));
  return fmt::format("{}{}", flags ? "a sum of " : "", fmt::join(each, ", "));
}

const Codes* codes(std::string_view parameter) {
  const auto found = std::ranges::find(kCodes, parameter, &Codes::parameter);
  return found == std::end(kCodes) ? nullptr : found;
}

}  // namespace skelgen::mpi
