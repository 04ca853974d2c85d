// Long work shows that it goes on, short work shows nothing.
#include "support/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace skelgen {
namespace {

using std::chrono::milliseconds;

TEST(Progress, ShowsTheStageAndCleansUp) {
  std::ostringstream out;
  {
    Progress progress(&out, milliseconds(5));
    progress.stage("read");
    std::this_thread::sleep_for(milliseconds(60));
    progress.stage("fold");
    std::this_thread::sleep_for(milliseconds(60));
  }
  EXPECT_THAT(out.str(), testing::StartsWith("\r\033[Kskelgen: read, 0 s in all"));
  EXPECT_THAT(out.str(), testing::HasSubstr("skelgen: fold, 0 s in all"));
  EXPECT_THAT(out.str(), testing::EndsWith("\r\033[K"));
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
