#pragma once
// The tables of a report. Internal to src/report.

#include "report/model.h"

namespace skelgen::report {

Json spent(const Report& report);      ///< how the ranks spend their time: in all, and rank by rank
Json functions(const Report& report);  ///< calls, time and bytes
Json structure(const Report& report);  ///< the folded program
Json pairs(const Report& report);      ///< those that exchange or wait most
Json path(const Report& report);       ///< the critical path
Json phases(const Report& report);     ///< efficiencies of each; nothing if there is one only
Json waits(const Report& report);
Json few_ranks(const Report& report);
Json concurrency_over_time(const Report& report);  ///< nothing if there are no windows

}  // namespace skelgen::report
