#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "cli/command_texts.h"
#include "cli/option_text.h"
#include "launch/signals.h"
#include "support/printable.h"
#include "support/replace.h"

namespace skelgen::cli {
namespace {

/// CLI11 knows neither the program's name in front of a subcommand's nor what stands behind `--`.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string line) : line_(std::move(line)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: skelgen " + line_ + "\n"; }
  std::string make_description(const CLI::App* app) const override {
    const auto text = app->get_description();
    return text + (text.ends_with('.') ? "\n\n" : ".\n\n");
  }
  std::string make_option(const CLI::Option* option, bool) const override {
    constexpr std::size_t kWidth = 88;
    const auto indent = get_column_width();
    auto line = "  " + option_names(*option);
    line += line.size() + 2 > indent ? "\n" + std::string(indent, ' ') : std::string(indent - line.size(), ' ');
    return line + wrapped(option_text(*option), kWidth - indent, indent) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override {
    std::string text;
    const auto* parent = app->get_parent();
    if (const auto footer = app->get_footer(); !footer.empty() && (!parent || footer != parent->get_footer()))
      text += wrapped_lines(footer);
    const auto examples = texts_of(parent ? app->get_name() : "").examples;
    if (!examples.empty()) text += text.empty() ? "Examples:\n" : "\nExamples:\n";
    for (const auto& [line, meaning] : examples) text += "  " + line + "\n      " + meaning + "\n";
    return text;
  }

 private:
  static std::string wrapped_lines(const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out += wrapped(line, 88, 0) + "\n";
    return out;
  }

  std::string line_;
};

}  // namespace

void set_usage(CLI::App& app, const std::string& line) {
  const auto formatter = std::make_shared<UsageFormatter>(line);
  formatter->column_width(32);
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

CLI::Option* comma_separated(CLI::Option* option) {
  return option->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->delimiter(',');
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

void write_output(const Context& context, const std::string& file, std::string_view text) {
  if (file == "-")
    context.out << text;
  else
    write_file(file, text);
}

void require_writable_output(const std::string& file) {
  if (file != "-") require_writable_file(file);
}

void require_directory_name(const std::string& name, const char* what) {
  if (name == "-")
    throw Error(Code::usage, "-o -", {}, std::string(what) + " is a directory and cannot go to standard output",
                "name a directory");
}

void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
}

std::unique_ptr<Progress> progress_beside_launches(const Context& context) {
  const launch::SignalsElsewhere here;
  return std::make_unique<Progress>(context.terminal ? &context.err : nullptr, context.patience);
}

void note(const Context& context, const std::string& text) {
  context.err << "skelgen: " << context.about << printable(text) << std::endl;
}

void note_spoilt(const Context& context, const std::string& why) {
  note(context,
       "do not trust this: " + why +
           "; other work used the machine, or ranks had no core of their own: measure again on a quiet machine");
}

}  // namespace skelgen::cli
