#pragma once
// Folded class programs -> one SPMD program (skeleton.h).

#include "fold/fold.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// `programs[c]` is the folded sequence of symbols of normalized.classes[c]. Values and gaps of every member are
/// attached to the statements of its class's program (one pass over its calls); then the class programs are aligned,
/// one after the other, by dynamic programming over their statements and, inside aligned loops, their bodies;
/// statements that differ only in the peer may be aligned, equal relative peers preferred. Peers become rules of rank
/// and size where one holds for all. O(calls + sum over classes of (statements x statements)).
skeleton::Skeleton into_spmd(const normalize::Normalized& normalized, std::span<const fold::Program> programs);

/// All locations' calls as one sequence, merged as they were traced (Zhang 2010, Algorithm 2).
struct MergedLog {
  static constexpr normalize::SymbolId kNothing = ~normalize::SymbolId{0};
  std::vector<fold::Symbol> text;  ///< a symbol per merged record
  /// By symbol: what each location does there, or kNothing. Records with equal lists have the same symbol.
  std::vector<std::vector<normalize::SymbolId>> symbols;
};

/// Calls that merge_logs() looks ahead by default.
inline constexpr std::uint64_t kLookAhead = 64;

/// Walks all calls in step. Where the current calls of all locations may stand in one statement, they become one merged
/// record. Elsewhere, of each current call it is looked how far below its current one another location has such a call,
/// at most `look_ahead` calls; the call that is farthest from its next partner (none: farther than any; ties: the lowest
/// location's) comes first, together with the locations whose current call is such a call too; MPI_Init and MPI_Finalize
/// wait until all are there. Every location's own order is kept. O(look_ahead x locations x longest log), times the
/// number of different current calls.
/// Throws Error{invalid_argument} for look_ahead 0, Error{unsupported} if that product is above 2^37 or the lists of
/// MergedLog::symbols have more than 2^28 entries.
MergedLog merge_logs(const normalize::Normalized& normalized, std::uint64_t look_ahead = kLookAhead);

/// The same form as above from a merged log; `folded` is its folded text. Every location's program is what is left of
/// `folded` without the calls of others. Throws Error{internal} if `folded` does not expand to the log.
/// O(calls + nodes x locations).
skeleton::Skeleton into_spmd(const normalize::Normalized& normalized, const MergedLog& log,
                             const fold::Program& folded);

}  // namespace skelgen::merge
