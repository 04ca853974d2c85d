#include "network/message_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <ranges>
#include <vector>

#include "support/error.h"
#include "support/read.h"

namespace skelgen::network {
namespace {

/// templates/netbench/netbench.c: SETTLE_S, the least time that a late receiver is late.
constexpr double kLate_s = 200e-6;

/// No way takes less of the ping-pong's time per byte.
constexpr double kLeast = 1e-6;

double on_line(double x, double x1, double y1, double x2, double y2) {
  return x1 == x2 ? y1 : y1 + (y2 - y1) * (x - x1) / (x2 - x1);
}

double at_length(const std::map<double, double>& lengths, double bytes) {
  const auto above = lengths.lower_bound(bytes);
  if (above == lengths.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == lengths.end()) return below->second * std::max(1.0, bytes / below->first);
  return on_line(bytes, below->first, below->second, above->first, above->second);
}

/// Of each time, the share that is the start-up time of its range of lengths, times `latency`, and the rest by `bandwidth`.
void change(std::map<double, double>& lengths, double latency, double bandwidth) {
  std::vector<Sample> samples;
  for (const auto& [bytes, seconds] : lengths) samples.push_back({bytes, seconds});
  const auto lines = samples.size() < 2 ? std::vector<Line>{{.to = HUGE_VAL, .t0_s = 1}} : fit(samples).lines;
  for (auto& [bytes, seconds] : lengths) {
    const auto is = std::ranges::find_if(lines, [&](const Line& line) { return bytes <= line.to; });
    const auto& line = is == lines.end() ? lines.back() : *is;
    const double start = std::max(0.0, line.t0_s), rest = bytes * line.s_per_byte;
    if (start + rest > 0) seconds *= (latency * start + rest / bandwidth) / (start + rest);
  }
}

}  // namespace

Points read_net(const std::filesystem::path& file) {
  const auto text = read_file(file, "give a file that skelgen netbench -o wrote");
  try {
    const auto json = nlohmann::ordered_json::parse(text);
    if (json.at("schema") != "skelgen.netbench/1") throw std::invalid_argument("schema");
    Points points;
    points.ranks = json.at("ranks");
    points.mpi = json.at("mpi");
    for (const auto& point : json.at("points")) points.points.push_back(point_of(point));
    points.all = listed(points);
    return points;
  } catch (const std::exception&) {
    throw Error(Code::corrupt, file.string(), {}, "was not written by skelgen netbench",
                "make it with: skelgen netbench -o " + file.string() + " -- LAUNCHER");
  }
}

MessageTimes::MessageTimes(const Points& points) {
  std::vector<Sample> samples;
  for (const auto& point : points.points) {
    if (point.pattern != "pair")
      patterns_[point.pattern == "leap" ? "pingpong" : point.pattern][point.ranks][static_cast<double>(point.bytes)] =
          point.seconds;
    if (point.pattern == "pingpong") samples.push_back({static_cast<double>(point.bytes), point.seconds});
  }
  std::ranges::sort(samples, {}, &Sample::bytes);
  if (samples.empty() || samples.front().bytes == samples.back().bytes)
    throw Error(Code::mismatch, "no ping-pong of two message lengths was measured on this network",
                "measure it again: skelgen netbench");
  pingpong_ = fit(samples);
  distances_ = Distances(points);
  for (const auto& way : distances_.ways()) {
    by_way_.push_back(patterns_.at("pingpong").at(2));
    change(by_way_.back(), way.latency, 1 / std::max(way.per_byte, kLeast));
  }
  if (distances_.shared()) measure_link();
  // From the longest length down: a single time that was disturbed makes no shorter message wait.
  waits_from_ = std::numeric_limits<double>::infinity();
  for (const auto& [bytes, seconds] : std::views::reverse(curve("late send").begin()->second)) {
    if (seconds <= kLate_s / 2 + message(bytes)) break;
    waits_from_ = bytes;
  }
}

const std::map<int, MessageTimes::Lengths>& MessageTimes::curve(const std::string& pattern) const {
  const auto found = patterns_.find(pattern);
  if (found == patterns_.end())
    throw Error(Code::mismatch, "no " + pattern + " was measured on this network",
                "measure it again: skelgen netbench");
  return found->second;
}

MessageTimes MessageTimes::changed(double latency, double bandwidth) const {
  auto times = *this;
  for (auto& [pattern, by_ranks] : times.patterns_) {
    if (pattern == "send overhead" || pattern == "late send") continue;
    for (auto& [ranks, lengths] : by_ranks) change(lengths, latency, bandwidth);
  }
  for (auto& lengths : times.by_way_) change(lengths, latency, bandwidth);
  change(times.before_link_, latency, bandwidth);
  for (auto& line : times.pingpong_.lines) line.s_per_byte /= bandwidth;
  return times;
}

double MessageTimes::message(double bytes, std::size_t way) const { return at_length(by_way_[way], bytes); }

double MessageTimes::late_receive(double bytes, std::size_t way) const {
  const double late = late_receive(bytes), usual = message(bytes);
  return late < usual / 2 ? late : late * message(bytes, way) / usual;
}

double MessageTimes::occupies(double bytes) const {
  const auto& lines = pingpong_.lines;
  const auto is = std::ranges::find_if(lines, [&](const Line& line) { return bytes <= line.to; });
  return bytes * (is == lines.end() ? lines.back() : *is).s_per_byte;
}

double MessageTimes::occupies(double bytes, std::size_t way) const {
  const auto& ways = distances_.ways();
  if (before_link_.empty()) return occupies(bytes) * ways[way].per_byte;
  const double share = ways[way].latency / ways[distances_.together().way].latency;
  return std::max(0.0, message(bytes, way) - share * at_length(before_link_, bytes));
}

void MessageTimes::measure_link() {
  const auto ranks = static_cast<int>(distances_.ranks());
  const auto& together = distances_.together();
  const auto of = [&](const char* pattern, int among) -> const Lengths* {
    const auto found = patterns_.find(pattern);
    return found != patterns_.end() && found->second.contains(among) ? &found->second.at(among) : nullptr;
  };
  const auto last = distances_.way(0, ranks - 1);
  const Lengths* const exchange = distances_.group(0) == distances_.group(ranks - 1) ? nullptr : of("ring", 2);
  const Lengths* const all = of(together.pattern, ranks);
  if (all && together.messages > 1)
    for (const auto& [bytes, seconds] : *all) {
      const double one = message(bytes, together.way);
      const double back = together.back > 0 && exchange ? at_length(*exchange, bytes) - message(bytes, last) : 0;
      const double link = (seconds - one - together.back * std::max(0.0, back)) / (together.messages - 1);
      before_link_[bytes] = std::clamp(one - link, 0.0, one);
    }
  if (!exchange) return;
  const auto& [bytes, both] = *exchange->rbegin();
  const double link = occupies(bytes, last);
  if (link > 0) reverse_ = std::clamp((both - message(bytes, last)) / link, 0.0, 1.0);
}

double MessageTimes::at(const std::string& pattern, int ranks, double bytes) const {
  if (ranks < 2) return 0;
  const auto& by_ranks = curve(pattern);
  auto above = by_ranks.lower_bound(ranks);
  if (above != by_ranks.end() && (above->first == ranks || above == by_ranks.begin()))
    return at_length(above->second, bytes);
  if (above == by_ranks.end()) --above;
  if (above == by_ranks.begin()) return at_length(above->second, bytes);
  const auto below = std::prev(above);
  return std::max(0.0, on_line(std::log2(ranks), std::log2(below->first), at_length(below->second, bytes),
                               std::log2(above->first), at_length(above->second, bytes)));
}

}  // namespace skelgen::network
