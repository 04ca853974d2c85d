// The synchronisation graph in Graphviz's language.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/format.h"
#include "threads/analysis.h"

namespace skelgen::threads {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

class Drawing {
 public:
  Drawing(const Run& run, const Analysis& analysis, bool reduced) : run_(run), analysis_(analysis) {
    node_.resize(analysis.vertices.size());
    for (std::uint32_t v = 0; v < node_.size(); ++v) node_[v] = "v" + std::to_string(v);
    if (reduced) reduce();
  }

  std::string text(bool reduced) const {
    std::string out =
        fmt::format("digraph {} {{\n  rankdir=TB;\n  node [shape=box, fontsize=10];\n  edge [fontsize=9];\n",
                    reduced ? "layers" : "threads");
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t) {
      out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", t, quoted(run_.threads[t].name));
      for (std::uint32_t v = 0; v < node_.size(); ++v)
        if (thread_of(v) == t && node_[v][0] == 'v') out += "    " + vertex(v);
      for (const auto& [layer, thread] : layer_nodes_)
        if (thread == t)
          out += fmt::format("    {} [label={}, shape=oval];\n", name(layer, t), quoted(label(layer, t)));
      out += "  }\n";
    }
    std::map<std::pair<std::string, std::string>, ThreadEdge> edges;
    for (const auto& edge : analysis_.edges) {
      if (node_[edge.from] == node_[edge.to] && node_[edge.from][0] != 'v') continue;
      auto& sum = edges.try_emplace({node_[edge.from], node_[edge.to]}, ThreadEdge{edge.from, edge.to}).first->second;
      sum.count += edge.count;
      sum.work += edge.work;
      sum.seconds += edge.seconds;
    }
    for (const auto& [ends, edge] : edges)
      out += fmt::format("  {} -> {} [label={}];\n", ends.first, ends.second,
                         quoted(fmt::format("{} x {:.4g}", edge.count, edge.work / static_cast<double>(edge.count))));
    std::map<std::pair<std::string, std::string>, SignalEdge> signals;
    for (const auto& edge : analysis_.signals) {
      auto& sum =
          signals.try_emplace({node_[edge.producer], node_[edge.consumer]}, SignalEdge{edge.producer, edge.consumer})
              .first->second;
      sum.count += edge.count;
      sum.waited += edge.waited;
      sum.hand_over_s += edge.hand_over_s;
    }
    for (const auto& [ends, edge] : signals)
      out += fmt::format(
          "  {} -> {} [style=dashed, constraint=false{}];\n", ends.first, ends.second,
          edge.waited ? ", label=" + quoted(format_seconds(edge.hand_over_s / static_cast<double>(edge.waited))) : "");
    return out + "}\n";
  }

 private:
  std::uint32_t thread_of(std::uint32_t v) const { return analysis_.loops.all[analysis_.vertices[v].loop].thread; }

  static std::string name(std::size_t layer, std::uint32_t thread) { return fmt::format("layer{}_{}", layer, thread); }

  std::string label(std::size_t layer, std::uint32_t thread) const {
    double seconds = 0;
    std::string loops;
    for (const auto l : analysis_.layers[layer].loops) {
      const auto& loop = analysis_.synchronisation_loops[l];
      if (analysis_.loops.all[loop.loop].thread != thread) continue;
      loops += loop.name + " ";
      seconds += loop.cost.seconds();
    }
    return fmt::format("CL{} (level {}): {}{:.4g}", layer + 1, analysis_.layers[layer].level, loops,
                       seconds * analysis_.units_per_second);
  }

  std::string loop_name(std::uint32_t loop) const {
    for (const auto& one : analysis_.synchronisation_loops)
      if (one.loop == loop) return one.name;
    return analysis_.loops.all[loop].parent == kNoLoop ? "thread" : "loop";
  }

  std::string vertex(std::uint32_t v) const {
    const auto& is = analysis_.vertices[v];
    if (is.kind == Vertex::Kind::loop_start || is.kind == Vertex::Kind::loop_end)
      return fmt::format(
          "v{} [label={}, shape=plaintext];\n", v,
          quoted(fmt::format("{} {}", loop_name(is.loop), is.kind == Vertex::Kind::loop_start ? "begins" : "ends")));
    const char* kind = is.kind == Vertex::Kind::producer ? "SP" : is.kind == Vertex::Kind::consumer ? "SC" : "SP SC";
    const auto text = is_life(is.action)
                          ? std::string(name_of(is.action))
                          : fmt::format("{}: {} {}", kind, name_of(is.action), run_.objects[is.object].name);
    return fmt::format("v{} [label={}];\n", v, quoted(text));
  }

  /// Everything inside the loops of a layer becomes its vertex, one for each thread; of layers in layers the outermost one.
  void reduce() {
    std::map<std::uint32_t, std::size_t> layer_of;  // by loop
    for (std::size_t i = 0; i < analysis_.layers.size(); ++i)
      for (const auto l : analysis_.layers[i].loops) layer_of.try_emplace(analysis_.synchronisation_loops[l].loop, i);
    for (std::uint32_t v = 0; v < node_.size(); ++v)
      for (auto loop = analysis_.vertices[v].loop; loop != kNoLoop; loop = analysis_.loops.all[loop].parent) {
        const auto found = layer_of.find(loop);
        if (found == layer_of.end() || analysis_.loops.all[loop].parent == kNoLoop) continue;
        node_[v] = name(found->second, thread_of(v));
        if (std::ranges::find(layer_nodes_, std::pair(found->second, thread_of(v))) == layer_nodes_.end())
          layer_nodes_.emplace_back(found->second, thread_of(v));
      }
    std::erase_if(layer_nodes_, [&](const auto& one) {
      return std::ranges::find(node_, name(one.first, one.second)) == node_.end();
    });
  }

  const Run& run_;
  const Analysis& analysis_;
  std::vector<std::string> node_;  // by vertex: what stands for it
  std::vector<std::pair<std::size_t, std::uint32_t>> layer_nodes_;
};

}  // namespace

std::string dot(const Run& run, const Analysis& analysis, bool reduced) {
  return Drawing(run, analysis, reduced).text(reduced);
}

}  // namespace skelgen::threads
