#include "threads/groups.h"

#include <map>
#include <tuple>

#include "threads/match.h"

namespace skelgen::threads {

std::vector<std::vector<std::uint32_t>> groups(const Run& run) {
  std::vector<std::uint32_t> created_at(run.threads.size(), kNoSite), first_call(run.threads.size(), kNoSite);
  for (std::uint32_t t = 0; t < run.threads.size(); ++t)
    for (const auto& event : run.threads[t].events) {
      if (event.action == Action::create && event.partner < created_at.size()) created_at[event.partner] = event.site;
      if (!is_life(event.action) && first_call[t] == kNoSite) first_call[t] = event.site;
    }
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::size_t> known;
  std::vector<std::vector<std::uint32_t>> result;
  for (std::uint32_t t = 0; t < run.threads.size(); ++t) {
    if (created_at[t] == kNoSite) {  // nothing is known of its function
      result.push_back({t});
      continue;
    }
    const auto [found, fresh] = known.try_emplace({created_at[t], first_call[t]}, result.size());
    if (fresh) result.emplace_back();
    result[found->second].push_back(t);
  }
  return result;
}

}  // namespace skelgen::threads
