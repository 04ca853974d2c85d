#pragma once
// Atomic replacement of files and directories by complete ones.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

namespace skelgen {

/// Renames `complete` to `target`, whatever others do at the same time. A directory that stands there under that name
/// is removed only when the new one has its place. Both must be on one file system; `can_exchange`: whether that can
/// exchange two names, if the kernel can. Throws std::filesystem::filesystem_error; `target` is then as it was, or under
/// the name that path2() gives.
void replace_directory(const std::filesystem::path& complete, const std::filesystem::path& target,
                       bool can_exchange = true);

/// Writes a file beside its place and gives it its name when all of it is there; a regular file of that name is
/// replaced. Throws Error{io}; the place is then as it was.
void write_file(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write);
void write_file(const std::filesystem::path& file, std::string_view text);
/// Throws what write_file() would where nothing can be written: before the work that makes the text.
void require_writable_file(const std::filesystem::path& file);

}  // namespace skelgen
