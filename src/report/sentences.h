#pragma once
// Sentences that say what a report's numbers mean. Internal to src/report.

#include <span>
#include <string>

#include "report/report.h"

namespace skelgen::report {

/// "1 rank", "4 ranks".
std::string of_ranks(std::uint64_t ranks);

/// "heat ran on 2 ranks for 3.723 s."
std::string what_ran(const Report& report);
/// How much of the ranks' time was computation, and what took the rest.
std::string how_well(const Report& report);
/// "for Open MPI 4.1.4 (traced with MPICH), on B (traced on A)": where MPI or processor of the prediction is not the traced
/// one; empty: neither, or not known.
std::string elsewhere(const predict::Prediction& prediction);
/// At which number of ranks efficiency falls below 80 %, if it does, and which phase's time grows most. Requires
/// predictions not empty.
std::string how_it_scales(std::span<const predict::AtRanks> predictions);
/// "good", "fair", "poor", or "unknown".
std::string grade(const metrics::Measure& efficiency);
/// Whether the advice is to move work from the ranks of a finding to others, which might compute it as far as is known.
bool can_move(const metrics::Finding& finding);
/// What can be done about it. notes: of the run: what must be done before that.
std::string advice(const metrics::Finding& finding, const std::vector<metrics::Note>& notes = {});
/// "Where rank 3 computes longer than all others, most of its difference to the mean is before MPI_Send in loop 1 (main.c:5 to main.c:7)": of a
/// finding about what one rank computes; empty: it is about something else, or no stretch of the program has most of it.
std::string where_it_computes(const metrics::Finding& finding, const Structure& structure);
/// "Late sender: rank 3".
std::string title(const metrics::Finding& finding);
/// "ranks" or "threads".
const char* unit_of(const Rows& rows);
/// "waiting for messages"
const char* name_of(Spending what);

}  // namespace skelgen::report
