#include "emit/pools.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/code_writer.h"

namespace skelgen::emit {
namespace {

constexpr std::size_t kMostCosts = 16384;  ///< of one place; above, neighbours share their mean

std::string cost_table(std::size_t pool, std::size_t node) { return fmt::format("pool_{}_cost_{}", pool + 1, node); }

std::size_t costs(const skeleton::Pool& pool) { return std::min(pool.ends.size(), kMostCosts); }

bool computes(const skeleton::Pool& pool, std::size_t node) {
  const auto& all = pool.compute_s[node];
  return std::any_of(all.begin(), all.end(), [](float s) { return s > 0; });
}

}  // namespace

std::string pool_ends(std::size_t pool, const skeleton::Pool& of) {
  return fmt::format("pool_{}_ends, {}", pool + 1, std::count(of.ends.begin(), of.ends.end(), 1));
}

std::string pool_compute(std::size_t pool, const skeleton::Pool& of, std::size_t node) {
  if (!computes(of, node)) return {};
  const auto n = costs(of);
  const auto at = n == of.ends.size() ? std::string("task") : fmt::format("task * {} / {}", n, of.ends.size());
  return fmt::format("skel_compute({}[{}]);", cost_table(pool, node), at);
}

std::vector<double> before_messages(const skeleton::Skeleton& skeleton, const skeleton::Node& loop) {
  const auto& program = skeleton.program;
  const auto end = std::find_if(program.begin() + (&loop - program.data()), program.end(), [&](const auto& node) {
    return !node.is_loop() && node.call().ends_pool && node.where == loop.where;
  });
  std::vector<double> mean_s = loop.loop().between.mean_s;
  mean_s.resize(loop.where.size(), 0);
  for (std::size_t at = 0; at < mean_s.size(); ++at) {
    const auto trips = static_cast<double>(loop.loop().trips.of(at).at(0));
    const double last_s = end == program.end() || end->before.mean_s.empty() ? 0 : end->before.mean_s[at];
    mean_s[at] = (mean_s[at] * (trips - 1) + last_s) / trips;
  }
  return mean_s;
}

std::string pool_tables(const skeleton::Skeleton& skeleton) {
  Writer out;
  for (std::size_t p = 0; p < skeleton.pools.size(); ++p) {
    const auto& pool = skeleton.pools[p];
    std::vector<std::string> items;
    for (std::size_t n = 0; n < pool.ends.size(); ++n)
      if (pool.ends[n]) items.push_back(fmt::format("{}", n));
    out.line(fmt::format("/* Pool {}: messages by number. These end a worker's loop. */", p + 1));
    out.line(fmt::format("static const int pool_{}_ends[] = {{{}}};", p + 1, join(items)));
    for (std::size_t node = 0; node < pool.body.size(); ++node) {
      if (!computes(pool, node)) continue;
      items.clear();
      const std::size_t rows = costs(pool), n = pool.ends.size();
      for (std::size_t row = 0; row < rows; ++row) {
        // Messages that end a loop cost nothing and are left out of means.
        double sum = 0, count = 0;
        for (std::size_t k = (row * n + rows - 1) / rows; k < ((row + 1) * n + rows - 1) / rows; ++k)
          if (!pool.ends[k]) sum += static_cast<double>(pool.compute_s[node][k]), ++count;
        items.push_back(count > 0 ? fmt::format("{:.4g}", sum / count) : "0");
      }
      out.line(
          fmt::format("/* What a worker computes before {}, in seconds. */", pool.body[node].call().function->name));
      out.line(fmt::format("static const float {}[] = {{{}}};", cost_table(p, node), join(items)));
    }
  }
  return out.text();
}

}  // namespace skelgen::emit
