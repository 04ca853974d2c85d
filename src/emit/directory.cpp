#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "emit/code_writer.h"
#include "emit/embedded.h"
#include "emit/emit.h"
#include "emit/memory.h"
#include "support/error.h"
#include "support/replace.h"

namespace skelgen::emit {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_file(const fs::path& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw fs::filesystem_error("", std::error_code(errno ? errno : EIO, std::generic_category()));
}

/// The text with the parts of these names in place of their includes.
std::string joined(std::string text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view name : parts) {
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

/// The runtime as two files: their own includes in quotes are put in place.
std::string runtime() {
  auto text = joined(
      std::string(embedded("runtime/skel.c")),
      {"skel_kernels.h", "skel_processor.h", "skel_sampling.h", "skel_concurrency.h", "skel_report.h", "skel_files.h",
       "skel_memory.h", "skel_tables.h", "skel_windows.h", "skel_hints.h", "skel_completion.h", "skel_threads.h"});
  const std::string again = "#include \"skel_kernel_names.h\"\n";  // skel.h has them
  text.erase(text.find(again), again.size());
  return text;
}
std::string header(bool threads) {
  return (threads ? "#define SKEL_THREADS\n" : "") +
         joined(std::string(embedded("runtime/skel.h")), {"skel_kernel_names.h"});
}

double mean(const skeleton::Skeleton& skeleton, double skeleton::LocationData::*member) {
  double sum = 0;
  for (const auto& location : skeleton.locations) sum += location.*member;
  return skeleton.locations.empty() ? 0 : sum / static_cast<double>(skeleton.locations.size());
}

std::string checksum(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

std::string description(const skeleton::Skeleton& skeleton, const Plan& plan, const Options& options,
                        std::string_view c) {
  Json json;
  json["schema"] = "skelgen.skeleton-info/1";
  json["ranks"] = skeleton::ranks(skeleton);
  json["mpi"] = skeleton.mpi_name;
  json["compiler"] = options.compiler;
  json["scale"] = plan.scale;
  json["statements"] = skeleton::length(skeleton.program);
  json["tolerance"] = skeleton.tolerance;
  json["shared_memory"] = buffer_memory(skeleton).shared > 0;
  json["lossless"] = !skeleton.edited && skeleton.tolerance == 0;
  json["edited"] = skeleton.edited;
  json["safe"] = options.safe;
  json["tests_go_on"] = skeleton.tests_go_on;
  json["checksum"] = checksum(c);
  json["expected_run_s"] = plan.expected_run_s;
  json["traced_wall_s"] = skeleton.traced_wall_s;
  json["phases"] = Json::array();
  for (const auto& phase : plan.phases) {
    json["phases"].push_back({{"name", phase.name},
                              {"weight", phase.weight},
                              {"trips", phase.trips},
                              {"kept", phase.kept},
                              {"traced_s", phase.traced_s}});
    if (phase.loop)
      json["phases"].back().update(Json{{"executions", phase.times}, {"run", phase.run()}, {"error", phase.error}});
  }
  json["not_cut"] = plan.not_cut;
  json["traced_speeds"] = {{"register", mean(skeleton, &skeleton::LocationData::speed_register)},
                           {"memory", mean(skeleton, &skeleton::LocationData::speed_memory)}};
  if (!options.extra_json.empty()) {
    Json extra = Json::parse(options.extra_json, nullptr, false);
    if (!extra.is_object()) throw Error(Code::internal, "the extra members of skeleton.json are no JSON object");
    for (const auto& [key, value] : extra.items()) json[key] = value;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// For make: the compiler, where it is in PATH, else mpicc: the name that the traced MPI has on one system may be unknown to
/// another.
std::string compiler_or_mpicc(const std::string& compiler) {
  return compiler == "mpicc" ? compiler : fmt::format("$(if $(shell command -v {0} 2>/dev/null),{0},mpicc)", compiler);
}

/// Which launcher goes with the compiler that make takes.
std::string pair_of(const std::string& compiler) {
  std::string launcher = compiler == "smpicc" ? "smpirun" : compiler;
  if (const auto at = launcher.find("mpicc"); at != std::string::npos) launcher.replace(at, 5, "mpiexec");
  return fmt::format("`{}` goes with `{}`{}", launcher, compiler,
                     compiler == "mpicc" ? " of the same directory" : ", the launcher beside it with a plain `mpicc`");
}

std::string weight(const Phase& phase) { return fmt::format("{:.4g}", phase.weight); }

/// What `run` and `weight` in the table of phases mean, with the numbers of a cut loop where no other factor is in its weight.
std::string weights_text(const Plan& plan) {
  std::string example;
  bool cut = false;
  for (const auto& phase : plan.phases) {
    if (!phase.loop) continue;
    cut = true;
    const auto always = phase.run() - phase.kept;
    const double left = static_cast<double>(phase.trips - always), kept = static_cast<double>(phase.kept);
    if (!example.empty() || phase.run() >= phase.trips || std::abs(phase.weight * kept / left - 1) > 1e-9) continue;
    example = fmt::format(": {} of the other {} of {} run, weight {} / {} = {}", phase.kept, phase.trips - always,
                          phase.name, phase.trips - always, phase.kept, weight(phase));
  }
  if (!cut) return {};
  return fmt::format(
      "\n\nThe first iteration of a loop always runs and counts in the phase before or around it (of some loops "
      "several, "
      "and the last ones).\nThe weight says how many of the other iterations each of those that run stands for{}.",
      example);
}

std::string readme(const skeleton::Skeleton& skeleton, const Plan& plan, const Options& options) {
  std::string text;
  if (skeleton::has_threads(skeleton))
    text = fmt::format(
        "No loop is cut, because several threads of a rank call MPI. The skeleton has the {} threads of the original, "
        "which\nmake every call and compute as long.",
        skeleton.locations.size());
  else if (std::ranges::none_of(plan.phases, [](const Phase& phase) { return phase.loop != nullptr; }))
    text =
        "No loop is cut: there is none that all ranks run equally often, whose iterations are closed in themselves and "
        "that takes\n"
        "enough of the time. The skeleton makes every call of the original, and leaves out of its computation only "
        "what is\n"
        "long and common to all ranks.";
  else
    text = fmt::format(
        "It was built with K = {}: of each main loop's iterations about one in K runs, but at least as many as take {} "
        "s (0.05 s to that for a loop with less than half of the time).\n"
        "The table says how many that are. The original took {}; the skeleton is expected to take {} on the same "
        "machine.",
        number(plan.scale), number(kShortestPart_s), duration(skeleton.traced_wall_s), duration(plan.expected_run_s));
  std::string phases = "| phase | trips | run | weight | traced |\n|---|---|---|---|---|";
  for (const auto& phase : plan.phases)
    phases += fmt::format("\n| {} | {} | {} | {} | {} |", phase.name, phase.trips, phase.loop ? phase.run() : 1,
                          weight(phase), duration(phase.traced_s));
  phases += weights_text(plan);
  return fill(
      embedded("program/README.md"),
      {{"compiler",
        options.compiler == "mpicc" ? options.compiler : options.compiler + ", or mpicc where that is not in PATH"},
       {"pair", pair_of(options.compiler)},
       {"ranks", std::to_string(skeleton::ranks(skeleton))},
       {"lines", options.annotations.empty() ? "" : ", but names and lines of its source files as comments"},
       {"plan", text},
       {"counts",
        skeleton.edited
            ? std::string("**Of no trace:** the program was edited or written by hand as text. It makes the calls that "
                          "the text says, and what is called\nthe original here is what the text describes.") +
                  (skeleton.tolerance > 0
                       ? fmt::format(" It is approximate: sizes of messages were up to {} % off those of "
                                     "the\nprogram that was traced.",
                                     number(100 * skeleton.tolerance))
                       : "")
        : skeleton.tolerance > 0
            ? fmt::format("**Not lossless:** it makes all calls of the original, but sizes of messages that "
                          "differed by less than {} % there\nmay be one size here, at most {} % off. All other "
                          "arguments are as they were.",
                          number(100 * skeleton.tolerance), number(100 * skeleton.tolerance))
            : ""},
       {"shortest", number(kShortestPart_s)},
       {"phases", phases},
       {"safety", options.safe
                      ? "It cannot hang for want of buffers inside MPI: it finishes even if every standard send "
                        "waits for its receiver,\nand every collective call for all its ranks. To try it with "
                        "`MPI_Send`, `MPI_Isend` and "
                        "`MPI_Send_init`: `make -B CFLAGS='-std=c11 -O2 -DSKEL_SYNC_SEND'`."
                      : "**Unsafe:** it was not found to finish where every standard send waits for its receiver "
                        "and every collective call for all\nits ranks. With such an MPI it may hang, as the "
                        "original may."}});
}

bool is_skeleton(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "skeleton.json", ignored) &&
         fs::is_regular_file(directory / "skeleton.c", ignored);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Of skeleton.c or tables.h.
bool is_edited(const fs::path& directory) {
  const auto json = Json::parse(text_of(directory / "skeleton.json"), nullptr, false);
  return json.is_object() && json.contains("checksum") &&
         json["checksum"] != checksum(text_of(directory / "skeleton.c") + text_of(directory / "tables.h"));
}

/// What somebody did to a skeleton since build wrote it; empty: nothing.
std::string touched(const fs::path& directory) {
  static const std::set<std::string> kOwn = {
      "skeleton.c", "skel.h", "skel.c", "Makefile", "README.md", "skeleton.json", "tables.h", "skeleton",
      "ranks.h",  // what tables.h was called once
  };
  for (const auto& entry : fs::directory_iterator(directory))
    if (const auto name = entry.path().filename().string(); !kOwn.contains(name))
      return fmt::format("holds {}, which build did not write", name);
  return is_edited(directory) ? "has a skeleton.c or tables.h that was edited" : "";
}

/// Throws Error{io} where something stands that must not be replaced.
void require_replaceable(const fs::path& target, bool force) try {
  std::error_code problem;
  const auto type = fs::symlink_status(target, problem).type();
  if (type == fs::file_type::not_found) return;
  if (type == fs::file_type::directory && fs::is_empty(target, problem)) return;
  if (type == fs::file_type::directory && is_skeleton(target)) {
    const auto why = force ? std::string() : touched(target);
    if (why.empty()) return;
    throw Error(Code::io, target.string(), {}, why, "choose another name, or replace it with --force");
  }
  const auto text = type == fs::file_type::symlink ? "is a symbolic link" : "exists and is no skeleton";
  throw Error(Code::io, target.string(), {}, text, "choose another name or remove it");
} catch (const fs::filesystem_error& error) {
  throw Error(Code::io, target.string(), {}, "cannot be looked into: " + error.code().message(),
              "choose another name or remove it");
}

}  // namespace

std::string edited_file(const fs::path& directory) {
  if (is_edited(directory)) return "skeleton.c";
  if (text_of(directory / "skel.c") != runtime()) return "skel.c";
  const auto own = text_of(directory / "skel.h");
  return own == header(false) || own == header(true) ? "" : "skel.h";
}

void write(const fs::path& directory, const skeleton::Skeleton& skeleton, const Plan& plan, const Options& options) {
  // A trailing slash would put the partial directory into the final one.
  const auto target = directory.has_filename() ? directory : directory.parent_path();
  const auto parent = fs::absolute(target).parent_path();
  if (std::error_code problem; !fs::is_directory(parent, problem))
    throw Error(Code::io, parent.string(), {}, "no such directory", "make it or choose another place");
  require_replaceable(target, options.force);
  std::string partial = target.string() + ".partial-XXXXXX";
  // Text first: nothing is left behind when a call cannot be replayed.
  std::string tables;
  auto c = program(skeleton, plan, &tables, options.annotations);
  auto json = description(skeleton, plan, options, c + tables);
  const bool threads = skeleton::has_threads(skeleton);
  const std::pair<const char*, std::string> files[] = {
      {"skeleton.c", std::move(c)},
      {"skel.h", header(threads)},
      {"skel.c", runtime()},
      {"Makefile", fill(embedded("program/Makefile"),
                        {{"compiler", compiler_or_mpicc(options.compiler)}, {"threads", threads ? " -pthread" : ""}})},
      {"README.md", readme(skeleton, plan, options)},
      {"skeleton.json", std::move(json)}};
  std::error_code ignored;
  try {
    if (!mkdtemp(partial.data())) throw fs::filesystem_error("", std::error_code(errno, std::generic_category()));
    const auto mask = umask(0);
    umask(mask);
    fs::permissions(partial, static_cast<fs::perms>(0777 & ~mask));
    for (const auto& [name, text] : files) write_file(fs::path(partial) / name, text);
    if (!tables.empty()) write_file(fs::path(partial) / "tables.h", tables);
    replace_directory(partial, target);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(partial, ignored);
    const auto old = error.path2().string();
    throw Error(Code::io, target.string(), {}, "cannot be written: " + error.code().message(),
                "check space and permissions" + (old.empty() ? "" : "; what was there is " + old));
  } catch (...) {
    fs::remove_all(partial, ignored);
    throw;
  }
}

}  // namespace skelgen::emit
