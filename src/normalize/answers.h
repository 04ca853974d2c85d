#pragma once
// Answers: sends and receives whose peer is the source of an earlier receive of MPI_ANY_SOURCE. Internal to src/normalize.

#include "normalize/normalize.h"
#include "normalize/tables.h"

namespace skelgen::normalize {

/// The furthest back that an answer may look.
inline constexpr std::int64_t kMostAnswers = 4;

/// True for a blocking call that received or found a message of MPI_ANY_SOURCE: answers count these.
bool takes_any(const mpi::Function& function, std::span<const std::int64_t> values);

/// The symbol of the same statement with the peer replaced by the source of the k-th last call of MPI_ANY_SOURCE.
SymbolId answer(const Normalized& normalized, Tables& tables, SymbolId symbol, std::int64_t k);

/// Where all calls of a kind, at the same place, go to the source of the k-th last call of MPI_ANY_SOURCE, and these
/// are several ranks, they become one statement. O(calls) per location that names MPI_ANY_SOURCE.
void find_answers(Normalized& normalized, Tables& tables);

}  // namespace skelgen::normalize
