#pragma once
// Directories that go away by themselves.

#include <filesystem>
#include <string>

namespace skelgen::launch {

/// A new directory, removed with everything in it at the end of its life.
class TemporaryDirectory {
 public:
  /// PARENT/.skelgen-PURPOSE-XXXXXX. Throws Error{io} if it cannot be made.
  TemporaryDirectory(const std::filesystem::path& parent, const std::string& purpose);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Where ranks on all hosts can most likely write: the working directory if it is writable, else $TMPDIR, else /tmp.
/// Absolute.
std::filesystem::path scratch_parent();

/// Throws Error{io} unless files can be made in `directory` (which must exist).
void require_writable(const std::filesystem::path& directory);

}  // namespace skelgen::launch
