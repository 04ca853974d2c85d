#include "cli/given.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "predict/skeleton_run.h"
#include "support/error.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

/// Endings of files in skeletons and traces; texts have none of them.
constexpr std::array<const char*, 4> kEndings{".c", ".h", ".json", ".skt"};

}  // namespace

Given given(const std::string& named) {
  std::error_code ignored;
  if (!fs::is_regular_file(named, ignored)) return predict::is_skeleton(named) ? Given::skeleton : Given::trace;
  const auto directory = fs::path(named).parent_path();
  const bool of_skeleton = predict::is_skeleton(directory);
  const bool of_trace = fs::is_regular_file(directory / "meta.json", ignored);
  if ((of_skeleton || of_trace) && std::ranges::find(kEndings, fs::path(named).extension()) != kEndings.end())
    throw Error(Code::io, named, {}, of_skeleton ? "is a file of a skeleton" : "is a file of a trace",
                "give the directory that it is in: " + (directory.empty() ? "." : directory.string()));
  return Given::text;
}

}  // namespace skelgen::cli
