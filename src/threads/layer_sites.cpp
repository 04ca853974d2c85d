#include "threads/layer_sites.h"

#include <fmt/format.h>

#include <algorithm>

namespace skelgen::threads {

void add_layer_sites(const Run& run, const Analysis& analysis, LayerSites& sites) {
  constexpr std::size_t kMostLayers = 255;
  std::vector<std::size_t> layer_of(analysis.loops.all.size());  // by loop, 0: none
  for (std::size_t i = analysis.layers.size(); i-- > 0;)
    for (const auto loop : analysis.layers[i].loops)
      layer_of[analysis.synchronisation_loops[loop].loop] = std::min(i + 1, kMostLayers);
  for (std::uint32_t t = 0; t < run.threads.size(); ++t)
    for (std::uint32_t e = 0; e < run.threads[t].events.size(); ++e) {
      auto loop = analysis.loops.owner[t][e];
      while (loop != kNoLoop && layer_of[loop] == 0) loop = analysis.loops.all[loop].parent;
      if (loop == kNoLoop) continue;
      const auto& site = run.sites[run.threads[t].events[e].site];
      if (site.module.empty()) continue;
      const auto [known, fresh] = sites.try_emplace({site.module, site.offset}, layer_of[loop]);
      known->second = std::min(known->second, layer_of[loop]);
    }
}

std::string text_of(const LayerSites& sites) {
  std::string text;
  for (const auto& [place, layer] : sites) text += fmt::format("{:x} {} {}\n", place.second, layer, place.first);
  return text;
}

}  // namespace skelgen::threads
