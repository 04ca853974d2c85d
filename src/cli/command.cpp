#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "support/printable.h"

namespace skelgen::cli {
namespace {

/// CLI11 knows neither the program's name in front of a subcommand's nor what stands behind `--`.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string line) : line_(std::move(line)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: skelgen " + line_ + "\n"; }

 private:
  std::string line_;
};

}  // namespace

void require_launcher(const Context& context, const CLI::App& app) {
  if (!context.launcher.empty()) return;
  const std::string line = "skelgen " + app.get_name() + " -- mpiexec -n 4";
  if (app.get_name() == "trace" || app.get_name() == "time")
    throw Error(Code::usage, "the program to run is missing", "write it behind --: " + line + " ./app");
  throw Error(Code::usage, "the launcher is missing", "write it without a program behind --: " + line);
}

void refuse_launcher(const Context& context, const CLI::App& app) {
  if (!context.launcher.empty())
    throw Error(Code::usage, "skelgen " + app.get_name() + " starts nothing", "leave out -- and what follows");
}

void set_usage(CLI::App& app, const std::string& line) {
  const auto formatter = std::make_shared<UsageFormatter>(line);
  formatter->column_width(34);
  app.formatter(formatter);
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [=](std::string& text) {
        std::uint64_t value = 0;
        const auto end = text.data() + text.size();
        const auto [at, problem] = std::from_chars(text.data(), end, value);
        if (problem == std::errc() && at == end && value >= least && value <= most) return std::string();
        return fmt::format("must be a whole number >= {}{}, not {}", least,
                           most == UINT64_MAX ? "" : fmt::format(" and <= {}", most), text);
      },
      "");
}

namespace {

template <typename Good>
CLI::Validator number(Good good, std::string wanted) {
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && good(value)
                   ? std::string()
                   : fmt::format("must be a number {}, not {}", wanted, text);
      },
      "");
}

}  // namespace

CLI::Validator number_from(double least) {
  return number([=](double value) { return value >= least; }, fmt::format(">= {}", least));
}

CLI::Validator positive_number() {
  return number([](double value) { return value > 0; }, "> 0");
}

CLI::Validator share() {
  return number([](double value) { return value >= 0 && value < 1; }, ">= 0 and < 1");
}

void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
}

void note(const Context& context, const std::string& text) {
  context.err << "skelgen: " << printable(text) << std::endl;
}

}  // namespace skelgen::cli
