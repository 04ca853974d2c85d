#include "build/build.h"

#include "build/stage_clock.h"
#include "emit/memory.h"
#include "launch/program.h"
#include "skel_kernel_names.h"
#include "support/error.h"
#include "work/follower.h"
#include "work/passes.h"

namespace skelgen::build {

namespace {

/// Work of which location at which place, in the order in which the text form has them; null where none is known.
/// passes: by location and place.
void add_work(const skeleton::Block& block, const std::vector<std::vector<work::Passes>>& passes, Json& places,
              std::uint32_t& number) {
  const auto add = [&](const char* which, const skeleton::Compute& compute, const std::vector<std::uint32_t>& where,
                       work::Place place) {
    if (compute.work.empty()) return;
    Json of = Json::array();
    for (std::size_t p = 0; p < where.size(); ++p)
      if (compute.work[p] > 0)
        of.push_back({where[p], compute.work[p], compute.mean_s[p], passes[where[p]][place].times});
    places.push_back({{"statement", number}, {"place", which}, {"work", std::move(of)}});
  };
  for (const skeleton::Node& node : block) {
    add("before", node.before, node.where, work::before(number));
    if (node.is_loop()) add("between", node.loop().between, node.where, work::between(number));
    ++number;
    if (node.is_loop()) add_work(node.loop().body, passes, places, number);
  }
}

Json work_json(const skeleton::Skeleton& skeleton) {
  if (skeleton.works.empty()) return nullptr;
  Json json{{"features", skeleton.features}, {"works", Json::array()}, {"places", Json::array()}};
  for (const auto& work : skeleton.works) {
    Json counts = Json::array();
    for (const auto& [feature, times] : work.counts) counts.push_back({feature, times});
    json["works"].push_back(std::move(counts));
  }
  std::vector<std::vector<work::Passes>> passes;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) passes.push_back(work::passes_by_place(skeleton, l));
  std::uint32_t number = 0;
  add_work(skeleton.program, passes, json["places"], number);
  if (!skeleton.fitted) return json;
  json["kernels"] = skel_kernel_name;
  json["speeds"] = Json::array();
  for (const auto& location : skeleton.locations) json["speeds"].push_back(location.kernel_speeds);
  json["shares"] = Json::array();
  for (const auto& work : skeleton.works) json["shares"].push_back(work.shares);
  json["unexplained_of"] = Json::array();
  for (const auto& work : skeleton.works) json["unexplained_of"].push_back(work.unexplained);
  json["unexplained"] = skeleton.fitted->unexplained;
  json["unexplained_most"] = skeleton.fitted->cause;
  return json;
}

}  // namespace

const char* text(Order order) { return order == Order::exchange ? "exchange" : "strict"; }

std::vector<std::pair<const char*, Stage>> list(const Stages& s) {
  return {{"read", s.read},     {"normalize", s.normalize}, {"fold", s.fold},       {"merge", s.merge},
          {"verify", s.verify}, {"plan", s.plan},           {"measure", s.measure}, {"emit", s.emit}};
}

bool lossless(const Built& built) {
  return !built.diagnostics.difference && !built.result.skeleton.edited && built.result.skeleton.tolerance == 0;
}

void require_lossless(const Built& built, const std::filesystem::path& trace_directory) {
  if (!built.diagnostics.difference) return;
  const auto& d = *built.diagnostics.difference;
  throw Error(Code::internal, trace_directory.string(), {},
              "the skeleton does not repeat the trace: rank " + std::to_string(d.rank) + ", call " +
                  std::to_string(d.index) + ": expected " + d.expected + ", got " + d.actual,
              "please report this with the trace");
}

void plan(Built& built, const Options& options) {
  if (options.most_memory) emit::share_memory(built.result.skeleton, *options.most_memory);
  built.result.deadlock =
      emit::check_deadlock(built.result.skeleton, built.provenance.text ? &*built.provenance.text : nullptr);
  built.result.skeleton.tests_go_on = built.result.deadlock.tests_go_on;
  built.result.plan = options.budget_s ? emit::plan_budget(built.result.skeleton, *options.budget_s)
                                       : emit::plan_scale(built.result.skeleton, options.scale);
  built.diagnostics.merged_statements = unrolled_length(built.result.skeleton);
  built.diagnostics.folded_statements = skeleton::length(built.result.skeleton.program);
  built.diagnostics.main_loop = main_loop(built.result.skeleton);
}

void write(const std::filesystem::path& directory, Built& built, bool force, const emit::Annotations& annotations) {
  Laps laps;
  emit::Options options;
  options.compiler = launch::tool_of_mpi("mpicc", built.result.skeleton.mpi_name);
  options.safe = built.result.deadlock.safe;
  options.force = force;
  options.annotations = annotations;
  options.extra_json = Json{{"normalize", text(built.provenance.order)},
                            {"version", SKELGEN_VERSION},
                            {"run", built.provenance.run},
                            {"program_mark", built.provenance.program_mark},
                            {"original_runs_s", built.provenance.original_runs_s},
                            {"status", built.provenance.status},
                            {"core_wait", built.provenance.core_wait},
                            {"computation_error", built.provenance.computation_error},
                            {"yield", built.result.skeleton.cpu_time},
                            {"files", skeleton::has(built.result.skeleton.program, mpi::Kind::file_open)},
                            {"concurrency", built.provenance.concurrency},
                            {"work", work_json(built.result.skeleton)}}
                           .dump();
  emit::write(directory, built.result.skeleton, built.result.plan, options);
  built.diagnostics.stages.emit.add(laps.lap());
}

std::filesystem::path default_skeleton_name(const trace::Trace& trace) {
  const auto& name = trace.application();
  return (name.empty() ? std::string("app") : name) + ".skel";
}

}  // namespace skelgen::build
