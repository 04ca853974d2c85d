#include "support/replace.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "support/error.h"

namespace skelgen {
namespace {

namespace fs = std::filesystem;

bool move(const fs::path& from, const fs::path& to, unsigned flags = 0) {
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
}

/// What is left of it does no harm: the new one has its place.
void discard(const fs::path& old) {
  std::error_code ignored;
  fs::remove_all(old, ignored);
}

/// The old directory aside, the new one in. False, with errno, if one of them failed: the old one is back then, or
/// another one has taken its place meanwhile (ENOENT). Throws where it cannot be moved back.
bool move_aside(const fs::path& complete, const fs::path& target) {
  const fs::path old = complete.string() + ".old";
  if (!move(target, old)) return false;
  if (move(complete, target)) {
    discard(old);
    return true;
  }
  const int problem = errno;
  if (move(old, target)) {
    errno = problem;
  } else if (errno == ENOTEMPTY || errno == EEXIST) {
    discard(old);
    errno = ENOENT;
  } else {
    throw fs::filesystem_error("", target, old, std::error_code(problem, std::generic_category()));
  }
  return false;
}

Error cannot_be_written(const fs::path& file) {
  return {Code::io, file.string(), {}, "cannot be written", "check the place, space and permissions"};
}

/// Where the file is written before it gets its name. Throws where something else has that name.
fs::path partial_of(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
    throw Error(Code::io, file.string(), {}, "exists and is no file", "choose another name or remove it");
  fs::path partial = file;
  partial += ".partial-" + std::to_string(getpid());
  return partial;
}

}  // namespace

void replace_directory(const fs::path& complete, const fs::path& target, bool can_exchange) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (move(complete, target)) return;  // nothing there, or an empty directory
    if (errno != ENOTEMPTY && errno != EEXIST) break;
    if (can_exchange && move(complete, target, RENAME_EXCHANGE)) {
      discard(complete);
      return;
    }
    if (can_exchange && errno != EINVAL && errno != ENOSYS && errno != ENOENT) break;
    if (errno != ENOENT && move_aside(complete, target)) return;
    if (errno != ENOENT) break;  // else the old one has gone since
  }
  throw fs::filesystem_error("", std::error_code(errno, std::generic_category()));
}

void write_file(const fs::path& file, const std::function<void(std::ostream&)>& write) {
  std::error_code problem;
  const auto partial = partial_of(file);
  std::ofstream out(partial, std::ios::binary);
  write(out);
  out.close();
  if (out) fs::rename(partial, file, problem);
  if (!out || problem) {
    fs::remove(partial, problem);
    throw cannot_be_written(file);
  }
}

void require_writable_file(const fs::path& file) {
  std::error_code ignored;
  const auto partial = partial_of(file);
  const bool writable = std::ofstream(partial).is_open();
  fs::remove(partial, ignored);
  if (!writable) throw cannot_be_written(file);
}

void write_file(const fs::path& file, std::string_view text) {
  write_file(file, [&](std::ostream& out) { out << text; });
}

}  // namespace skelgen
