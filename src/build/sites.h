#pragma once
// Source lines of a skeleton's statements in the traced program (trace --sites, build --annotate).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/emit.h"
#include "launch/launch.h"
#include "metrics/metrics.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"
#include "trace/trace.h"

namespace skelgen::build {

using Site = metrics::CallSite;

/// The build id of an ELF file in hexadecimal digits, empty if it has none or is no such file.
std::string build_id_of(const std::filesystem::path& file);

/// The place that an address of a rank is in its program; of an unknown one nothing.
Site site_of(const trace::Trace& trace, Rank rank, std::uint64_t address);

/// "solver.c:120" by site, by the debug information in the modules; those that it knows nothing of are missing. Calls `note`
/// for modules that are not what was traced, or tell nothing. Throws Error{launch} if there is no addr2line.
std::map<Site, std::string> lines_of(const launch::Launcher& launcher, const std::set<Site>& sites,
                                     const std::function<void(const std::string&)>& note);

/// Looks up the source lines of findings that have a site, and puts them into their texts. Does nothing without addr2line.
void add_lines(const launch::Launcher& launcher, std::vector<metrics::Finding>& findings,
               const std::function<void(const std::string&)>& note);

/// The different sites of each statement, in the order of their first calls, locations one after the other.
using Sites = std::map<const skeleton::Call*, std::vector<Site>>;

/// normalized: with sites; the skeleton expands to its calls. Throws Error{unsupported} if the trace has none. O(calls).
Sites sites_of(const trace::Trace& trace, const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton);

/// "solver.f90:120, main.c:7 and 3 more" by the debug information in the modules. Calls `note` for modules that are not
/// what was traced, or tell nothing. Throws Error{launch} if there is no addr2line.
emit::Annotations annotations(const launch::Launcher& launcher, const Sites& sites,
                              const std::function<void(const std::string&)>& note);

/// "skeleton.c:120": where call number `call` of the location was made, by the debug information of its module. Empty if
/// the trace, or the module, does not say.
std::string line_of(const launch::Launcher& launcher, const trace::Trace& trace,
                    const normalize::LocationCalls& location, std::size_t call);

}  // namespace skelgen::build
