#include "network/platform_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "support/error.h"

namespace skelgen::network {
namespace {

struct Attribute {
  std::string name, value;
  std::size_t place = 0;  ///< of the value in the text
};
struct Element {
  std::string tag;  ///< of an end tag with '/' before it
  std::vector<Attribute> attributes;
  /// "link up0", "zoneRoute s0 s1".
  std::string name() const {
    std::string text = tag;
    for (const char* key : {"id", "src", "dst"})
      for (const auto& attribute : attributes)
        if (attribute.name == key) text += ' ' + attribute.value;
    return text;
  }
};

constexpr std::string_view kBlanks = " \t\r\n";

/// Tags of a text that SimGrid takes; of another text what can be read.
std::vector<Element> elements(const std::string& xml) {
  std::vector<Element> all;
  const auto behind = [&](std::string_view end, std::size_t from) {
    const auto found = xml.find(end, from);
    return found == std::string::npos ? xml.size() : found + end.size();
  };
  for (std::size_t at = xml.find('<'); at != std::string::npos && at + 1 < xml.size(); at = xml.find('<', at)) {
    if (xml.compare(at, 4, "<!--") == 0) {
      at = behind("-->", at);
      continue;
    }
    if (xml[at + 1] == '?' || xml[at + 1] == '!') {
      at = behind(">", at);
      continue;
    }
    const auto name_end = std::min(xml.find_first_of(" \t\r\n/>", at + 2), xml.size());
    Element element{xml.substr(at + 1, name_end - at - 1), {}};
    at = name_end;
    for (;;) {
      at = xml.find_first_not_of(kBlanks, at);
      if (at == std::string::npos || xml[at] == '>' || xml[at] == '/') break;
      const auto equals = xml.find('=', at), open = xml.find_first_of("'\"", equals);
      if (open == std::string::npos) break;
      const auto close = xml.find(xml[open], open + 1);
      if (close == std::string::npos) break;
      auto name = xml.substr(at, equals - at);
      name.erase(name.find_last_not_of(kBlanks) + 1);
      element.attributes.push_back({std::move(name), xml.substr(open + 1, close - open - 1), open + 1});
      at = close + 1;
    }
    std::ranges::sort(element.attributes, {}, &Attribute::name);
    all.push_back(std::move(element));
    if (at == std::string::npos) break;
  }
  return all;
}

/// What an attribute of SimGrid's platform files decides; 0: the rest.
Factors factor_of(std::string_view attribute) {
  struct Known {
    std::string_view name;
    Factors factor;
  };
  static constexpr std::array<Known, 18> kKnown{{{"speed", kComputation},
                                                 {"core", kComputation},
                                                 {"pstate", kComputation},
                                                 {"speed_file", kComputation},
                                                 {"availability_file", kComputation},
                                                 {"lat", kLatency},
                                                 {"latency", kLatency},
                                                 {"bb_lat", kLatency},
                                                 {"loopback_lat", kLatency},
                                                 {"latency_file", kLatency},
                                                 {"bw", kBandwidth},
                                                 {"bandwidth", kBandwidth},
                                                 {"bb_bw", kBandwidth},
                                                 {"loopback_bw", kBandwidth},
                                                 {"bw_in", kBandwidth},
                                                 {"bw_out", kBandwidth},
                                                 {"limiter_link", kBandwidth},
                                                 {"bandwidth_file", kBandwidth}}};
  const auto found = std::ranges::find(kKnown, attribute, &Known::name);
  return found == kKnown.end() ? Factors{0} : found->factor;
}

Error other_structure(const std::string& what) {
  return Error(Code::mismatch, "the platforms differ in more than speeds, latencies and bandwidths: " + what,
               "give platforms with the same hosts and links, or texts (homo:..., hetero:...)");
}

}  // namespace

PlatformPair::PlatformPair(const std::string& before, std::string after) : after_(std::move(after)) {
  const auto olds = elements(before), news = elements(after_);
  for (std::size_t i = 0; i < std::max(olds.size(), news.size()); ++i) {
    if (i >= olds.size() || i >= news.size())
      throw other_structure("only one has " + (i < olds.size() ? olds : news)[i].name());
    const auto &from = olds[i].attributes, &to = news[i].attributes;
    if (olds[i].tag != news[i].tag || !std::ranges::equal(from, to, {}, &Attribute::name, &Attribute::name))
      throw other_structure(fmt::format("{} and {}", olds[i].name(), news[i].name()));
    for (std::size_t a = 0; a < from.size(); ++a) {
      if (from[a].value == to[a].value) continue;
      const auto factor = factor_of(from[a].name);
      if (!factor)
        throw other_structure(
            fmt::format("{} has {} {} and {}", olds[i].name(), from[a].name, from[a].value, to[a].value));
      changes_.push_back({news[i].name(), to[a].name, factor, from[a].value, to[a].value});
      places_.push_back(to[a].place);
    }
  }
}

Factors PlatformPair::differ() const {
  Factors all = 0;
  for (const auto& change : changes_) all |= change.factor;
  return all;
}

std::string PlatformPair::xml(Factors after) const {
  std::vector<std::size_t> order(changes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater<>(), [&](std::size_t i) { return places_[i]; });
  std::string text = after_;
  for (const auto i : order)  // from the end, so that the places before stay
    if (!(changes_[i].factor & after)) text.replace(places_[i], changes_[i].after.size(), changes_[i].before);
  return text;
}

Platform in_subnets_of(const Platform& like, const Platform& platform) {
  auto cut = platform;
  if (platform.subnets.size() == 1 && like.subnets.size() > 1) {
    cut.subnets = like.subnets;
    for (auto& subnet : cut.subnets) subnet = {subnet.hosts, platform.subnets[0].flops, platform.subnets[0].speed};
  }
  const auto hosts = [](const Platform& of) {
    return std::accumulate(of.subnets.begin(), of.subnets.end(), 0,
                           [](int sum, const Platform::Subnet& subnet) { return sum + subnet.hosts; });
  };
  const bool same = like.subnets.size() == 1 || std::ranges::equal(cut.subnets, like.subnets, {},
                                                                   &Platform::Subnet::hosts, &Platform::Subnet::hosts);
  if (!same || hosts(like) != hosts(platform)) throw other_structure("other numbers of hosts in their subnets");
  if (cut.subnets.size() > 1 && like.between.bytes_per_s > 0 && !(cut.between.bytes_per_s > 0))
    cut.between = {2.0 * hosts(cut) * cut.inside.bytes_per_s, 0, "unlimited", "none"};
  return cut;
}

std::vector<PlatformChange> changes(const Platform& before, const Platform& after) {
  std::vector<PlatformChange> all;
  for (std::size_t s = 0; s < before.subnets.size(); ++s) {
    const auto &was = before.subnets[s], &is = after.subnets[s];
    if (was.flops != is.flops)
      all.push_back({before.subnets.size() == 1 ? "hosts" : fmt::format("subnet {}", s), "speed", kComputation,
                     was.speed, is.speed});
  }
  const auto add = [&](const char* element, const Platform::Network& was, const Platform::Network& is) {
    if (was.latency_s != is.latency_s) all.push_back({element, "latency", kLatency, was.latency, is.latency});
    if (was.bytes_per_s != is.bytes_per_s)
      all.push_back({element, "bandwidth", kBandwidth, was.bandwidth, is.bandwidth});
  };
  add("network", before.inside, after.inside);
  add("network between subnets", before.between, after.between);
  return all;
}

}  // namespace skelgen::network
