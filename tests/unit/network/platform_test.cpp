#include "network/platform.h"

#include <gmock/gmock.h>

#include <fstream>

#include "support/error.h"

namespace skelgen::network {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string failure(const std::string& text) {
  try {
    platform_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Platform, HostsOfOneKindHangOnOneSwitch) {
  const auto is = platform_of("homo:16:1Gf:1Gb/s:50us");
  ASSERT_EQ(is.subnets.size(), 1u);
  EXPECT_EQ(is.subnets[0].hosts, 16);
  EXPECT_EQ(is.subnets[0].flops, 1e9);
  EXPECT_EQ(is.inside.bytes_per_s, 125e6);
  EXPECT_DOUBLE_EQ(is.inside.latency_s, 50e-6);
  EXPECT_EQ(is.between.bytes_per_s, 0);
  EXPECT_EQ(host_names(is).size(), 16u);
  EXPECT_EQ(host_names(is)[15], "h15");
  // There are two links between hosts, each with half of the latency.
  EXPECT_THAT(xml_of(is), HasSubstr("radical=\"0-15\" speed=\"1000000000f\" bw=\"125000000Bps\" lat=\"2.5e-05s\""));
}

TEST(Platform, SubnetsHaveTheirOwnSpeeds) {
  const auto is = platform_of("hetero:2x866Mf,1x1Gf:125MBps:50us:100Mb/s:100us");
  EXPECT_THAT(host_names(is), ElementsAre("s0h0", "s0h1", "s1h0"));
  EXPECT_EQ(is.subnets[0].flops, 866e6);
  EXPECT_EQ(is.inside.bytes_per_s, 125e6);
  EXPECT_EQ(is.between.bytes_per_s, 12.5e6);
  EXPECT_DOUBLE_EQ(is.between.latency_s, 100e-6);
  EXPECT_THAT(xml_of(is),
              HasSubstr("<link_ctn id=\"up0\" direction=\"UP\"/><link_ctn id=\"up1\" direction=\"DOWN\"/>"));
}

TEST(Platform, WithoutASecondNetworkNothingIsSlowerBetweenSubnets) {
  const auto xml = xml_of(platform_of("hetero:2x2Gf,2x1Gf:1Gb/s:0s"));
  EXPECT_THAT(xml, HasSubstr("sharing_policy=\"FATPIPE\""));
  EXPECT_THAT(xml, testing::Not(HasSubstr("up0")));
}

TEST(Platform, WhatIsWrongIsNamed) {
  EXPECT_THAT(failure("homo:16:1Gf:1Gb/s"),
              StartsWith("--platform: homo:16:1Gf:1Gb/s has 4 parts; write it like homo:"));
  EXPECT_THAT(failure("homo:0:1Gf:1Gb/s:50us"), StartsWith("--platform: '0' is no number of hosts from 1 to"));
  EXPECT_THAT(failure("homo:4:1GHz:1Gb/s:50us"), StartsWith("--platform: speed '1GHz' is no speed; write it like 1Gf"));
  EXPECT_THAT(failure("homo:4:1Gf:0Gb/s:50us"), StartsWith("--platform: bandwidth '0Gb/s' is no bandwidth"));
  EXPECT_THAT(failure("homo:4:1Gf:1Gb/s:-1us"), StartsWith("--platform: latency '-1us' is no latency"));
  EXPECT_THAT(failure("hetero:4,4x1Gf:1Gb/s:50us"), StartsWith("--platform: speed '' is no speed"));
  EXPECT_THAT(failure("hetero::1Gb/s:50us"), StartsWith("--platform: '' is no number of hosts"));
  EXPECT_THAT(failure("hetero:4x1Gf:1Gb/s:50us:1Gb/s"),
              StartsWith("--platform: hetero:4x1Gf:1Gb/s:50us:1Gb/s has 5 parts"));
}

TEST(Platform, AHostfileHasALineForAHostOrItsRanks) {
  const auto file = std::filesystem::path(testing::TempDir()) / "skelgen-hosts";
  std::ofstream(file) << "a\n\nb:3\n";
  EXPECT_THAT(read_hosts(file), ElementsAre("a", "b", "b", "b"));
  for (const char* wrong : {"a:none\n", ":3\n", "\n"}) {
    std::ofstream(file) << wrong;
    EXPECT_THROW(read_hosts(file), Error) << wrong;
  }
  std::filesystem::remove(file);
  EXPECT_THROW(read_hosts(file), Error);
}

}  // namespace
}  // namespace skelgen::network
