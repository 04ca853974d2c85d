// The synchronisation graph as a picture: in Graphviz's language, and as SVG.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <kainjow/mustache.hpp>
#include <map>
#include <set>
#include <tuple>

#include "support/format.h"
#include "support/printable.h"
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
  /// A vertex, or the layer that stands for several.
  struct Node {
    enum class Shape { call, border, layer } shape;
    std::string id, label;
    std::uint32_t thread;
  };
  struct Edge {
    std::string from, to;
    std::uint64_t count = 0, waited = 0;
    double work = 0, seconds = 0;  ///< all of them; of a signal the hand-over of those that waited
  };

  Drawing(const Run& run, const Analysis& analysis, bool reduced) : run_(run), analysis_(analysis) {
    node_.resize(analysis.vertices.size());
    for (std::uint32_t v = 0; v < node_.size(); ++v) node_[v] = "v" + std::to_string(v);
    if (reduced) reduce();
    add_nodes();
    add_edges();
  }

  std::vector<Node> nodes;  ///< by thread, each in the order in which it comes to them
  std::vector<Edge> edges, signals;

 private:
  std::uint32_t thread_of(std::uint32_t v) const { return analysis_.loops.all[analysis_.vertices[v].loop].thread; }

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

  Node node(std::uint32_t v) const {
    if (const auto found = layer_of_.find(v); found != layer_of_.end())
      return {Node::Shape::layer, node_[v], label(found->second, thread_of(v)), thread_of(v)};
    const auto& is = analysis_.vertices[v];
    if (is.kind == Vertex::Kind::loop_start || is.kind == Vertex::Kind::loop_end)
      return {Node::Shape::border, node_[v],
              loop_name(is.loop) + (is.kind == Vertex::Kind::loop_start ? " begins" : " ends"), thread_of(v)};
    const char* kind = is.kind == Vertex::Kind::producer ? "SP" : is.kind == Vertex::Kind::consumer ? "SC" : "SP SC";
    return {Node::Shape::call, node_[v],
            is_life(is.action) ? std::string(name_of(is.action))
                               : fmt::format("{}: {} {}", kind, name_of(is.action), run_.objects[is.object].name),
            thread_of(v)};
  }

  void add_nodes() {
    std::set<std::string> known;
    for (std::uint32_t v = 0; v < node_.size(); ++v)
      if (known.insert(node_[v]).second) nodes.push_back(node(v));
    std::ranges::stable_sort(nodes, {}, &Node::thread);
  }

  void add_edges() {
    std::map<std::pair<std::string, std::string>, Edge> own, between;
    for (const auto& edge : analysis_.edges) {
      if (node_[edge.from] == node_[edge.to] && layer_of_.contains(edge.from)) continue;
      auto& sum = own[{node_[edge.from], node_[edge.to]}];
      sum.count += edge.count;
      sum.work += edge.work;
      sum.seconds += edge.seconds;
    }
    for (const auto& edge : analysis_.signals) {
      auto& sum = between[{node_[edge.producer], node_[edge.consumer]}];
      sum.count += edge.count;
      sum.waited += edge.waited;
      sum.seconds += edge.hand_over_s;
    }
    const auto list = [](auto& all, std::vector<Edge>& to) {
      for (auto& [ends, edge] : all) {
        std::tie(edge.from, edge.to) = ends;
        to.push_back(std::move(edge));
      }
    };
    list(own, edges);
    list(between, signals);
  }

  /// Everything inside the loops of a layer becomes its vertex, one for each thread; of layers in layers the outermost one.
  void reduce() {
    std::map<std::uint32_t, std::size_t> layer_of_loop;
    for (std::size_t i = 0; i < analysis_.layers.size(); ++i)
      for (const auto l : analysis_.layers[i].loops)
        layer_of_loop.try_emplace(analysis_.synchronisation_loops[l].loop, i);
    for (std::uint32_t v = 0; v < node_.size(); ++v)
      for (auto loop = analysis_.vertices[v].loop; loop != kNoLoop; loop = analysis_.loops.all[loop].parent) {
        const auto found = layer_of_loop.find(loop);
        if (found == layer_of_loop.end() || analysis_.loops.all[loop].parent == kNoLoop) continue;
        layer_of_[v] = found->second;
        node_[v] = fmt::format("layer{}_{}", found->second, thread_of(v));
      }
  }

  const Run& run_;
  const Analysis& analysis_;
  std::vector<std::string> node_;                  // by vertex: what stands for it
  std::map<std::uint32_t, std::size_t> layer_of_;  // by vertex: the layer that stands for it
};

std::string xml(const std::string& text) { return kainjow::mustache::html_escape(printable(text)); }

/// Where the nodes of a picture are, in pixels: a column for each thread.
constexpr double kColumn = 300, kRow = 54, kWidth = 210, kHeight = 30, kTop = 46, kLeft = 60;
struct Position {
  std::size_t column, row;
  double x() const { return kLeft + kColumn * static_cast<double>(column); }
  double y() const { return kTop + kRow * static_cast<double>(row); }
};

}  // namespace

std::string dot(const Run& run, const Analysis& analysis, bool reduced) {
  const Drawing drawing(run, analysis, reduced);
  std::string out =
      fmt::format("digraph {} {{\n  rankdir=TB;\n  node [shape=box, fontsize=10];\n  edge [fontsize=9];\n",
                  reduced ? "layers" : "threads");
  for (std::uint32_t t = 0; t < run.threads.size(); ++t) {
    out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", t, quoted(run.threads[t].name));
    for (const auto& node : drawing.nodes)
      if (node.thread == t)
        out += fmt::format("    {} [label={}{}];\n", node.id, quoted(node.label),
                           node.shape == Drawing::Node::Shape::call     ? ""
                           : node.shape == Drawing::Node::Shape::border ? ", shape=plaintext"
                                                                        : ", shape=oval");
    out += "  }\n";
  }
  for (const auto& edge : drawing.edges)
    out += fmt::format("  {} -> {} [label={}];\n", edge.from, edge.to,
                       quoted(fmt::format("{} x {:.4g}", edge.count, edge.work / static_cast<double>(edge.count))));
  for (const auto& edge : drawing.signals)
    out += fmt::format(
        "  {} -> {} [style=dashed, constraint=false{}];\n", edge.from, edge.to,
        edge.waited ? ", label=" + quoted(format_seconds(edge.seconds / static_cast<double>(edge.waited))) : "");
  return out + "}\n";
}

std::string svg(const Run& run, const Analysis& analysis, bool reduced) {
  const Drawing drawing(run, analysis, reduced);
  if (drawing.nodes.size() > kMostDrawn) return {};
  std::map<std::string, Position> places;
  std::size_t columns = 0, rows = 0;
  std::string names, boxes;
  for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
    const auto& node = drawing.nodes[i];
    const bool first = i == 0 || drawing.nodes[i - 1].thread != node.thread;
    if (first)
      names +=
          fmt::format("<text class=\"thread\" x=\"{:.0f}\" y=\"22\">{}</text>\n",
                      kLeft + kColumn * static_cast<double>(columns) + kWidth / 2, xml(run.threads[node.thread].name));
    const Position place{first ? columns++ : columns - 1, first ? 0 : places.at(drawing.nodes[i - 1].id).row + 1};
    rows = std::max(rows, place.row + 1);
    places[node.id] = place;
    boxes += fmt::format("<rect class=\"{}\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"{}\"/>",
                         node.shape == Drawing::Node::Shape::call     ? "call"
                         : node.shape == Drawing::Node::Shape::border ? "border"
                                                                      : "layer",
                         place.x(), place.y(), kWidth, kHeight, node.shape == Drawing::Node::Shape::layer ? 15 : 4);
    boxes += fmt::format("<text class=\"node\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", place.x() + kWidth / 2,
                         place.y() + kHeight / 2 + 4, xml(node.label));
  }
  std::string lines;
  const std::string name = reduced ? "arrow-layers" : "arrow-threads", arrow = " marker-end=\"url(#" + name + ")\"";
  const auto times = [](std::uint64_t count) { return format_count(count) + (count == 1 ? " time" : " times"); };
  for (const auto& edge : drawing.edges) {
    const Position from = places.at(edge.from), to = places.at(edge.to);
    const double x = from.x() + kWidth / 2;
    const auto mean = format_seconds(edge.seconds / static_cast<double>(edge.count));
    if (to.row == from.row + 1) {
      lines += fmt::format("<path class=\"edge\"{} d=\"M{:.0f} {:.0f}V{:.0f}\"><title>{}, {} each</title></path>",
                           arrow, x, from.y() + kHeight, to.y() - 3, times(edge.count), mean);
      if (edge.seconds > 0)
        lines += fmt::format("<text class=\"cost\" x=\"{:.0f}\" y=\"{:.0f}\">{} x {}</text>\n", x + 6,
                             from.y() + kHeight + 16, format_count(edge.count), mean);
    } else {
      const double out =
          from.x() - std::min(50.0, 12 + 6 * std::abs(static_cast<double>(to.row) - static_cast<double>(from.row)));
      lines += fmt::format(
          "<path class=\"edge\"{7} d=\"M{0:.0f} {1:.0f}C{2:.0f} {1:.0f} {2:.0f} {3:.0f} {4:.0f} {3:.0f}\"><title>{5}, "
          "{6} each</title></path>\n",
          from.x(), from.y() + kHeight / 2 + 5, out, to.y() + kHeight / 2 - 5, to.x() - 3, times(edge.count), mean,
          arrow);
    }
  }
  for (const auto& edge : drawing.signals) {
    const Position from = places.at(edge.from), to = places.at(edge.to);
    const bool right = to.column > from.column;
    const auto waits = edge.waited ? fmt::format(", waited for {}; {} from then until it goes on", times(edge.waited),
                                                 format_seconds(edge.seconds / static_cast<double>(edge.waited)))
                                   : ", never waited for";
    lines += fmt::format("<path class=\"{}\"{} d=\"M{:.0f} {:.0f}L{:.0f} {:.0f}\"><title>{}{}</title></path>\n",
                         edge.waited ? "signal waited" : "signal", arrow, from.x() + (right ? kWidth : 0),
                         from.y() + kHeight / 2, to.x() + (right ? -3 : kWidth + 3), to.y() + kHeight / 2,
                         times(edge.count), waits);
  }
  const double width = kLeft + kColumn * static_cast<double>(columns), height = kTop + kRow * static_cast<double>(rows);
  return fmt::format(
             "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" role=\"img\" aria-label=\"{3}\">\n"
             "<defs><marker id=\"{2}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
             "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
             width, height, name,
             reduced ? "Synchronisation graph, each layer one vertex" : "Synchronisation graph of the threads") +
         lines + boxes + names + "</svg>\n";
}

}  // namespace skelgen::threads
