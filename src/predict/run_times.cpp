#include "predict/run_times.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "support/error.h"

namespace skelgen::predict {
namespace {

double seconds(std::uint64_t from_ns, std::uint64_t to_ns) {
  return to_ns >= from_ns ? static_cast<double>(to_ns - from_ns) * 1e-9 : 0;
}

RankTimes read(const std::filesystem::path& path) {
  try {
    std::ifstream in(path);
    const auto json = nlohmann::json::parse(in);
    RankTimes times;
    times.rank = json.at("rank").get<int>();
    times.ranks = json.at("ranks").get<int>();
    times.host = json.at("host").get<std::string>();
    times.simulated = json.value("clock", "") == "simulated";
    times.init_entry_ns = json.at("init_entry_ns").get<std::uint64_t>();
    times.init_exit_ns = json.at("init_exit_ns").get<std::uint64_t>();
    times.finalize_entry_ns = json.at("finalize_entry_ns").get<std::uint64_t>();
    times.finalize_exit_ns = json.at("finalize_exit_ns").get<std::uint64_t>();
    return times;
  } catch (const nlohmann::json::exception&) {
    throw Error(Code::corrupt, path.string(), {}, "is not a complete record of a rank's times", "run again");
  }
}

}  // namespace

std::vector<RankTimes> read_rank_times(const std::filesystem::path& directory) {
  std::vector<RankTimes> all;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("time-") && name.ends_with(".json")) all.push_back(read(entry.path()));
  }
  std::sort(all.begin(), all.end(), [](const RankTimes& a, const RankTimes& b) { return a.rank < b.rank; });
  return all;
}

RunTimes run_times(const std::vector<RankTimes>& times, std::uint64_t spawned_ns, const std::string& this_host) {
  const int ranks = times.front().ranks;
  if (static_cast<int>(times.size()) != ranks)
    throw Error(Code::mismatch,
                std::to_string(times.size()) + " of " + std::to_string(ranks) + " ranks reached MPI_Finalize",
                "see why the others did not; without them there is no run time");
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> hosts;  // first entry, last exit
  RunTimes run;
  for (const auto& rank : times) {
    auto& [first, last] =
        hosts.try_emplace(rank.simulated ? "" : rank.host, rank.init_entry_ns, rank.finalize_exit_ns).first->second;
    first = std::min(first, rank.init_entry_ns);
    last = std::max(last, rank.finalize_exit_ns);
    run.init_s = std::max(run.init_s, seconds(rank.init_entry_ns, rank.init_exit_ns));
    run.finalize_s = std::max(run.finalize_s, seconds(rank.finalize_entry_ns, rank.finalize_exit_ns));
  }
  for (const auto& [host, span] : hosts) {
    run.wall_s = std::max(run.wall_s, seconds(span.first, span.second));
    if (host == this_host) run.launch_s = seconds(spawned_ns, span.first);
  }
  return run;
}

}  // namespace skelgen::predict
