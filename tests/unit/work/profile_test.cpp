#include "work/profile.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "support/error.h"
#include "work/run.h"

namespace skelgen::work {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

void* skel_allocate_zeroed(std::size_t bytes) { return std::calloc(1, bytes); }

#include "reuse.h"

const std::string kHead = "skelgen-profile 1\nfeature 0 instructions\nfeature 1 loads\n";

class ProfileFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string error_of(const std::string& text) const {
    try {
      read_profile(write("wrong", text), [](auto) {});
    } catch (const Error& error) {
      return error.text();
    }
    return "none";
  }
  const std::filesystem::path folder_ =
      std::string("profile-") + ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ProfileFile, IsReadGapByGap) {
  std::vector<std::vector<Count>> gaps;
  const auto profile = read_profile(
      write("whole",
            kHead + "rank 3\ninterval 1 0 12 1 4 load_reuse 0 3 store_reuse 159 8\ninterval 1\nagain 1 0\nend\n"),
      [&](std::span<const Count> counts) { gaps.emplace_back(counts.begin(), counts.end()); });
  EXPECT_EQ(profile.rank, 3);
  EXPECT_EQ(profile.gaps, 3u);
  EXPECT_TRUE(profile.whole);
  ASSERT_THAT(profile.features, SizeIs(2 + 2 * kReuseBuckets));
  EXPECT_EQ(profile.features[2], "load_reuse_0");
  EXPECT_EQ(profile.features.back(), "store_reuse_159");
  EXPECT_THAT(gaps[0], ElementsAre(Count{0, 12}, Count{1, 4}, Count{2, 3}, Count{2 + 160 + 159, 8}));
  EXPECT_THAT(gaps[1], SizeIs(0));
  EXPECT_EQ(gaps[2], gaps[0]);
}

TEST_F(ProfileFile, OfAProcessThatWasKilledIsReadUpToItsLastWholeLine) {
  std::uint64_t gaps = 0;
  const auto profile = read_profile(write("part", kHead + "interval 1 0 12\ninterval 1 0 1"), [&](auto) { ++gaps; });
  EXPECT_EQ(gaps, 1u);
  EXPECT_FALSE(profile.whole);
  EXPECT_EQ(profile.rank, std::nullopt);
}

TEST_F(ProfileFile, ThatIsNoneSaysWhere) {
  EXPECT_THAT(error_of("skelgen-profile 2\n"), HasSubstr("line 1: is no profile of version 1"));
  EXPECT_THAT(error_of(""), HasSubstr("is empty"));
  EXPECT_THAT(error_of(kHead + "interval 1 7 1\n"), HasSubstr("line 4"));
  EXPECT_THAT(error_of(kHead + "interval 1 1 1 0 1\n"), HasSubstr("line 4"));
  EXPECT_THAT(error_of(kHead + "interval 1 load_reuse 160 1\n"), HasSubstr("line 4"));
  EXPECT_THAT(error_of("skelgen-profile 1\ninterval 1 0 1\n"), HasSubstr("line 2"));
  EXPECT_THAT(error_of(kHead + "interval 1 0 -1\n"), HasSubstr("line 4"));
  EXPECT_THAT(error_of(kHead + "interval 1 0 1\nagain 1 1\n"), HasSubstr("line 5"));
  EXPECT_THAT(error_of(kHead + "interval 1 0 1\nagain 1 18446744073709551615\n"), HasSubstr("line 5"));
  EXPECT_THROW(read_profile(folder_ / "none", [](auto) {}), Error);
}

TEST_F(ProfileFile, GetsTheNameOfItsRank) {
  write("process-10.work", kHead + "rank 1\nend\n");
  write("process-11.work.partial", kHead + "rank 0\n");
  write("process-12.work", kHead + "end\n");  // a process without a rank
  write("process-10.log", "");
  name_profiles(folder_, 2);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("rank-000000.work", "rank-000001.work"));
}

TEST_F(ProfileFile, OfEachRankThereMustBeOne) {
  write("process-10.work", kHead + "rank 1\nend\n");
  EXPECT_THROW(name_profiles(folder_, 2), Error);
  write("process-11.work", kHead + "rank 1\nend\n");
  EXPECT_THROW(name_profiles(folder_, 2), Error);
}

TEST(ReuseDistance, IsTheLeastOfTheToolsBucket) {
  static_assert(kReuseBuckets == SKEL_REUSE_BUCKETS && kNeverTouched == SKEL_REUSE_COLD);
  for (std::uint32_t b = 1; b < kNeverTouched; ++b) {
    EXPECT_EQ(skel_reuse_bucket(reuse_distance(b)), b);
    EXPECT_EQ(skel_reuse_bucket(reuse_distance(b) - 1), b - 1);
  }
}

TEST(MissRatio, OfAHistogram) {
  std::vector<std::string> features{"loads"};
  std::vector<double> counts{0};
  for (std::uint32_t b = 0; b < kReuseBuckets; ++b) {
    features.push_back("load_reuse_" + std::to_string(b));
    counts.push_back(0);
  }
  EXPECT_EQ(miss_ratio(features, counts, "load", 8), 0);
  counts[1 + 0] = 6;  // distance 0
  counts[1 + 4] = 2;  // distance 4
  counts[1 + 8] = 4;  // distances 8 and 9
  counts[1 + kNeverTouched] = 4;
  EXPECT_EQ(reuse_distance(8), 8u);
  EXPECT_EQ(reuse_distance(9), 10u);
  EXPECT_DOUBLE_EQ(miss_ratio(features, counts, "load", 1e12), 0.25);
  EXPECT_DOUBLE_EQ(miss_ratio(features, counts, "load", 10), 0.25);
  EXPECT_DOUBLE_EQ(miss_ratio(features, counts, "load", 9), 0.375);
  EXPECT_DOUBLE_EQ(miss_ratio(features, counts, "load", 4), 0.625);
  EXPECT_EQ(miss_ratio(features, counts, "store", 4), 0);
}

}  // namespace
}  // namespace skelgen::work
