#pragma once
// The text form as words, numbers and signs. Internal to src/text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/text.h"

namespace skelgen::text {

struct Token {
  enum class Kind : std::uint8_t { word, number, string, sign, line_end, end };
  Kind kind;
  std::string_view text;  ///< a string's with its quotes
  std::uint32_t line, column;
};

/// The words of a text one after the other. Line ends between brackets are skipped, and so are comments, which begin
/// with #. Refers to the text.
class Tokens {
 public:
  Tokens(std::string_view text, const std::string& file, const Limits& limits);

  const Token& peek(std::size_t ahead = 0) const { return all_[std::min(next_ + ahead, all_.size() - 1)]; }
  Token take();
  /// True if the next one is this sign or word.
  bool is(std::string_view text) const;
  /// The same, and takes it.
  bool accept(std::string_view text);
  /// Takes this sign or word, or fails; a number is none.
  void expect(std::string_view text);
  void expect_line_end();
  bool at_end() const { return peek().kind == Token::Kind::end; }

  std::string_view word(const char* what);
  /// Whole numbers; a sign may stand before a signed one.
  std::int64_t integer(const char* what);
  std::uint64_t natural(const char* what, std::uint64_t most);
  double real(const char* what);
  /// Text of a number that is not negative, with its digits as they are.
  std::string_view digits(const char* what);
  std::string string(const char* what);

  /// "FILE:LINE:COLUMN: found what the token is; expected what".
  [[noreturn]] void fail(const Token& at, const std::string& expected) const;
  [[noreturn]] void fail(const std::string& expected) const { fail(peek(), expected); }
  /// "FILE:LINE:COLUMN: text; remedy".
  [[noreturn]] void refuse(const Token& at, const std::string& text, const std::string& remedy = {}) const;

  /// So many more values are kept; fails at the token if they become too many.
  void count(const Token& at, std::uint64_t values);
  const Limits& limits() const { return limits_; }

  /// To read a part of the text later.
  std::size_t place() const { return next_; }
  void go_to(std::size_t place) { next_ = place; }
  /// Goes behind the sign that closes the block that the sign before the next token opened.
  void skip_block();

 private:
  void scan(std::string_view text);

  const std::string& file_;
  const Limits limits_;
  std::vector<Token> all_;
  std::size_t next_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace skelgen::text
