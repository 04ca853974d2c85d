#pragma once
// The one exception type of the offline part. Caught in cli/main.cpp, which prints what() as one line (and by `trace`,
// if the trace that it has just made is broken).

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace skelgen {

enum class Code { invalid_argument, usage, io, corrupt, unsupported, launch, mismatch, internal };

/// Place, problem and remedy of one failure.
/// what() is "PATH: TEXT (byte OFFSET); REMEDY" without the parts that were not given.
class Error : public std::runtime_error {
 public:
  Error(Code code, std::string path, std::optional<std::uint64_t> offset, std::string text, std::string remedy = {});
  Error(Code code, std::string text, std::string remedy = {})
      : Error(code, {}, {}, std::move(text), std::move(remedy)) {}

  Code code() const { return code_; }
  const std::string& path() const { return path_; }
  std::optional<std::uint64_t> offset() const { return offset_; }
  const std::string& text() const { return text_; }
  const std::string& remedy() const { return remedy_; }

 private:
  Code code_;
  std::string path_;
  std::optional<std::uint64_t> offset_;
  std::string text_, remedy_;
};

}  // namespace skelgen
