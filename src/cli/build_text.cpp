// A skeleton as text: written, and built from.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/pipeline.h"
#include "cli/shape.h"
#include "skeleton/parse.h"
#include "support/progress.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestText = std::uintmax_t{1} << 30;

std::string contents(const fs::path& file) {
  std::error_code problem;
  const auto size = fs::file_size(file, problem);
  if (!problem && size > kLargestText)
    throw Error(Code::corrupt, file.string(), {}, "is larger than any text of a skeleton", "give a trace or a text");
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw Error(Code::io, file.string(), {}, "cannot be read", "check its permissions");
  return text;
}

std::uint64_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

/// What add_notes wrote.
void read_notes(Built& built) {
  for (const auto& [name, note] : built.skeleton.notes) {
    if (name == "normalize" && note == text(Order::exchange)) built.order = Order::exchange;
    if (name == "exchanges") built.exchanges = number(note);
    if (name == "polls") built.polls = number(note);
    if (name == "suspended") built.suspended = number(note);
    if (name != "concurrency") continue;
    built.concurrency = Json::parse(note, nullptr, false);
    if (built.concurrency.is_discarded()) built.concurrency = nullptr;
  }
}

}  // namespace

Built build_text(const fs::path& file, const BuildOptions& options) {
  Built built;
  Laps laps;
  Progress progress(options.progress);
  progress.stage("read");
  built.skeleton = skeleton::parse(contents(file), file.string(), {}, &built.text.emplace());
  read_notes(built);
  built.stages.read = laps.lap();
  progress.stage("plan");
  plan(built, options);
  for (const auto& [name, calls] : calls_by_function(built.skeleton)) {
    built.records_in += calls;
    if (mpi::find(name)->kind == mpi::Kind::opaque) built.opaque[name] = calls;
  }
  built.stages.plan = laps.lap();
  return built;
}

void write_text(const fs::path& file, const Built& built) {
  std::error_code problem;
  if (fs::exists(file, problem) && !fs::is_regular_file(file, problem))
    throw Error(Code::io, file.string(), {}, "exists and is no file", "choose another name or remove it");
  auto partial = file;
  partial += ".partial";
  std::ofstream out(partial, std::ios::binary);
  skeleton::print(out, built.skeleton);
  out.close();
  if (out) fs::rename(partial, file, problem);
  if (!out || problem) {
    fs::remove(partial, problem);
    throw Error(Code::io, file.string(), {}, "cannot be written", "check the place, space and permissions");
  }
}

fs::path default_skeleton_name(const fs::path& text) {
  auto name = text.stem();
  if (name.extension() == ".skel") name = name.stem();
  return name.string() + ".skel";
}

}  // namespace skelgen::cli
