#include "build/phases.h"

#include "build/forms.h"
#include "build/provenance.h"
#include "build/stage_clock.h"
#include "support/error.h"

namespace skelgen::build {

metrics::Phases phases_of(const skeleton::Skeleton& skeleton, const emit::Plan& plan,
                          const normalize::Normalized& normalized) {
  metrics::Phases phases;
  for (const auto& [number, calls] : emit::calls_before(skeleton, plan)) {
    phases.push_back({plan.phases[number].name, calls});
    for (std::size_t l = 0; l < normalized.locations.size(); ++l) {
      const auto& numbers = normalized.locations[l].numbers;
      auto& begin = phases.back().begins[l];
      if (begin > 0 && !numbers.empty()) begin = numbers[begin - 1] + 1;
    }
  }
  return phases;
}

metrics::Phases phases(const trace::Trace& trace) {
  require_complete(trace);
  const auto normalized = normalize::classes(trace, {.most_times = kMostTimes, .numbers = true});
  Diagnostics diagnostics;
  StageClock clock(nullptr);
  auto skeleton = shortest_form(normalized, {}, clock, diagnostics);
  annotate(skeleton, trace);
  return phases_of(skeleton, emit::plan_scale(skeleton, 1), normalized);
}

PhasesOrReason phases_if_any(const trace::Trace& trace) {
  try {
    return {phases(trace), {}};
  } catch (const Error& error) {
    if (error.code() == Code::internal) throw;
    return {{}, error.what()};
  }
}

}  // namespace skelgen::build
