#pragma once
// Giving what is complete its final name.

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace skelgen {

/// Renames `complete` to `target`, whatever others do at the same time. A directory that stands there under that name
/// is removed only when the new one has its place. Both must be on one file system; `can_exchange`: whether that can
/// exchange two names, if the kernel can. Throws std::filesystem::filesystem_error; `target` is then as it was, or under
/// the name that path2() gives.
void replace_directory(const std::filesystem::path& complete, const std::filesystem::path& target,
                       bool can_exchange = true);

/// Writes `file` by `write`; it has that name only when it is complete. Throws Error{io} where that fails; nothing is
/// left behind then.
void write_file(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write);

}  // namespace skelgen
