#include "work/run.h"

#include <fmt/format.h>

#include <map>

#include "support/error.h"
#include "trace/trace.h"
#include "work/profile.h"

namespace skelgen::work {
namespace {

constexpr const char* kProcess = "process-";

}  // namespace

std::string profile_name(Rank rank) { return fmt::format("rank-{:06}.work", rank); }

bool is_of_profile(const std::string& name) {
  return name == kStop || name.starts_with(kProcess) || (name.starts_with("rank-") && name.ends_with(".work"));
}

void name_profiles(const std::filesystem::path& directory, int ranks) {
  std::map<Rank, std::filesystem::path> of_rank;
  std::vector<std::filesystem::path> others;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto& path = entry.path();
    const auto name = path.filename().string();
    if (!name.starts_with(kProcess)) continue;
    others.push_back(path);
    if (!name.ends_with(".work") && !name.ends_with(".work.partial")) continue;
    const auto rank = read_profile(path, [](auto) {}).rank;
    if (!rank) continue;
    if (!of_rank.emplace(*rank, path).second)
      throw Error(Code::mismatch, fmt::format("rank {} has two profiles", *rank),
                  "profile a program that calls MPI_Init once");
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto found = of_rank.find(rank);
    if (found == of_rank.end())
      throw Error(Code::mismatch, fmt::format("rank {} did not run under Valgrind", rank),
                  "write the program itself behind the launcher, not a script that starts it");
    std::filesystem::rename(found->second, directory / profile_name(rank));
  }
  std::error_code ignored;
  for (const auto& path : others) std::filesystem::remove(path, ignored);
  std::filesystem::remove(directory / kStop, ignored);
}

int whole_profiles(const std::filesystem::path& directory) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto name = entry.path().filename().string();
    count += name.starts_with(kProcess) && name.ends_with(".work");
  }
  return count;
}

Run open_run(const std::filesystem::path& directory) {
  const auto trace = trace::open(directory);
  Run run{normalize::classes(trace, {.numbers = true}), {}};
  for (Rank rank = 0; rank < trace.ranks(); ++rank) run.profiles.push_back(directory / profile_name(rank));
  return run;
}

}  // namespace skelgen::work
