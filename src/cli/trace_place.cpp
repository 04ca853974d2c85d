#include "cli/trace_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "cli/online.h"
#include "support/error.h"
#include "support/replace.h"
#include "threads/layer_sites.h"
#include "threads/run.h"
#include "trace/alone.h"
#include "trace/file.h"
#include "work/run.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";

/// What the capture library writes, with the names that its files have while they are written.
bool is_of_trace(const fs::directory_entry& entry);

/// What `skelgen profile` adds: a trace of its own with profiles.
bool is_work(const fs::directory_entry& entry) {
  const auto name = entry.path().filename().string();
  if (name != work::kDirectory && name != std::string(work::kDirectory) + ".partial") return false;
  for (const auto& inside : fs::directory_iterator(entry.path()))
    if (!is_of_trace(inside) && !work::is_of_profile(inside.path().filename().string())) return false;
  return true;
}

bool is_of_trace(const fs::directory_entry& entry) {
  auto name = entry.path().filename().string();
  if (entry.symlink_status().type() == fs::file_type::directory) return is_work(entry);
  if (name.ends_with(".new")) name.resize(name.size() - 4);
  return entry.symlink_status().type() == fs::file_type::regular &&
         (trace::rank_of_file(name) || threads::is_thread_file(name) || name == "meta.json" ||
          name == threads::kLayersFile || name == trace::kAloneFile ||
          name.starts_with(std::string(".") + trace::kAloneFile + ".") || name.starts_with(".meta.json.") ||
          name == kOnlineFile || name == std::string(kOnlineFile) + ".partial");
}

/// Name of an entry of `directory` that `is_own` does not know; empty if there is none.
template <class Test>
std::string foreign(const fs::path& directory, Test is_own) {
  for (const auto& entry : fs::directory_iterator(directory))
    if (!is_own(entry)) return entry.path().filename().string();
  return {};
}

bool is_of_partial(const fs::directory_entry& entry) {
  const auto name = entry.path().filename().string();
  if (entry.symlink_status().type() != fs::file_type::directory) return name == kLock;
  return name.starts_with("run-") && foreign(entry.path(), is_of_trace).empty();
}

template <class Test>
void require_replaceable(const fs::path& directory, Test is_own) try {
  const auto type = fs::symlink_status(directory).type();
  if (type == fs::file_type::not_found) return;
  if (type != fs::file_type::directory)
    throw Error(Code::invalid_argument, directory.string(), {},
                type == fs::file_type::symlink ? "is a symbolic link, which is not replaced" : "is not a skelgen trace",
                type == fs::file_type::symlink ? "give what it links to, or another name with -o"
                                               : "choose another name with -o or remove it");
  if (const auto name = foreign(directory, is_own); !name.empty())
    throw Error(Code::invalid_argument, directory.string(), {},
                fmt::format("holds {}, which trace did not write", name),
                "choose another name with -o or move that away");
} catch (const fs::filesystem_error& error) {
  throw Error(Code::invalid_argument, directory.string(), {}, "cannot be looked into: " + error.code().message(),
              "choose another name with -o");
}

[[noreturn]] void fail_to_make(const fs::path& what, int problem) {
  throw Error(Code::io, what.string(), {}, std::string("cannot be made: ") + std::strerror(problem),
              "check space and permissions, or choose another place with -o");
}

bool is_file(int file, const fs::path& path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

bool has_rank_files(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (trace::rank_of_file(entry.path().filename().string())) return true;
  return false;
}

TracePlace::TracePlace(const fs::path& target) : target_(target), partial_(target.string() + ".partial") {
  require_replaceable(target_, is_of_trace);
  require_replaceable(partial_, is_of_partial);
  lock();
  std::error_code ignored;  // what a killed trace left
  for (const auto& entry : fs::directory_iterator(partial_, ignored))
    if (entry.path().filename() != kLock) fs::remove_all(entry.path(), ignored);
}

/// A file system without locks has none: as good as it gets there.
void TracePlace::lock() {
  const auto file = partial_ / kLock;
  for (;;) {
    if (mkdir(partial_.c_str(), 0777) != 0 && errno != EEXIST) fail_to_make(partial_, errno);
    lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock_ < 0 && errno == ENOENT) continue;  // removed since by the one that had it
    if (lock_ < 0) fail_to_make(file, errno);
    const bool taken = flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && is_file(lock_, file)) return;
    close(lock_);
    if (taken)
      throw Error(Code::invalid_argument, target_.string(), {}, "another skelgen trace is writing it",
                  "wait for that or choose another name with -o");
  }
}

TracePlace::~TracePlace() {
  std::error_code ignored;
  if (!leave_)
    for (const auto& entry : fs::directory_iterator(partial_, ignored))
      if (entry.path().filename() != kLock && entry.path() != left_) fs::remove_all(entry.path(), ignored);
  unlink((partial_ / kLock).c_str());
  rmdir(partial_.c_str());  // not if another one has begun there
  close(lock_);
}

fs::path TracePlace::begin_run(int number) const {
  auto directory = partial_ / fmt::format("run-{}", number);
  if (mkdir(directory.c_str(), 0777) != 0) fail_to_make(directory, errno);
  return directory;
}

void TracePlace::leave(const fs::path& run) { left_ = run; }

void TracePlace::keep(const fs::path& run) try {
  leave_ = true;
  require_replaceable(target_, is_of_trace);
  replace_directory(run, target_);
  leave_ = false;
} catch (const Error& error) {
  throw Error(error.code(), error.path(), {}, error.text(), "the new trace is " + run.string());
} catch (const fs::filesystem_error& error) {
  const auto old = error.path2().string();
  throw Error(Code::io, target_.string(), {}, "cannot be replaced: " + error.code().message(),
              "the new trace is " + run.string() + (old.empty() ? "" : ", the old one " + old));
}

}  // namespace skelgen::cli
