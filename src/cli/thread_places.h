#pragma once
// Source lines of the program where threads wait, as `skelgen threads` prints them.

#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "threads/analysis.h"

namespace skelgen::cli {

struct ThreadPlace {
  std::string text;  ///< "pool.cpp:24", "std::latch::wait in pool", "app+0x1403"
  bool own = true;   ///< of the program, not of the system's libraries and headers
};

/// Of the sites of these objects, by index into Run::sites. Of code that was inlined the first place outside of the system's
/// headers counts. Where a module has no debug information, or is not what was traced any more, module and offset.
std::map<std::uint32_t, ThreadPlace> thread_places(const Context& context, const threads::Run& run,
                                                   const std::vector<threads::Awaited>& objects);

/// Of a call and where its function was called (threads::kNoSite: not known): what of both is the program's.
std::string text_of(const std::map<std::uint32_t, ThreadPlace>& places,
                    const std::pair<std::uint32_t, std::uint32_t>& sites);

}  // namespace skelgen::cli
