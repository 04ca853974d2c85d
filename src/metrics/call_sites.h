#pragma once
// Places of calls in the files of the traced program. Internal to src/metrics.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/metrics.h"
#include "trace/trace.h"

namespace skelgen::metrics {

/// A part of a rank's code. file: the number of the file that it was loaded from.
struct LoadedCode {
  const trace::Module* module;
  std::uint64_t file;
};

/// Numbers of places, the same on all ranks wherever these loaded the files. 0: a place that is not known.
class CallSites {
 public:
  /// Of a trace without sites all are unknown. The trace must outlive it.
  explicit CallSites(const trace::Trace& trace) {
    std::map<std::pair<std::string, std::string>, std::uint64_t> numbers;
    for (const trace::RankInfo& rank : trace.rank_info()) {
      auto& own = code_.emplace_back();
      if (!trace.has_sites()) continue;
      for (const trace::Module& module : rank.modules) {
        const auto [known, fresh] = numbers.try_emplace({module.path, module.build_id}, files_.size());
        if (fresh) files_.push_back({module.path, module.build_id, 0});
        own.push_back({&module, known->second});
      }
    }
  }
  /// Of the rank with this index.
  std::span<const LoadedCode> code(std::size_t rank) const { return code_[rank]; }
  static std::uint64_t number(std::span<const LoadedCode> code, std::uint64_t address) {
    const auto found =
        std::ranges::find_if(code, [&](const LoadedCode& part) { return part.module->contains(address); });
    if (found == code.end()) return 0;
    const std::uint64_t in_file = address - found->module->base;  // wraps where base is above
    return in_file >> kBits == 0 ? (found->file + 1) << kBits | in_file : 0;
  }
  std::optional<CallSite> at(std::uint64_t number) const {
    if (number >> kBits == 0) return {};
    CallSite site = files_[(number >> kBits) - 1];
    site.address = number & ((std::uint64_t{1} << kBits) - 1);
    return site;
  }

 private:
  static constexpr int kBits = 44;  // for addresses in a file

  std::vector<CallSite> files_;
  std::vector<std::vector<LoadedCode>> code_;  // by index of the rank
};

}  // namespace skelgen::metrics
