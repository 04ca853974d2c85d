#include "text/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "support/error.h"

namespace skelgen::text {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20;  ///< token

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Length of the number at the begin of the text: "12", "1.5", "1e-7". The dots of "0..3" are no part of it.
std::size_t number_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::size_t i = 0;
  while (digit(at(i))) ++i;
  if (at(i) == '.' && digit(at(i + 1)))
    for (++i; digit(at(i));) ++i;
  const std::size_t sign = at(i + 1) == '+' || at(i + 1) == '-';
  if ((at(i) == 'e' || at(i) == 'E') && digit(at(i + 1 + sign)))
    for (i += 1 + sign; digit(at(i));) ++i;
  return i;
}

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the file";
  if (token.kind == Token::Kind::line_end) return "the end of the line";
  std::string text;
  for (const char c : token.text.substr(0, 40))
    text += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e
                ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c))
                : std::string(1, c);
  if (token.text.size() > 40) text += "...";
  return token.kind == Token::Kind::string ? text : '"' + text + '"';
}

}  // namespace

Tokens::Tokens(std::string_view text, const std::string& file, const Limits& limits) : file_(file), limits_(limits) {
  scan(text);
}

void Tokens::scan(std::string_view text) {
  std::uint32_t line = 1;
  std::size_t begin_of_line = 0, brackets = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    Token token{Token::Kind::sign, text.substr(i, 1), line, static_cast<std::uint32_t>(i - begin_of_line + 1)};
    if (c == '\n') {
      token.kind = Token::Kind::line_end;
      if (brackets == 0 && !all_.empty() && all_.back().kind != Token::Kind::line_end) all_.push_back(token);
      ++line;
      begin_of_line = ++i;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
      continue;
    }
    if (c == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    if (letter(c)) {
      std::size_t end = i + 1;
      while (end < text.size() && (letter(text[end]) || digit(text[end]))) ++end;
      token = {Token::Kind::word, text.substr(i, end - i), token.line, token.column};
    } else if (digit(c)) {
      token = {Token::Kind::number, text.substr(i, number_length(text.substr(i))), token.line, token.column};
    } else if (c == '"') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n')
        end += text[end] == '\\' && text.substr(end + 1, 1) != "\n" ? 2 : 1;
      if (end >= text.size() || text[end] != '"') refuse(token, "a text in quotes that does not end on its line");
      token = {Token::Kind::string, text.substr(i, end + 1 - i), token.line, token.column};
    } else if (c == '.' && text.substr(i, 2) == "..") {
      token.text = text.substr(i, 2);
    } else if (std::string_view("()[]{},=+-%^|/:").find(c) == std::string_view::npos) {
      fail(token, "a statement of the text form (docs/text-form.md)");
    }
    if (token.text == "(" || token.text == "[") ++brackets;
    if ((token.text == ")" || token.text == "]") && brackets > 0) --brackets;
    if (token.text.size() > kLongest) refuse(token, "a word, number or text of more than 2^20 characters");
    i += token.text.size();
    if (all_.size() == limits_.values)
      refuse(token, fmt::format("more than {} words and signs in all", limits_.values));
    all_.push_back(token);
  }
  const auto column = static_cast<std::uint32_t>(text.size() - begin_of_line + 1);
  if (!all_.empty() && all_.back().kind != Token::Kind::line_end)
    all_.push_back({Token::Kind::line_end, {}, line, column});
  all_.push_back({Token::Kind::end, {}, line, column});
}

Token Tokens::take() {
  const Token token = peek();
  if (next_ + 1 < all_.size()) ++next_;
  return token;
}

bool Tokens::is(std::string_view text) const {
  const Token& token = peek();
  return (token.kind == Token::Kind::sign || token.kind == Token::Kind::word) && token.text == text;
}

bool Tokens::accept(std::string_view text) {
  if (!is(text)) return false;
  take();
  return true;
}

void Tokens::expect(std::string_view text) {
  if (!accept(text)) fail(fmt::format("\"{}\"", text));
}

void Tokens::expect_line_end() {
  if (peek().kind != Token::Kind::line_end) fail("the end of the line");
  take();
}

std::string_view Tokens::word(const char* what) {
  if (peek().kind != Token::Kind::word) fail(what);
  return take().text;
}

std::string_view Tokens::digits(const char* what) {
  if (peek().kind != Token::Kind::number) fail(what);
  return take().text;
}

std::int64_t Tokens::integer(const char* what) {
  const Token at = peek();
  const bool negative = accept("-");
  if (!negative) accept("+");
  if (peek().kind != Token::Kind::number) fail(at, what);
  const std::string_view text = take().text;
  std::uint64_t size = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (end != text.data() + text.size() && problem == std::errc()) fail(at, what);
  if (problem != std::errc() || size > (std::uint64_t{1} << 63) - (negative ? 0 : 1))
    refuse(at, "a number of more than 63 bits", "give a smaller one");
  return static_cast<std::int64_t>(negative ? 0 - size : size);
}

std::uint64_t Tokens::natural(const char* what, std::uint64_t most) {
  const Token at = peek();
  const std::string_view text = digits(what);
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc() && end != text.data() + text.size()) fail(at, what);
  if (problem != std::errc() || value > most)
    refuse(at, fmt::format("{} is too large", text.substr(0, 40)), fmt::format("give {} of at most {}", what, most));
  return value;
}

double Tokens::real(const char* what) {
  const Token at = peek();
  const std::string_view text = digits(what);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) fail(at, what);
  return value;
}

std::string Tokens::string(const char* what) {
  if (peek().kind != Token::Kind::string) fail(what);
  const Token token = take();
  const std::string_view inside = token.text.substr(1, token.text.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      text += inside[i];
      continue;
    }
    const char next = inside[++i];
    if (next == '"' || next == '\\') {
      text += next;
      continue;
    }
    int code = -1;
    const char* const hex = inside.data() + i + 1;
    if (next == 'x' && i + 2 < inside.size() && std::from_chars(hex, hex + 2, code, 16).ptr != hex + 2) code = -1;
    if (next != 'x' || code < 0) fail(token, "\\\", \\\\ or \\xHH with two hexadecimal digits behind each \\");
    text += static_cast<char>(code);
    i += 2;
  }
  return text;
}

void Tokens::fail(const Token& at, const std::string& expected) const {
  refuse(at, "found " + shown(at), "expected " + expected);
}

void Tokens::refuse(const Token& at, const std::string& text, const std::string& remedy) const {
  throw Error(Code::corrupt, fmt::format("{}:{}:{}", file_, at.line, at.column), {}, text, remedy);
}

void Tokens::count(const Token& at, std::uint64_t values) {
  values_ += std::min(values, limits_.values + 1);
  if (values_ > limits_.values)
    refuse(at, fmt::format("more than {} values in all", limits_.values), "write a smaller program");
}

void Tokens::skip_block() {
  const Token open = peek();
  for (std::size_t depth = 1; depth > 0;) {
    if (at_end())
      refuse(peek(), fmt::format("the text ends inside of the statements from line {} on", open.line),
             "give all of it, with \"}\" at the end of each block");
    const Token token = take();
    if (token.kind == Token::Kind::sign && token.text == "{") ++depth;
    if (token.kind == Token::Kind::sign && token.text == "}") --depth;
  }
}

}  // namespace skelgen::text
