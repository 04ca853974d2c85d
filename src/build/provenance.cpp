#include "build/provenance.h"

#include <algorithm>
#include <charconv>

#include "launch/command_line.h"
#include "metrics/metrics.h"
#include "support/error.h"

namespace skelgen::build {
namespace {

Json concurrency(const metrics::Metrics& all) {
  return {{"he_sun_alpha", all.he_sun.alpha},
          {"phi1", all.he_sun.phi1},
          {"phi7", all.he_sun.phi7},
          {"raynal_alpha", all.raynal.alpha},
          {"serialization", all.pop.serialization}};
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

/// An array of numbers above 0; nothing for other texts.
std::optional<std::vector<double>> times(const std::string& text) {
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_array()) return {};
  std::vector<double> result;
  for (const auto& value : json) {
    if (!value.is_number() || !(value > 0)) return {};
    result.push_back(value.get<double>());
  }
  return result;
}

}  // namespace

void require_complete(const trace::Trace& trace) {
  for (const auto& rank : trace.rank_info()) {
    if (!rank.ending.complete)
      throw Error(Code::corrupt, trace.directory().string(), {},
                  "rank " + std::to_string(rank.rank) + " ended before MPI_Finalize: the trace is incomplete",
                  "trace again; skelgen info shows what is there");
    if (rank.ending.dropped)
      throw Error(Code::corrupt, trace.directory().string(), {},
                  "rank " + std::to_string(rank.rank) + " has " + std::to_string(rank.ending.dropped) +
                      " calls that could not be recorded",
                  "see what the traced run said of it, and trace again");
  }
  if (!trace.wall())
    throw Error(Code::corrupt, trace.directory().string(), {}, "a rank did not call MPI_Finalize",
                "trace a run in which all do; skelgen dump shows the last calls of each");
}

double counted_core_wait(const trace::Trace& trace) {
  return trace.has_cpu_time() ? 0 : metrics::core_wait_share(trace);
}

void annotate(skeleton::Skeleton& skeleton, const trace::Trace& trace) {
  if (const auto wall = trace.wall()) skeleton.traced_wall_s = wall->value;
  const auto ranks = trace.rank_info();
  if (!ranks.empty()) skeleton.mpi_name = ranks.front().mpi_name;
  skeleton.cpu_time = trace.has_cpu_time();
  for (auto& location : skeleton.locations)
    for (const auto& rank : ranks) {
      if (rank.rank != location.where.rank) continue;
      const auto speed = [&](const char* kernel) {
        const auto known = rank.speeds.find(kernel);
        return known == rank.speeds.end() ? 0.0 : known->second;
      };
      location.speed_register = speed("register");
      location.speed_memory = speed("memory");
      location.speed_flops = speed("flops");
      location.kernel_speeds = rank.kernel_speeds;
      location.kernel_noise = rank.kernel_noise;
      location.processor = rank.processor;
    }
}

Provenance provenance_of(const trace::Trace& trace, const normalize::Normalized& traced,
                         const normalize::Normalized& normalized, const Options& options) {
  Provenance provenance;
  provenance.run = trace.run_id();
  provenance.program_mark = launch::program_mark(trace.application());
  provenance.original_runs_s = trace.runs_s();
  provenance.status = trace.status();
  provenance.core_wait = counted_core_wait(trace);
  provenance.order = options.normalize;
  provenance.exchanges = normalized.exchanges;
  provenance.opaque = normalized.opaque;
  provenance.hints_left_out = normalized.hints_left_out;
  for (const auto& location : traced.locations) provenance.records_in += location.calls.size();
  for (const auto& rank : trace.rank_info()) {
    provenance.polls += rank.ending.calls - rank.ending.dropped;
    provenance.suspended += rank.ending.suspended;
  }
  provenance.polls -= std::min(provenance.polls, provenance.records_in);
  provenance.partly_cpu_time =
      !trace.has_cpu_time() && std::ranges::any_of(trace.rank_info(), [](const trace::RankInfo& rank) {
        return std::ranges::find(rank.columns, "cpu_ns") != rank.columns.end();
      });
  if (options.measure && provenance.records_in <= kMostMeasured) {
    metrics::Options measured;
    measured.path = false;
    measured.own_unit = true;
    provenance.concurrency = concurrency(metrics::measure(trace, measured));
  }
  return provenance;
}

Notes notes_of(const Provenance& provenance) {
  Notes notes;
  notes.emplace_back("normalize", text(provenance.order));
  notes.emplace_back("run", provenance.run);
  if (!provenance.program_mark.empty()) notes.emplace_back("program_mark", provenance.program_mark);
  if (provenance.exchanges > 0) notes.emplace_back("exchanges", std::to_string(provenance.exchanges));
  if (provenance.polls > 0) notes.emplace_back("polls", std::to_string(provenance.polls));
  if (provenance.suspended > 0) notes.emplace_back("suspended", std::to_string(provenance.suspended));
  if (!provenance.original_runs_s.empty()) notes.emplace_back("runs_s", Json(provenance.original_runs_s).dump());
  if (provenance.status != 0) notes.emplace_back("status", std::to_string(provenance.status));
  if (provenance.core_wait > 0) notes.emplace_back("core_wait", fmt::format("{}", provenance.core_wait));
  if (provenance.computation_error > 0)
    notes.emplace_back("computation_error", fmt::format("{}", provenance.computation_error));
  if (!provenance.concurrency.is_null()) notes.emplace_back("concurrency", provenance.concurrency.dump());
  return notes;
}

Provenance provenance_of(const Notes& notes, const std::filesystem::path& file) {
  Provenance provenance;
  for (const auto& [name, note] : notes) {
    const auto wrong = [&](const char* expected) {
      throw Error(Code::corrupt, file.string(), {}, "the note \"" + name + "\" is no " + expected, "leave it out");
    };
    if (name == "normalize") {
      if (note != text(Order::exchange) && note != text(Order::strict)) wrong("order: strict or exchange");
      provenance.order = note == text(Order::exchange) ? Order::exchange : Order::strict;
    }
    for (const auto& [known, member] :
         {std::pair{"exchanges", &Provenance::exchanges}, std::pair{"polls", &Provenance::polls},
          std::pair{"suspended", &Provenance::suspended}}) {
      if (name != known) continue;
      const auto value = number(note);
      if (!value) wrong("number");
      provenance.*member = *value;
    }
    if (name == "run") provenance.run = note;
    if (name == "program_mark") provenance.program_mark = note;
    if (name == "runs_s") {
      const auto runs = times(note);
      if (!runs) wrong("JSON array of times");
      provenance.original_runs_s = *runs;
    }
    if (name == "status") {
      const auto status = number(note);
      if (!status) wrong("number");
      provenance.status = static_cast<int>(*status);
    }
    for (const auto& [known, member] : {std::pair{"core_wait", &Provenance::core_wait},
                                        std::pair{"computation_error", &Provenance::computation_error}}) {
      if (name != known) continue;
      const auto value = times("[" + note + "]");
      const bool share = member == &Provenance::core_wait;
      if (!value || value->size() != 1 || (share && value->front() > 1)) wrong(share ? "share (0..1)" : "number");
      provenance.*member = value->front();
    }
    if (name != "concurrency") continue;
    const auto measures = numbers(note);
    if (!measures) wrong("JSON object of numbers");
    provenance.concurrency = *measures;
  }
  return provenance;
}

}  // namespace skelgen::build
