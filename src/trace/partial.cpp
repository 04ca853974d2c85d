#include "trace/partial.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/error.h"

namespace skelgen::trace {

void refuse_partial(const std::filesystem::path& directory) {
  std::error_code ignored;
  std::vector<std::filesystem::path> runs;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
    if (entry.path().filename().string().starts_with("run-") && entry.is_directory(ignored)) runs.push_back(entry);
  if (runs.empty()) return;
  std::ranges::sort(runs);
  throw Error(Code::io, directory.string(), {},
              "skelgen trace writes there, or was ended before the trace had its name",
              "what was recorded is in " + runs.front().string());
}

}  // namespace skelgen::trace
