#include "network/platform_pair.h"

#include <gmock/gmock.h>

#include "support/error.h"

namespace skelgen::network {
namespace {

using testing::HasSubstr;

std::string hosts(const std::string& speed, const std::string& bandwidth, const std::string& latency) {
  return "<?xml version='1.0'?>\n<!-- <host id=\"none\"/> --><platform version=\"4.1\"><zone id=\"z\" "
         "routing=\"Full\">\n"
         "<host id=\"a\" speed='1Gf'/><host speed=\"" +
         speed + "\" id=\"b\"/>\n<link id=\"up\" bandwidth = \"" + bandwidth + "\" latency=\"" + latency +
         "\"/>\n<route src=\"a\" dst=\"b\"><link_ctn id=\"up\"/></route></zone></platform>\n";
}

TEST(PlatformPair, ChangesOneFactorBack) {
  const auto before = hosts("1Gf", "125MBps", "50us"), after = hosts("500Mf", "10MBps", "1ms");
  const PlatformPair pair(before, after);
  EXPECT_EQ(pair.differ(), kAllFactors);
  ASSERT_EQ(pair.changes().size(), 3u);
  EXPECT_EQ(pair.changes()[0].element, "host b");
  EXPECT_EQ(pair.changes()[0].attribute, "speed");
  EXPECT_EQ(pair.changes()[0].before, "1Gf");
  EXPECT_EQ(pair.xml(0), before);
  EXPECT_EQ(pair.xml(kAllFactors), after);
  EXPECT_EQ(pair.xml(kLatency | kBandwidth), hosts("1Gf", "10MBps", "1ms"));
  EXPECT_EQ(pair.xml(kComputation), hosts("500Mf", "125MBps", "50us"));
  EXPECT_EQ(PlatformPair(before, hosts("1Gf", "125MBps", "1ms")).differ(), kLatency);
}

TEST(PlatformPair, RefusesOtherHostsAndLinks) {
  const auto before = hosts("1Gf", "125MBps", "50us");
  const auto refused = [&](const std::string& from, const std::string& to) {
    auto after = before;
    after.replace(after.find(from), from.size(), to);
    try {
      PlatformPair(before, after);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused("id=\"a\"", "id=\"c\""), HasSubstr("host a has id a and c"));
  EXPECT_THAT(refused("routing=\"Full\"", "routing=\"Floyd\""), HasSubstr("zone z has routing Full and Floyd"));
  EXPECT_THAT(refused("<link_ctn id=\"up\"/>", "<link_ctn id=\"up\"/><link_ctn id=\"up\"/>"),
              HasSubstr("bandwidths: /route and link_ctn up"));
  EXPECT_THAT(refused("</platform>", ""), HasSubstr("only one has /platform"));
}

TEST(PlatformPair, OneSwitchIsSubnetsWithoutANetworkBetweenThem) {
  const auto star = platform_of("homo:4:2Gf:1Gb/s:50us"),
             subnets = platform_of("hetero:1x1Gf,3x1Gf:1Gb/s:50us:100Mb/s:1ms");
  const auto cut = in_subnets_of(subnets, star);
  EXPECT_EQ(host_names(cut), host_names(subnets));
  EXPECT_EQ(cut.subnets[1].flops, 2e9);
  EXPECT_EQ(cut.between.latency_s, 0);
  EXPECT_GE(cut.between.bytes_per_s, 4 * 125e6);
  const PlatformPair pair(xml_of(cut), xml_of(in_subnets_of(star, subnets)));
  EXPECT_EQ(pair.differ(), kAllFactors);
  EXPECT_EQ(in_subnets_of(star, star).subnets.size(), 1u);
  EXPECT_THROW(in_subnets_of(platform_of("homo:5:1Gf:1Gb/s:50us"), star), Error);
  EXPECT_THROW(in_subnets_of(platform_of("hetero:2x1Gf,2x1Gf:1Gb/s:50us"), subnets), Error);
}

TEST(PlatformPair, ChangesOfTextsAreAsWritten) {
  const auto text = [](const std::string& before, const std::string& after) {
    const auto from = platform_of(before), to = platform_of(after);
    std::string all;
    for (const auto& change : changes(in_subnets_of(to, from), in_subnets_of(from, to)))
      all += change.attribute + " of " + change.element + ": " + change.before + " -> " + change.after + "\n";
    return all;
  };
  EXPECT_EQ(text("homo:4:1Gf:1Gb/s:50us", "homo:4:1000Mf:125MB/s:20us"), "latency of network: 50us -> 20us\n");
  EXPECT_EQ(text("homo:4:1Gf:1Gb/s:50us", "homo:4:2Gf:10Gb/s:50us"),
            "speed of hosts: 1Gf -> 2Gf\nbandwidth of network: 1Gb/s -> 10Gb/s\n");
  EXPECT_EQ(text("homo:4:1Gf:1Gb/s:50us", "hetero:1x1Gf,3x2Gf:1Gb/s:50us:100Mb/s:1ms"),
            "speed of subnet 1: 1Gf -> 2Gf\nlatency of network between subnets: none -> 1ms\n"
            "bandwidth of network between subnets: unlimited -> 100Mb/s\n");
}

}  // namespace
}  // namespace skelgen::network
