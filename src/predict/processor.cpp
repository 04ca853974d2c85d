#include "predict/processor.h"

#include <fmt/format.h>

#include <cmath>

#include "predict/interval.h"
#include "predict/skeleton_run.h"

namespace skelgen::predict {
namespace {

/// Kinds of kernels, in the order in which they are told of.
constexpr const char* kKinds[] = {"integers", "floating point", "branches", "caches", "memory"};

/// None of them is waiting.
std::size_t kind_of(const std::string& kernel) {
  if (kernel.ends_with("_32m")) return 4;
  if (kernel.ends_with("_256k") || kernel.ends_with("_2m")) return 3;
  if (kernel.starts_with("branch")) return 2;
  for (const char* cache : {"load", "store", "copy", "count"})
    if (kernel == cache) return 3;
  for (const char* integer : {"integer", "logic"})
    if (kernel == integer) return 0;
  return kernel == "wait" ? std::size(kKinds) : 1;
}

}  // namespace

Processor processor_of(std::span<const SkeletonRun> runs) {
  Processor all = runs.front().processor;
  std::vector<double> drifts;
  for (const auto& run : runs) {
    drifts.push_back(run.processor.drift);
    if (all.same != false && run.processor.same != true) all.same = run.processor.same;
  }
  all.drift = median(drifts);
  for (const auto& [kernel, traced] : runs.front().traced_speeds) {
    std::vector<double> here;
    for (const auto& run : runs)
      if (const auto found = run.speeds.find(kernel); found != run.speeds.end()) here.push_back(found->second.passes);
    if (traced.passes > 0 && !here.empty() && median(here) > 0) all.ratios[kernel] = median(here) / traced.passes;
  }
  return all;
}

std::string changes(const Processor& processor) {
  if (processor.ratios.empty()) return "speeds not known";
  constexpr double kLeast = 0.05;
  double sums[std::size(kKinds)] = {}, counts[std::size(kKinds)] = {};
  for (const auto& [kernel, ratio] : processor.ratios)
    if (const std::size_t kind = kind_of(kernel); kind < std::size(kKinds)) {
      sums[kind] += std::log(ratio);
      counts[kind] += 1;
    }
  std::string text;
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    const double ratio = counts[i] > 0 ? std::exp(sums[i] / counts[i]) : 1;
    if (std::abs(ratio - 1) < kLeast) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kKinds[i],
                        ratio >= 2    ? fmt::format("{:.1f} times as fast", ratio)
                        : ratio > 1   ? fmt::format("{:.0f} % faster", 100 * (ratio - 1))
                        : ratio > 0.5 ? fmt::format("{:.0f} % slower", 100 * (1 / ratio - 1))
                                      : fmt::format("{:.1f} times as slow", 1 / ratio));
  }
  if (text.empty()) return "its kernels run as fast as when traced";
  return text + (text.ends_with("er") ? " than when traced" : " as when traced");
}

}  // namespace skelgen::predict
