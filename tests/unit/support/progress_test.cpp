// Long work shows that it goes on, short work shows nothing.
#include "support/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>

namespace skelgen {
namespace {

using std::chrono::milliseconds;

/// Keeps what is written, and tells whoever waits for it.
class Screen : public std::streambuf {
 public:
  /// False if the text has not appeared for a long time.
  bool shows(const std::string& text) {
    std::unique_lock guard(lock_);
    return written_.wait_for(guard, std::chrono::seconds(60), [&] { return all_.find(text) != std::string::npos; });
  }
  std::string all() {
    const std::lock_guard guard(lock_);
    return all_;
  }

 private:
  int overflow(int c) override {
    const char one = static_cast<char>(c);
    xsputn(&one, 1);
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    const std::lock_guard guard(lock_);
    all_.append(text, static_cast<std::size_t>(n));
    written_.notify_all();
    return n;
  }

  std::mutex lock_;
  std::condition_variable written_;
  std::string all_;
};

TEST(Progress, ShowsTheStageAndCleansUp) {
  Screen screen;
  std::ostream out(&screen);
  {
    Progress progress(&out, milliseconds(5));
    progress.stage("read");
    EXPECT_TRUE(screen.shows(" s in all"));
    EXPECT_THAT(screen.all(), testing::StartsWith("\r\033[Kskelgen: read, "));
    progress.stage("fold");
    EXPECT_TRUE(screen.shows("skelgen: fold, "));
  }
  EXPECT_THAT(screen.all(), testing::EndsWith("\r\033[K"));
}

TEST(Progress, ShowsNothingOfShortWork) {
  std::ostringstream out;
  {
    Progress progress(&out);
    progress.stage("read");
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, ShowsNothingWithoutAStream) {
  Progress progress(nullptr, milliseconds(1));
  progress.stage("read");
  std::this_thread::sleep_for(milliseconds(5));
}

}  // namespace
}  // namespace skelgen
