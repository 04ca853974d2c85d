#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emit/embedded.h"
#include "emit/emit.h"
#include "emit/text.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_file(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(Code::io, file.string(), {}, "cannot be written", "check space and permissions");
}

/// The runtime as one file: its own includes in quotes are put in place.
std::string runtime() {
  std::string text(embedded("runtime/skel.c"));
  for (const std::string_view name : {"skel_kernels.h", "skel_report.h", "skel_files.h", "skel_completion.h"}) {
    const auto line = fmt::format("#include \"{}\"\n", name);
    const auto at = text.find(line);
    if (at == std::string::npos) throw Error(Code::internal, "the runtime does not include " + std::string(name));
    std::string part(embedded(fmt::format("runtime/{}", name)));
    const std::string again = "#include \"skel.h\"\n";
    if (const auto self = part.find(again); self != std::string::npos) part.erase(self, again.size());
    text.replace(at, line.size(), part);
  }
  return text;
}

double mean(const skeleton::Skeleton& skeleton, double skeleton::LocationData::*member) {
  double sum = 0;
  for (const auto& location : skeleton.locations) sum += location.*member;
  return skeleton.locations.empty() ? 0 : sum / static_cast<double>(skeleton.locations.size());
}

std::string description(const skeleton::Skeleton& skeleton, const Plan& plan, const Options& options) {
  Json json;
  json["schema"] = "skelgen.skeleton-info/1";
  json["ranks"] = skeleton.locations.size();
  json["mpi"] = skeleton.mpi_name;
  json["compiler"] = options.compiler;
  json["scale"] = plan.scale;
  json["statements"] = skeleton::length(skeleton.program);
  json["tolerance"] = skeleton.tolerance;
  json["safe"] = options.safe;
  json["expected_run_s"] = plan.expected_run_s;
  json["traced_wall_s"] = skeleton.traced_wall_s;
  json["phases"] = Json::array();
  for (const auto& phase : plan.phases)
    json["phases"].push_back({{"name", phase.name},
                              {"weight", phase.weight},
                              {"trips", phase.trips},
                              {"kept", phase.kept},
                              {"traced_s", phase.traced_s}});
  json["traced_speeds"] = {{"register", mean(skeleton, &skeleton::LocationData::speed_register)},
                           {"memory", mean(skeleton, &skeleton::LocationData::speed_memory)}};
  if (!options.extra_json.empty()) {
    Json extra = Json::parse(options.extra_json, nullptr, false);
    if (!extra.is_object()) throw Error(Code::internal, "the extra members of skeleton.json are no JSON object");
    for (const auto& [key, value] : extra.items()) json[key] = value;
  }
  return json.dump(2) + "\n";
}

std::string readme(const skeleton::Skeleton& skeleton, const Plan& plan, const Options& options) {
  std::string text;
  if (std::ranges::none_of(plan.phases, [](const Phase& phase) { return phase.loop.has_value(); }))
    text =
        "No loop is cut: there is none that all ranks run equally often, whose iterations are closed in themselves and "
        "that takes\n"
        "enough of the time. The skeleton makes every call of the original, and leaves out of its computation only "
        "what is\n"
        "long and common to all ranks.";
  else
    text = fmt::format(
        "It was built with K = {}: of each main loop's iterations about one in K runs, but at least as many as take {} "
        "s.\n"
        "The table says how many that are. The original took {}; the skeleton is expected to take {} on the same "
        "machine.",
        number(plan.scale), number(kShortestPart_s), duration(skeleton.traced_wall_s), duration(plan.expected_run_s));
  std::string phases = "| phase | iterations | run here | weight | traced |\n|---|---|---|---|---|";
  for (const auto& phase : plan.phases)
    phases += fmt::format("\n| {} | {} | {} | {} | {} |", phase.name, phase.trips, phase.kept, number(phase.weight),
                          duration(phase.traced_s));
  return fill(
      embedded("program/README.md"),
      {{"compiler", options.compiler},
       {"ranks", std::to_string(skeleton.locations.size())},
       {"plan", text},
       {"counts",
        skeleton.tolerance > 0
            ? fmt::format("**Not lossless:** it makes all calls of the original, but sizes of messages that "
                          "differed by less than {} % there\nmay be one size here, at most {} % off. All other "
                          "arguments are as they were.",
                          number(100 * skeleton.tolerance), number(100 * skeleton.tolerance))
            : ""},
       {"shortest", number(kShortestPart_s)},
       {"phases", phases},
       {"safety", options.safe ? "It finishes even if every standard send waits for its receiver and every collective "
                                 "call for all its ranks.\nTo try it with `MPI_Send`, `MPI_Isend` and "
                                 "`MPI_Send_init`: `make -B CFLAGS='-std=c11 -O2 -DSKEL_SYNC_SEND'`."
                               : "**Unsafe:** like the original, it relies on sends that are buffered or on collective "
                                 "calls that do not wait for all.\nWith an MPI where they wait, it hangs."}});
}

bool is_skeleton(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "skeleton.json", ignored) &&
         fs::is_regular_file(directory / "skeleton.c", ignored);
}

/// True if a skeleton or an empty directory is there, false if nothing is. Throws Error{io} otherwise.
bool replaces(const fs::path& target) {
  std::error_code problem;
  if (fs::symlink_status(target, problem).type() == fs::file_type::not_found) return false;
  if (is_skeleton(target) || (fs::is_directory(target, problem) && fs::is_empty(target, problem))) return true;
  const auto text = problem ? "cannot be looked into: " + problem.message() : "exists and is no skeleton";
  throw Error(Code::io, target.string(), {}, text, "choose another name or remove it");
}

}  // namespace

void write(const fs::path& directory, const skeleton::Skeleton& skeleton, const Plan& plan, const Options& options) {
  // A trailing slash would put the partial directory into the final one.
  const auto target = directory.has_filename() ? directory : directory.parent_path();
  const auto parent = fs::absolute(target).parent_path();
  if (std::error_code problem; !fs::is_directory(parent, problem))
    throw Error(Code::io, parent.string(), {}, "no such directory", "make it or choose another place");
  const bool replace = replaces(target);
  auto partial = target;
  partial += ".partial";
  // Text first: nothing is left behind when a call cannot be replayed.
  std::string ranks;
  auto c = program(skeleton, plan, &ranks);
  const std::pair<const char*, std::string> files[] = {
      {"skeleton.c", std::move(c)},
      {"skel.h", std::string(embedded("runtime/skel.h"))},
      {"skel.c", runtime()},
      {"Makefile", fill(embedded("program/Makefile"), {{"compiler", options.compiler}})},
      {"README.md", readme(skeleton, plan, options)},
      {"skeleton.json", description(skeleton, plan, options)}};
  std::error_code ignored;
  try {
    fs::remove_all(partial);
    fs::create_directory(partial);
    for (const auto& [name, text] : files) write_file(partial / name, text);
    if (!ranks.empty()) write_file(partial / "ranks.h", ranks);
    if (replace) fs::remove_all(target);
    fs::rename(partial, target);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(partial, ignored);
    throw Error(Code::io, target.string(), {}, "cannot be written: " + error.code().message(),
                "check space and permissions");
  } catch (...) {
    fs::remove_all(partial, ignored);
    throw;
  }
}

}  // namespace skelgen::emit
