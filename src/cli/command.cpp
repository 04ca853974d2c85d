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

CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words) {
  return option->check(CLI::IsMember(words).description(""))->type_name(fmt::format("{}", fmt::join(words, "|")));
}

void add_choice(CLI::App& app, const std::string& name, const std::function<void(std::size_t)>& choose,
                const std::vector<std::string>& words, const std::string& description) {
  const auto set = [=](const std::string& word) {
    choose(static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()));
  };
  one_of(app.add_option_function<std::string>(name, set, description), words);
}

void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
}

void note(const Context& context, const std::string& text) {
  context.err << "skelgen: " << printable(text) << std::endl;
}

}  // namespace skelgen::cli
