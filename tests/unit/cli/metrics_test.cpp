// What has no value is null in JSON.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/measures.h"

namespace skelgen::cli {
namespace {

TEST(MetricsJson, UndefinedMeasuresAreNull) {
  metrics::Metrics all;
  all.he_sun.per_rank.resize(1);
  all.raynal.theta5 = {std::nullopt, 0.5};
  const Json json = json_of(all);
  for (const char* name : {"alpha", "phi1", "phi2", "phi4", "phi5", "phi6", "phi7", "phi5_rho", "phi6_rho", "phi7_rho"})
    EXPECT_TRUE(json["he_sun"].at(name).is_null()) << name;
  EXPECT_EQ(json["he_sun"]["phi3"].dump(), "[null]");
  EXPECT_TRUE(json["raynal"]["alpha"].is_null());
  EXPECT_TRUE(json["raynal"]["beta"].is_null());
  EXPECT_EQ(json["raynal"]["theta5"].dump(), "[null,0.5]");
  for (const auto& [name, value] : json["pop"].items()) EXPECT_TRUE(value.is_null()) << name;
}

TEST(MetricsJson, LocationsSayWhoTheyAre) {
  metrics::Metrics all;
  all.he_sun.per_rank.push_back({2, 1, {}, {3, 1}});
  const Json json = json_of(all)["he_sun"]["per_rank"][0];
  EXPECT_EQ(json["rank"], 3);
  EXPECT_EQ(json["thread"], 1);
}

}  // namespace
}  // namespace skelgen::cli
