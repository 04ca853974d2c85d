#pragma once
// predict --than: why a program takes longer on a simulated platform than on another one, or than another program.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/simulated.h"
#include "network/platform_pair.h"
#include "predict/split.h"

namespace skelgen::cli {

/// Values of predict's options --than and --than-program.
struct Than {
  std::string platform;  ///< empty: the one of --platform
  std::string program;   ///< empty: the same
};

/// Throws what is wrong before anything is started: no --platform, a platform that is none.
void require_than(const Than& than, const Simulated& simulated);

struct Platforms {
  WrittenPlatform before, after;
  network::PlatformPair pair;
  std::vector<network::PlatformChange> changes;  ///< for people
};
/// Throws Error{mismatch} where they do not have the same hosts and links.
Platforms platforms_of(const Than& than, const Simulated& simulated);

struct ThanResult {
  predict::Split split;
  std::vector<network::PlatformChange> changes;
};
/// run: launches the program before or after by this line. after: its launch by `line`, with the ranks' times. other_program: whether the
/// two differ. At most seven launches: none for factors in which nothing differs. Platforms are written to `scratch`.
using RunOn = std::function<predict::SkeletonRun(bool after, const std::vector<std::string>& line)>;
ThanResult split_difference(const Platforms& platforms, const std::vector<std::string>& line, bool other_program,
                            const RunOn& run, const predict::SkeletonRun& after, const std::filesystem::path& scratch);

Json json_of(const ThanResult& result, const Than& than);
void print(std::ostream& out, const ThanResult& result, const Than& than);

}  // namespace skelgen::cli
