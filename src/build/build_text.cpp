// Skeletons from texts, and their texts.

#include <unistd.h>

#include <algorithm>

#include "build/build.h"
#include "build/provenance.h"
#include "build/shape.h"
#include "build/stage_clock.h"
#include "generalize/instance.h"
#include "support/error.h"
#include "support/read.h"
#include "support/replace.h"
#include "text/text.h"
#include "work/fit.h"

namespace skelgen::build {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostOfValue = 32;  ///< bytes of memory for each value that a text may ask for
constexpr std::uintmax_t kLargestText = std::uintmax_t{1} << 30;

/// As many values as the memory of this machine holds, so that it reads every text that it has written.
text::Limits limits() {
  text::Limits limits;
  const auto pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && bytes > 0)
    limits.values =
        std::max(limits.values, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) / kMostOfValue);
  return limits;
}

/// The text for so many ranks.
std::string at_ranks(std::string text, const fs::path& file, std::optional<std::uint32_t> ranks) {
  const bool general = generalize::is_general(text);
  if (general && !ranks)
    throw Error(Code::usage, file.string(), {}, "is a skeleton for any number of ranks", "say which one: --ranks 64");
  if (!general && ranks)
    throw Error(Code::usage, file.string(), {}, "is a skeleton for one number of ranks", "leave out --ranks");
  return general ? generalize::instantiate(text, file.string(), *ranks) : text;
}

}  // namespace

std::string text_of_file(const fs::path& file) {
  std::error_code problem;
  const auto size = fs::file_size(file, problem);
  if (!problem && size > kLargestText)
    throw Error(Code::corrupt, file.string(), {}, "is larger than any text of a skeleton", "give a trace or a text");
  auto text = read_file(file, "check its permissions");
  if (text.starts_with("\177ELF"))
    throw Error(Code::corrupt, file.string(), {}, "is a program, not a trace or a skeleton",
                "trace it first: skelgen trace -- LAUNCHER PROGRAM");
  return text;
}

bool is_for_any_ranks(const fs::path& file) { return generalize::is_general(text_of_file(file)); }

Built build_text(const fs::path& file, const Options& options) {
  Built built;
  auto& [result, provenance, diagnostics] = built;
  StageClock clock(options.progress);
  clock.enter("read", diagnostics.stages.read);
  skeleton::Places places;
  result.skeleton = text::parse(at_ranks(text_of_file(file), file, options.ranks), file.string(), limits(), &places);
  provenance = provenance_of(result.skeleton.notes, file);
  provenance.text = std::move(places);
  for (const auto& [name, calls] : calls_by_function(result.skeleton)) {
    provenance.records_in += calls;
    if (mpi::find(name)->kind == mpi::Kind::opaque) provenance.opaque[name] = calls;
  }
  work::fit_works(result.skeleton);
  clock.enter("plan", diagnostics.stages.plan);
  plan(built, options);
  clock.leave();
  return built;
}

void write_text(const fs::path& file, const Built& built) {
  write_file(file, [&](std::ostream& out) { text::print(out, built.result.skeleton); });
}

fs::path default_skeleton_name(const fs::path& text) {
  auto name = text.stem();
  if (name.extension() == ".skel") name = name.stem();
  return name.string() + ".skel";
}

}  // namespace skelgen::build
