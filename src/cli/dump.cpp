// skelgen dump: one line per recorded call.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <unordered_map>

#include "cli/command.h"
#include "cli/commands.h"
#include "mpi/values.h"
#include "support/printable.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

struct DumpOptions {
  std::string directory;
  std::optional<int> rank;
  std::uint64_t from = 0, count = std::numeric_limits<std::uint64_t>::max();
  bool json = false;
};

class Printer : public trace::Visitor {
 public:
  Printer(std::ostream& out, Location where, const DumpOptions& options)
      : out_(out), where_(where), options_(options) {}

  ~Printer() override { flush(); }

  void event(const trace::Event& event) override {
    const auto index = index_++;
    flush();
    if (index < options_.from || index - options_.from >= options_.count) return;
    auto to = std::back_inserter(line_);
    fmt::format_to(to, "{}.{} {} {:.3f} {:.3f} {:.3f} {}(", where_.rank, where_.thread, index, event.start.value * 1e6,
                   (event.end - event.start).value * 1e6, event.gap.value * 1e6, event.function->name);
    const auto parameters = event.function->recorded;
    for (std::size_t i = 0; i < parameters.size() && i < event.values.size(); ++i) {
      fmt::format_to(to, "{}{}=", i ? ", " : "", parameters[i].name);
      value(parameters[i].role, event.values[i]);
    }
    line_ += ')';
    if (event.error_class) fmt::format_to(std::back_inserter(line_), " failed: error class {}", event.error_class);
    line_ += '\n';
  }
  void comm(const trace::CommDefinition& comm) override {
    define(comm.handle, fmt::format("comm:{:#x}[{}/{}]", comm.handle, comm.rank, comm.size));
  }
  void datatype(const trace::DatatypeDefinition& type) override {
    define(type.handle,
           type.name.empty() ? fmt::format("type:{:#x}[{} in {}]", type.handle, type.size, type.extent) : type.name);
  }
  void op(const trace::OpDefinition& op) override {
    define(op.handle, op.name.empty() ? fmt::format("op:{:#x}", op.handle) : op.name);
  }

 private:
  /// What a call makes is defined behind it, and its handle may have stood for something else before.
  void define(std::uint64_t handle, std::string name) {
    if (handle && made_ == handle) {
      line_.insert(made_at_, name);
      made_ = 0;
    }
    names_[handle] = std::move(name);
  }

  void flush() {
    if (made_) line_.insert(made_at_, fmt::format("{:#x}", made_));
    made_ = 0;
    out_ << line_;
    line_.clear();
  }

  void value(mpi::Role role, const mpi::Value& value) {
    if (!is_array(role)) return scalar(role, value.scalar);
    if (role == mpi::Role::text || role == mpi::Role::texts) return text(value.array);
    line_ += '[';
    for (std::size_t i = 0; i < value.array.size(); ++i) {
      if (i) line_ += ' ';
      scalar(*mpi::properties(role).element, value.array[i]);
    }
    line_ += ']';
  }

  /// In quotes, on this line; a 0 ends one of several.
  void text(std::span<const std::int64_t> characters) {
    std::string quoted = "\"";
    for (const std::int64_t character : characters) {
      if (character == 0)
        quoted += "\" \"";
      else if (character == '"' || character == '\\')
        (quoted += '\\') += static_cast<char>(character);
      else if (character < 0x20)
        fmt::format_to(std::back_inserter(quoted), "\\x{:02x}", character & 0xff);
      else
        quoted += static_cast<char>(character);
    }
    if (quoted.ends_with(" \"")) quoted.resize(quoted.size() - 2);
    line_ += printable(quoted) + '"';
  }

  /// Handles are those of the traced MPI.
  void scalar(mpi::Role role, std::int64_t value) {
    const mpi::RoleProperties& role_properties = mpi::properties(role);
    const auto handle = static_cast<std::uint64_t>(value);
    const bool memory =
        role == mpi::Role::address || (role == mpi::Role::buffer && role_properties.word(value).empty());
    if (role_properties.stands_for && *role_properties.stands_for != role) {
      made_ = handle;
      made_at_ = line_.size();
      if (handle == 0) line_ += "0x0";
    } else if (const auto known = names_.find(handle); known != names_.end() && is_defined(role)) {
      line_ += known->second;
    } else if (memory || !role_properties.type.empty()) {
      fmt::format_to(std::back_inserter(line_), "{:#x}", handle);
    } else {
      line_ += mpi::text(role, value);
    }
  }
  static bool is_defined(mpi::Role role) {
    return role == mpi::Role::comm || role == mpi::Role::datatype || role == mpi::Role::op;
  }

  std::ostream& out_;
  Location where_;
  const DumpOptions& options_;
  std::uint64_t index_ = 0;
  std::string line_;        ///< of the last call
  std::uint64_t made_ = 0;  ///< handle that it made, if that was not defined yet
  std::size_t made_at_ = 0;
  std::unordered_map<std::uint64_t, std::string> names_;
};

/// An object a line: definitions as they come, and calls with all that is recorded of them. Handles and addresses are
/// numbers.
class JsonPrinter : public trace::Visitor {
 public:
  JsonPrinter(std::ostream& out, Location where, const DumpOptions& options)
      : out_(out), where_(where), options_(options) {}

  void event(const trace::Event& event) override {
    const auto index = index_++;
    if (index < options_.from || index - options_.from >= options_.count) return;
    Json arguments = Json::object();
    const auto parameters = event.function->recorded;
    for (std::size_t i = 0; i < parameters.size() && i < event.values.size(); ++i) {
      const mpi::Value& value = event.values[i];
      Json& argument = arguments[std::string(parameters[i].name)];
      if (is_array(parameters[i].role))
        argument = std::vector<std::int64_t>(value.array.begin(), value.array.end());
      else
        argument = value.scalar;
    }
    Json line = location("call", index);
    line.update({{"function", event.function->name},
                 {"start_s", event.start.value},
                 {"end_s", event.end.value},
                 {"gap_s", event.gap.value},
                 {"cpu_s", event.cpu.value},
                 {"arguments", arguments}});
    if (event.error_class) line["error_class"] = event.error_class;
    if (event.site) line["site"] = event.site;
    if (!event.columns.empty())
      line["columns"] = std::vector<std::uint64_t>(event.columns.begin(), event.columns.end());
    print(line);
  }
  void comm(const trace::CommDefinition& comm) override {
    define("comm", comm.handle,
           {{"size", comm.size},
            {"rank", comm.rank},
            {"leader", comm.leader},
            {"inter", comm.inter},
            {"remote_size", comm.remote_size},
            {"remote_leader", comm.remote_leader}});
  }
  void neighbours(const trace::NeighbourDefinition& all) override {
    define("neighbours", all.handle, {{"sources", all.sources}, {"destinations", all.destinations}});
  }
  void file(const trace::FileDefinition& file) override { define("file", file.handle, {{"bytes", file.bytes}}); }
  void datatype(const trace::DatatypeDefinition& type) override {
    define("datatype", type.handle, {{"size", type.size}, {"extent", type.extent}, {"name", type.name}});
  }
  void op(const trace::OpDefinition& op) override {
    define("op", op.handle, {{"commutes", op.commutes}, {"name", op.name}});
  }
  void group(const trace::GroupDefinition& group) override {
    define("group", group.handle, {{"members", group.members}});
  }

 private:
  template <class Value>
  Json location(const char* what, const Value& value) const {
    return {{"rank", where_.rank}, {"thread", where_.thread}, {what, value}};
  }
  void define(const char* what, std::uint64_t handle, const Json& is) {
    if (index_ < options_.from || index_ - options_.from > options_.count) return;
    Json definition{{"handle", handle}};
    definition.update(is);
    print(location(what, definition));
  }
  void print(const Json& line) { out_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n'; }

  std::ostream& out_;
  Location where_;
  const DumpOptions& options_;
  std::uint64_t index_ = 0;
};

int dump(const Context& context, const DumpOptions& options) {
  const auto trace = trace::open(options.directory);
  if (options.rank && (*options.rank < 0 || *options.rank >= trace.ranks()))
    throw Error(Code::invalid_argument, options.directory, {}, fmt::format("has no rank {}", *options.rank),
                fmt::format("give one of 0 to {}", trace.ranks() - 1));
  for (const auto& where : trace.locations()) {
    if (options.rank && where.rank != *options.rank) continue;
    if (options.json) {
      JsonPrinter printer(context.out, where, options);
      trace.visit(where, printer);
      continue;
    }
    Printer printer(context.out, where, options);
    trace.visit(where, printer);
  }
  return 0;
}

}  // namespace

Command add_dump(CLI::App& parent) {
  auto* app = parent.add_subcommand("dump", "Print a trace, one line per call");
  set_usage(*app, "dump [OPTIONS] DIR");
  const auto options = std::make_shared<DumpOptions>();
  app->add_option("DIR", options->directory, "Trace directory")->required();
  app->add_option("--rank", options->rank, "Only this rank")->type_name("R");
  app->add_option("--from", options->from, "First call to print, counted from 0 on each location")
      ->check(whole_number(0))
      ->type_name("N");
  app->add_option("--count", options->count, "Number of calls to print of each location")
      ->check(whole_number(0))
      ->type_name("N")
      ->default_str("");
  app->add_flag("--json", options->json, "One JSON object a line, with all that is recorded");
  app->footer(
      "Columns: rank.thread index start_us dur_us gap_us FUNCTION(argument=value, ...)\n"
      "gap: computation before the call. start: since the earliest MPI_Init entry.");
  return {app, LauncherLine::none, [=](const Context& context) { return dump(context, *options); }};
}

}  // namespace skelgen::cli
