// A skeleton as text: written, and built from.

#include "text/text.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "build/build.h"
#include "build/shape.h"
#include "support/progress.h"
#include "support/replace.h"

namespace skelgen::build {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostOfValue = 32;  ///< bytes of memory for each value that a text may ask for
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

/// What this machine has room for: what it built of a trace, it reads again.
text::Limits limits() {
  text::Limits limits;
  const auto pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && bytes > 0)
    limits.values =
        std::max(limits.values, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) / kMostOfValue);
  return limits;
}

/// Nothing unless it is a number and nothing else.
std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// An object of numbers, some of which may be null; nothing for other texts. What lies deeper is not even kept: to write
/// it would take a call for each level.
std::optional<Json> numbers(const std::string& text) {
  bool flat = true;
  const auto keep = [&](int depth, Json::parse_event_t event, Json&) {
    flat = flat &&
           (depth == 0 || (event != Json::parse_event_t::object_start && event != Json::parse_event_t::array_start));
    return flat;
  };
  auto json = Json::parse(text, keep, false);
  if (!flat || !json.is_object()) return {};
  for (const auto& [_, value] : json.items())
    if (!value.is_number() && !value.is_null()) return {};
  return json;
}

/// What add_notes wrote.
void read_notes(Built& built, const fs::path& file) {
  for (const auto& [name, note] : built.skeleton.notes) {
    const auto wrong = [&](const char* expected) {
      throw Error(Code::corrupt, file.string(), {}, "the note \"" + name + "\" is no " + expected, "leave it out");
    };
    if (name == "normalize") {
      if (note != text(Order::exchange) && note != text(Order::strict)) wrong("order: strict or exchange");
      built.order = note == text(Order::exchange) ? Order::exchange : Order::strict;
    }
    for (const auto& [known, member] : {std::pair{"exchanges", &Built::exchanges}, std::pair{"polls", &Built::polls},
                                        std::pair{"suspended", &Built::suspended}}) {
      if (name != known) continue;
      const auto value = number(note);
      if (!value) wrong("number");
      built.*member = *value;
    }
    if (name == "run") built.run = note;
    if (name != "concurrency") continue;
    const auto measures = numbers(note);
    if (!measures) wrong("JSON object of numbers");
    built.concurrency = *measures;
  }
}

}  // namespace

Built build_text(const fs::path& file, const Options& options) {
  Built built;
  Laps laps;
  Progress progress(options.progress);
  progress.stage("read");
  built.skeleton = text::parse(contents(file), file.string(), limits(), &built.text.emplace());
  read_notes(built, file);
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
  write_file(file, [&](std::ostream& out) { text::print(out, built.skeleton); });
}

fs::path default_skeleton_name(const fs::path& text) {
  auto name = text.stem();
  if (name.extension() == ".skel") name = name.stem();
  return name.string() + ".skel";
}

}  // namespace skelgen::build
