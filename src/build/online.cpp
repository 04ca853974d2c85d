#include "build/online.h"

#include <exception>
#include <utility>

#include "launch/command_line.h"
#include "launch/signals.h"
#include "support/error.h"
#include "support/replace.h"
#include "trace/file.h"
#include "trace/follow.h"

namespace skelgen::build {
namespace {

namespace fs = std::filesystem;

}  // namespace

Online::Online(fs::path directory, std::vector<double> rho, int cores)
    : directory_(std::move(directory)), rho_(std::move(rho)), cores_(cores) {
  const launch::SignalsElsewhere inherited;
  reader_ = std::thread([this] { read(); });
}

Online::~Online() { finish(); }

void Online::finish() {
  over_ = true;
  if (reader_.joinable()) reader_.join();
}

void Online::read() try {
  const trace::Followed run(directory_, over_, true);
  try {
    metrics::Options wanted;
    wanted.rho = rho_;
    wanted.path = false;
    wanted.ended = [&] {
      trace::note_cores(run.trace(), launch::host_name(), cores_);
      ended_ = run.ended();
      return *ended_;
    };
    measured_ = metrics::measure(run.trace(), wanted);
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
  gave_back_ = run.gave_back();
} catch (const std::exception& error) {
  problem_ = error.what();
}

void Online::replace_records(const char* file, const std::function<void(std::ostream&)>& write) const {
  const auto remove_records = [&] {
    std::vector<fs::path> records;
    for (const auto& entry : fs::directory_iterator(directory_))
      if (trace::rank_of_file(entry.path().filename().string())) records.push_back(entry.path());
    std::error_code ignored;
    for (const auto& path : records) fs::remove(path, ignored);
  };
  try {
    write_file(directory_ / file, write);
  } catch (const Error&) {
    if (!gave_back_) throw;
    remove_records();  // that makes room
    write_file(directory_ / file, write);
  }
  remove_records();
}

}  // namespace skelgen::build
