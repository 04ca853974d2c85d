#include "threads/layers.h"

#include <algorithm>
#include <numeric>

namespace skelgen::threads {
namespace {

/// Maximal cliques by Bron and Kerbosch, with Tomita's choice of the pivot.
class Cliques {
 public:
  Cliques(const Relations& relations, std::vector<Layer>& found) : relations_(relations), found_(found) {}

  /// Adds to the result all maximal cliques that contain `chosen` and otherwise only members of `candidates`, none of `excluded`.
  /// Each candidate and each excluded loop must be adjacent to all of `chosen`.
  void find(Layer& chosen, Layer candidates, Layer excluded) {
    if (candidates.empty()) {
      if (excluded.empty()) found_.push_back(chosen);
      return;
    }
    std::size_t pivot = candidates[0], most = 0;
    for (const auto* all : {&candidates, &excluded})
      for (const auto loop : *all)
        if (const auto adjacent = adjacent_of(candidates, loop).size(); adjacent > most) pivot = loop, most = adjacent;
    for (const auto loop : Layer(candidates)) {
      if (loop != pivot && adjacent(pivot, loop)) continue;
      chosen.push_back(loop);
      find(chosen, adjacent_of(candidates, loop), adjacent_of(excluded, loop));
      chosen.pop_back();
      std::erase(candidates, loop);
      excluded.push_back(loop);
    }
  }

 private:
  bool adjacent(std::size_t i, std::size_t j) const { return relations_.tied[i][j] && relations_.concurrent[i][j]; }
  Layer adjacent_of(const Layer& all, std::size_t loop) const {
    Layer some;
    for (const auto other : all)
      if (other != loop && adjacent(other, loop)) some.push_back(other);
    return some;
  }

  const Relations& relations_;
  std::vector<Layer>& found_;
};

bool nests_any(const Relations& relations, std::size_t loop, std::span<const std::size_t> left) {
  return std::ranges::any_of(left, [&](std::size_t other) { return relations.nests[loop][other]; });
}

}  // namespace

std::vector<Layer> identify_layers(const Relations& relations, std::span<const std::size_t> of) {
  std::vector<Layer> layers;
  if (of.empty()) return layers;
  Layer chosen;
  Cliques(relations, layers).find(chosen, Layer(of.begin(), of.end()), {});
  for (auto& layer : layers) std::ranges::sort(layer);
  std::ranges::sort(layers);
  return layers;
}

std::vector<std::vector<Layer>> locate_layers(const Relations& relations) {
  std::vector<std::vector<Layer>> levels;
  Layer left(relations.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  while (!left.empty()) {
    const auto nests = [&](std::size_t loop) { return nests_any(relations, loop, left); };
    auto level = identify_layers(relations, left);
    std::erase_if(level, [&](const Layer& layer) { return std::ranges::any_of(layer, nests); });
    if (level.empty()) {
      auto innermost = left;
      std::erase_if(innermost, nests);
      level = identify_layers(relations, innermost);
    }
    std::erase_if(left, [&](std::size_t loop) {
      return std::ranges::any_of(level, [&](const Layer& layer) { return std::ranges::binary_search(layer, loop); });
    });
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace skelgen::threads
