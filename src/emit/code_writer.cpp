#include "emit/code_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/error.h"

namespace skelgen::emit {

namespace {

/// A place to break a line: behind a comma. None: npos.
struct Break {
  std::size_t comma = std::string_view::npos;
  int depth = 0;  ///< parentheses and braces that are open there
};

/// Breaks of `text` up to `limit`, which begins at `depth`: the last one in the fewest parentheses, and the first one
/// that is in fewer than the text's begin. O(limit), as tables may be long.
std::pair<Break, Break> breaks(std::string_view text, std::size_t limit, int depth) {
  Break best, outer;
  int now = depth;
  for (std::size_t i = 0; i <= limit && i + 1 < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++now;
    if (text[i] == ')' || text[i] == '}') --now;
    if (i == 0 || text[i] != ',' || text[i + 1] != ' ') continue;
    if (best.comma == std::string_view::npos || now <= best.depth) best = {i, now};
    if (now < depth && outer.comma == std::string_view::npos) outer = {i, now};
  }
  return {best, outer};
}

}  // namespace

void Writer::line(std::string_view text) {
  std::string margin(2 * indent_, ' ');
  for (int depth = 0;;) {
    const auto used = 2 * outer_ + margin.size() + 1;
    const bool fits = used - 1 + text.size() <= kWidth;
    const auto [best, outer] = breaks(text, kWidth > used ? kWidth - used : 0, depth);
    // What was broken inside ends on a line of its own.
    const Break at = depth > 1 && outer.comma < best.comma + 1 ? outer : fits ? Break{} : best;
    if (at.comma == std::string_view::npos) break;
    text_ += margin;
    text_ += text.substr(0, at.comma + 1);
    text_ += '\n';
    text.remove_prefix(at.comma + 2);
    depth = at.depth;
    margin.assign(2 * indent_ + 4 * static_cast<std::size_t>(std::max(1, depth)), ' ');
  }
  text_ += margin;
  text_ += text;
  text_ += '\n';
}

void Writer::lines(const std::vector<std::string>& all, std::string_view note) {
  const auto call = std::ranges::find_if(all, [](const auto& text) { return text.find("MPI_") != std::string::npos; });
  const auto beside = note.empty() || call != all.end() ? call : all.begin();
  for (auto text = all.begin(); text != all.end(); ++text) {
    const bool here = !note.empty() && text == beside;
    const auto both = here ? fmt::format("{} /* {} */", *text, note) : *text;
    const bool fits = 2 * (outer_ + indent_) + both.size() <= kWidth;
    if (here && !fits) line(fmt::format("/* {} */", note));
    line(fits ? both : *text);
  }
}

void Writer::open(std::string_view head, std::string_view note) {
  const auto line_of = head.empty() ? "{" : std::string(head) + " {";
  const auto comment = note.empty() ? "" : fmt::format("/* {} */", note);
  const bool may_unite = note.empty() && (head.starts_with("if (") || head.starts_with("static void "));
  heads_.push_back(may_unite ? text_.size() : std::string::npos);
  if (!note.empty() && 2 * (outer_ + indent_) + line_of.size() + 1 + comment.size() <= kWidth) {
    line(line_of + " " + comment);
  } else {
    if (!note.empty()) line(comment);
    line(line_of);
  }
  ++indent_;
}

void Writer::close(std::string_view tail) {
  --indent_;
  const auto head = heads_.back();
  heads_.pop_back();
  if (tail != "}" || !unite(head)) line(tail);
}

/// Makes "head {" at `head`, if that is one line, and the one simple statement behind it a line if that is long enough:
/// "if (...) statement;", or "static void name() { statement; }". Else an "if" loses its braces.
bool Writer::unite(std::size_t head) {
  if (head == std::string::npos) return false;
  const auto begin = text_.find('\n', head) + 1, end = text_.find('\n', begin) + 1;
  if (end == 0 || end != text_.size() || text_.compare(begin - 3, 3, " {\n") != 0) return false;
  const auto inner = 2 * (indent_ + 1) + begin;
  const auto statement = std::string_view(text_).substr(inner, end - 1 - inner);
  for (const std::string_view other : {"if (", "for (", "switch (", "const ", "/*"})
    if (statement.starts_with(other)) return false;
  const bool function = text_.compare(head + 2 * indent_, 7, "static ") == 0;
  const auto united = fmt::format(fmt::runtime(function ? "{} {{ {} }}" : "{} {}"),
                                  std::string_view(text_).substr(head, begin - 3 - head), statement);
  const bool fits = 2 * outer_ + united.size() <= kWidth;
  if (fits)
    text_.replace(head, end - head, united + "\n");
  else if (!function)
    text_.erase(begin - 3, 2);
  return fits || !function;
}

void Writer::close_open(std::string_view text) {
  heads_.back() = std::string::npos;
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

std::string behind_comma(const std::string& text) { return text.empty() ? text : ", " + text; }

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string duration(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

}  // namespace skelgen::emit
