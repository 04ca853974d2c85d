#include "launch/temporary.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "support/error.h"

namespace skelgen::launch {
namespace {

/// Says in errno why not. access(2) answers yes for root on read-only mounts of some file systems: making a file is the
/// only sure answer.
bool can_make_files(const std::filesystem::path& directory) {
  auto name = (directory / ".skelgen-probe-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return false;
  close(file);
  unlink(name.c_str());
  return true;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent, const std::string& purpose) {
  auto name = (parent / (".skelgen-" + purpose + "-XXXXXX")).string();
  if (!mkdtemp(name.data()))
    throw Error(Code::io, parent.string(), {},
                std::string("no temporary directory can be made: ") + std::strerror(errno),
                "change to a writable directory or set TMPDIR");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // nothing better can be done while something else may be failing
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path scratch_parent() {
  std::error_code problem;
  const auto here = std::filesystem::current_path(problem);
  if (!problem && can_make_files(here)) return here;
  const char* chosen = std::getenv("TMPDIR");
  return std::filesystem::absolute(chosen && *chosen ? chosen : "/tmp");
}

void require_writable(const std::filesystem::path& directory) {
  if (!can_make_files(directory))
    throw Error(Code::io, directory.string(), {}, std::string("cannot be written: ") + std::strerror(errno),
                "choose another place with -o");
}

}  // namespace skelgen::launch
