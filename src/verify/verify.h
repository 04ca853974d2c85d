#pragma once
// Is a skeleton the same as what was traced? Expanded on paper (lossless), and re-traced at scale 1 (compare).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"
#include "support/units.h"

namespace skelgen::verify {

/// Calls of one location around one of them that differs, as far as they are compared: up to kContext on each side.
struct Context {
  struct Call {
    std::uint64_t index;  ///< among the location's calls, from 0
    std::string text;
  };
  std::uint64_t index = 0;  ///< of the call that differs
  std::vector<Call> before{}, after{};
  std::vector<std::string> handles{};  ///< what it names: "c2: MPI_Comm_split of MPI_COMM_WORLD (call 7), rank 1 of 4"
  Location where{};                    ///< whose calls they are
  const mpi::Function* function = nullptr;  ///< of the call that differs; nullptr behind the end
};
inline constexpr std::size_t kContext = 3;

/// The first call that differs: `index` counts the location's calls from 0. Texts are like "MPI_Send(count=4, dest=1,
/// ...)", "(no call)" behind the end; "4 locations" if the runs do not have the same ranks and threads, "1.5 s of
/// computation" if all calls are equal and the computation is not.
struct Difference {
  Rank rank = 0;
  std::uint64_t index = 0;
  std::string expected, actual;
  Context expected_context{}, actual_context{};  ///< of compare()
  /// Both calls are of one function and have the same arguments: they differ in outcomes only (flag, index, indices), and
  /// in requests that are MPI_REQUEST_NULL on one side of a call like MPI_Waitany.
  bool outcome_only = false;
};

/// Expands the skeleton for every location and compares with its canonical calls in the order in which they were made:
/// function, every recorded argument, order; also that computation is conserved. A skeleton with reordered exchanges
/// (Call::order) is put back into that order first (skeleton::expand_original), and may number its buffers otherwise.
/// Of a skeleton with a tolerance, counts of messages, and displacements of their blocks, may differ by that share of those that were
/// traced, and nothing else. Nothing if equal. O(calls).
/// of: this run, or others of the same program: then what is computed and how large buffers are is not compared, and they may
/// be numbered otherwise.
enum class Runs : std::uint8_t { same, others };
std::optional<Difference> lossless(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton,
                                   Runs of = Runs::same);

/// Both are sums of the same n times, added in any order: they differ by what n additions lose, and little more.
bool same_sum(double one_s, double other_s, std::uint64_t n);

/// Result of comparing two runs call by call.
struct Report {
  bool identical = false;
  std::uint64_t calls_checked = 0;   ///< over all locations, up to and with the first difference of each
  std::uint64_t opaque_skipped = 0;  ///< calls of `expected` known by name only: the skeleton spends their time instead
  std::optional<Difference> first_difference;  ///< of the lowest location that has one
  bool bytes_matrix_identical = false;         ///< see traffic()
  /// Receives and probes of MPI_ANY_SOURCE in `expected`: those that got the message of another source in `actual`, and
  /// those that `actual` makes from the source that was matched.
  std::uint64_t matched_otherwise = 0, by_recorded_source = 0;
  /// With a tolerance: calls whose counts differ, no more than by it; the largest difference, as a share of a count.
  /// first_difference is then one that is no such difference.
  std::uint64_t counts_changed = 0;
  double largest_change = 0;
  bool within_tolerance() const { return !first_difference; }
};

/// How a skeleton may differ from the traced run.
struct Allowed {
  double tolerance = 0;        ///< Skeleton::tolerance
  bool shared_memory = false;  ///< LocationData::shared
  bool tests_go_on = false;    ///< Skeleton::tests_go_on
  bool other_places() const { return tolerance > 0 || shared_memory; }
};

/// Compares canonical records of a traced run with those of another, usually the re-traced skeleton: function and every
/// argument of every call, in order; datatypes, ops and arrays by content. Not compared, because another run of the
/// same program may differ there: how often a poll (Test, Iprobe, ...) was unsuccessful, which message a wildcard
/// matched (a receive that names the source that MPI_ANY_SOURCE matched in `expected` is equal, too), which of several
/// requests with one handle (normalize::SharedRequest) a call of `actual` names, and requests that a call like
/// MPI_Waitany does not complete: `actual` may hide them. With a tolerance (>= 0), counts of messages may differ by that
/// share of the expected ones; memory that overlapped may then be several buffers in `actual`, as it was placed. With
/// shared memory, several buffers that no call reads may be one in `actual`. Where tests of sends may come later, those
/// that completed a send must complete the same requests on both sides, wherever they stand, and whether
/// MPI_Request_get_status found a send complete is not compared. The main threads of a rank are compared with each other, each other thread with any one of the same rank that does the same.
/// O(calls), O(calls x threads) for threads of a rank that differ.
Report compare(const normalize::Normalized& expected, const normalize::Normalized& actual, const Allowed& allowed = {});

struct PairTraffic {
  std::uint64_t messages = 0, bytes = 0;
  bool operator==(const PairTraffic&) const = default;
};

/// Who sent how much to whom, by (sender, receiver) in MPI_COMM_WORLD. A send counts for (caller, receiver), also in
/// other communicators; nothing is sent to MPI_PROC_NULL. A collective counts as one message, with the bytes that
/// the caller contributes (0 where it has no send buffer or MPI_IN_PLACE): of (caller, root), or (caller, caller) if it has
/// no root. One that hands out the root's data (Bcast, Scatter) counts for each other rank as one message of (root, caller)
/// with what the caller receives, for the root itself nothing. A one-sided call counts for (caller, target) with the data that it brings,
/// and for (target, caller) with what it takes: MPI_Compare_and_swap brings two elements and takes one, MPI_NO_OP brings
/// none. O(calls).
std::map<std::pair<Rank, Rank>, PairTraffic> traffic(const normalize::Normalized& normalized);

}  // namespace skelgen::verify
