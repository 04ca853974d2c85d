#pragma once
// Text of programs: a writer that owns braces, indentation and width, and templates with holes.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace skelgen::emit {

/// Collects lines. Long ones are broken behind a comma in as few parentheses as possible and continued four columns
/// further in.
class Writer {
 public:
  /// outer: levels of two columns by which all this will be indented further.
  explicit Writer(std::size_t outer = 0) : outer_(outer) {}
  /// The level of a block that is opened now, for a writer of what stands in it.
  std::size_t inner() const { return outer_ + indent_ + 1; }
  /// kWidth counts from the left end of the line, `indent` levels of two columns included.
  static constexpr std::size_t kWidth = 120;

  void line(std::string_view text);
  /// Lines of one statement, one of which makes an MPI call: the note becomes a comment behind that, or before it if it
  /// is too long for both.
  void lines(const std::vector<std::string>& all, std::string_view note);
  /// Writes "head {" and indents what follows until close(). An empty head gives a bare block. The note becomes a
  /// comment behind it, or before it if the line is too short for both.
  void open(std::string_view head, std::string_view note = {});
  void close(std::string_view tail = "}");
  /// Closes one block and opens the next on the same line: "} else {".
  void close_open(std::string_view text);
  void blank() { text_ += '\n'; }
  /// Adds whole lines of another writer, re-indented to the current level.
  void add(const std::string& lines);
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  bool ends_blank() const { return text_.ends_with("\n\n"); }

 private:
  bool unite(std::size_t head);

  std::string text_;
  std::size_t indent_ = 0, outer_ = 0;
  std::vector<std::size_t> heads_;  ///< of open blocks: where an "if" without a comment begins, or npos
};

/// Replaces each hole /*@name@*/ of `text` by its value. A hole that stands alone on its line: every line of the value
/// is indented to the hole's column, and the line vanishes with the blank line before it if the value is empty. Throws
/// Error{internal} for a hole without value.
std::string fill(std::string_view text, const std::map<std::string, std::string, std::less<>>& values);

/// "a, b, c"
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");
/// ", a"; empty for an empty text.
std::string behind_comma(const std::string& text);
/// Shortest decimal that keeps nine digits: "0.25", "1.5e-06".
std::string number(double value);
/// For people: "12.3 us", "4.56 s".
std::string duration(double seconds);

}  // namespace skelgen::emit
