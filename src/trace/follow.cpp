#include "trace/follow.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "trace/growing.h"
#include "trace/impl.h"

namespace skelgen::trace {
namespace {

/// Bytes of all ranks' files that may wait to be read, but for each rank at least a few chunks.
constexpr std::uint64_t kMostWaiting = 256 << 20, kLeastWaiting = 4 << 20;

/// Each rank has looked at its clock twice in MPI_Init, and not yet at the end of the run. What all ranks of a host have
/// seen of the clock that they share says better how fast it runs, and the same to all of them.
void share_clocks(std::vector<RankFile>& files) {
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  std::map<std::string, std::pair<Pair, Pair>> hosts;
  const auto host = [](const RankFile& file) {
    return file.head.at("host").dump() + file.head.at("boot_id").dump() + file.head.at("clock").at("kind").dump();
  };
  for (const RankFile& file : files)
    for (const Pair& pair : file.head.at("clock").at("pairs").get<std::vector<Pair>>()) {
      auto& [first, last] = hosts.try_emplace(host(file), pair, pair).first->second;
      first = std::min(first, pair);
      last = std::max(last, pair);
    }
  for (RankFile& file : files) {
    const auto found = hosts.find(host(file));
    if (found == hosts.end()) continue;  // nobody looked at that clock
    const auto& [first, last] = found->second;
    file.head["clock"]["pairs"] = {first, last};
  }
}

}  // namespace

Followed::Followed(const std::filesystem::path& directory, const std::atomic<bool>& over, bool give_back) {
  std::error_code ignored;
  while (!std::filesystem::exists(directory / "meta.json", ignored) && !over)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  auto impl = read_meta(directory);
  pace_ = std::make_unique<Pace>(over, std::max(kMostWaiting / static_cast<std::uint64_t>(impl->ranks), kLeastWaiting));
  std::vector<RankFile> files;
  std::vector<Rank> there;
  for (Rank rank = 0; rank < impl->ranks; ++rank) {
    const auto path = directory / rank_file_name(rank);
    auto growing = std::make_shared<Growing>(path, *pace_, give_back);
    if (!growing->begin()) continue;
    there.push_back(rank);
    files_.push_back(growing);
    files.push_back(growing->description());
    files.back().growing = growing;
  }
  require_ranks(*impl, there);
  try {
    share_clocks(files);
  } catch (const nlohmann::json::exception&) {  // what is wrong with a HEAD is said below
  }
  trace_ = std::make_unique<Trace>(assemble(std::move(impl), std::move(files)));
}

Followed::~Followed() = default;

Trace Followed::ended() const {
  std::vector<RankFile> files;
  for (const auto& file : files_) files.push_back(file->description());
  return assemble(read_meta(trace_->directory()), std::move(files));
}

bool Followed::gave_back() const {
  return std::ranges::any_of(files_, [](const auto& file) { return file->gave_back(); });
}

}  // namespace skelgen::trace
