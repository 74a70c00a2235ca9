// What a stream of large messages gets of faster links.
#include "replay/link_measurement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/collectives/nccl/nccl_parameters.h"

namespace morgana {
namespace {

double stream_rate(const std::string& platform, std::vector<std::string> overrides) {
  overrides.push_back("hosts.processors=1");
  return measure_link(Platform::load(platform, overrides), Placement(), 1, 2, 0, 1).rate;
}

// 189 Gb/s at 4096 of 4122 B a packet; nothing else of hdr-fat-tree holds a stream back, whatever its costs
// per byte.
TEST(LinkMeasurement, AStreamFollowsTheLinksHoweverTheyAreMadeFaster) {
  const double base = stream_rate("hdr-fat-tree", {});
  EXPECT_NEAR(base, 189e9 / 8 * 4096 / 4122, 0.005 * base);
  for (const char* faster : {"network.bandwidth=x2", "network.link-speed=NDR", "network.rate=400 Gb/s"})
    EXPECT_NEAR(stream_rate("hdr-fat-tree", {faster}), 2 * base, 0.01 * base) << faster;
  EXPECT_NEAR(stream_rate("hdr-fat-tree", {"network.rate=400 Gb/s", "network.ejection-rate=189 Gb/s"}), base,
              0.005 * base)
      << "hosts that stay as they are limit it";
  EXPECT_NEAR(stream_rate("hdr-fat-tree", {"network.rate=400 Gb/s", "transport.fetch-per-byte=0.02 ns/B",
                                           "transport.delivery-per-byte=0.02 ns/B"}),
              2 * base, 0.01 * base)
      << "which these do not";
}

}  // namespace
}  // namespace morgana
