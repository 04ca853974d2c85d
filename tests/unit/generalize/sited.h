#pragma once
// Simulated runs whose calls say where in the program they are, as those of `trace --sites` do.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "build/generalize.h"
#include "normalize/normalize.h"
#include "trace/trace.h"
#include "unit/normalize/process.h"

namespace skelgen::test {

/// Says where each call is, as a line of the program.
struct Sited {
  Process& p;
  std::vector<std::uint64_t>& lines;
  Process& operator()(std::uint64_t line) const {
    lines.push_back(line);
    return p;
  }
};

/// What behaves so, traced with n ranks and with the places of its calls.
inline build::Run sited(int n, const std::function<void(const Sited&)>& behaviour) {
  std::vector<std::vector<std::uint64_t>> lines(static_cast<std::size_t>(n));
  const Folder folder;
  write(folder.path(), n, [&](Process& p) {
    auto& own = lines[static_cast<std::size_t>(p.rank())];
    own.push_back(1);  // MPI_Init
    behaviour({p, own});
    own.push_back(2);  // MPI_Finalize
  });
  const auto trace = trace::open(folder.path());
  build::Run run{normalize::classes(trace), std::to_string(n) + ".trace"};
  run.others = build::with_other_areas(trace, run.calls);
  const auto say = [&](normalize::Normalized& calls) {
    for (auto& location : calls.locations) location.sites = lines[static_cast<std::size_t>(location.where.rank)];
  };
  say(run.calls);
  for (auto& [_, calls] : run.others) say(calls);
  return run;
}

}  // namespace skelgen::test
