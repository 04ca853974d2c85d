#include "emit/text.h"

#include <fmt/format.h>

#include "support/error.h"

namespace skelgen::emit {

void Writer::line(std::string_view text) {
  std::string margin(2 * indent_, ' ');
  while (margin.size() + text.size() > kWidth) {
    const auto comma = text.rfind(", ", kWidth - margin.size());
    if (comma == std::string_view::npos || comma == 0) break;
    text_ += margin;
    text_ += text.substr(0, comma + 1);
    text_ += '\n';
    text.remove_prefix(comma + 2);
    margin.assign(2 * indent_ + 4, ' ');
  }
  text_ += margin;
  text_ += text;
  text_ += '\n';
}

void Writer::open(std::string_view head) {
  line(head.empty() ? "{" : std::string(head) + " {");
  ++indent_;
}

void Writer::close(std::string_view tail) {
  --indent_;
  line(tail);
}

void Writer::close_open(std::string_view text) {
  --indent_;
  line(text);
  ++indent_;
}

void Writer::add(const std::string& lines) {
  std::size_t at = 0;
  while (at < lines.size()) {
    const auto end = lines.find('\n', at);
    if (end != at) text_.append(2 * indent_, ' ');
    text_ += lines.substr(at, end - at);
    text_ += '\n';
    if (end == std::string::npos) break;
    at = end + 1;
  }
}

std::string fill(std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  for (;;) {
    const auto begin = text.find("/*@");
    if (begin == std::string_view::npos) break;
    const auto end = text.find("@*/", begin);
    const auto name = text.substr(begin + 3, end == std::string_view::npos ? end : end - begin - 3);
    const auto value = values.find(name);
    if (end == std::string_view::npos || value == values.end())
      throw Error(Code::internal, "template hole " + std::string(name) + " has no value");
    out += text.substr(0, begin);
    text.remove_prefix(end + 3);
    const auto line_start = out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1;
    const bool alone =
        out.find_first_not_of(' ', line_start) == std::string::npos && (text.empty() || text.front() == '\n');
    if (!alone) {
      out += value->second;
      continue;
    }
    const std::string margin = out.substr(line_start);
    out.resize(line_start);
    std::string lines = value->second;
    while (!lines.empty() && lines.back() == '\n') lines.pop_back();
    if (!text.empty()) text.remove_prefix(1);
    if (lines.empty()) {
      if (out.ends_with("\n\n")) out.pop_back();
      continue;
    }
    for (std::size_t at = 0; at <= lines.size();) {
      const auto stop = std::min(lines.find('\n', at), lines.size());
      if (stop != at) out += margin;
      out += lines.substr(at, stop - at);
      out += '\n';
      at = stop + 1;
    }
  }
  return out += text;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string duration(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

}  // namespace skelgen::emit
