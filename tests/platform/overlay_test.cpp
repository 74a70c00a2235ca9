// Overlay networks as platforms describe them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/platform/platform.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

std::string overlay_refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    Platform::parse(text, "my.toml", overrides).build(5, Placement(), 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string ring_on_atm = "[network]\nkind = \"atm\"\n[overlay]\nkind = \"ring\"\nstations = 2\n";

/// When a message of 1,000 bytes between two hosts is there.
class OverlayTrip : private ShipmentListener {
 public:
  SimTime of(const std::string& platform, std::uint32_t from, std::uint32_t to,
             const std::vector<std::string>& overrides = {}) {
    Machine machine = Platform::load(platform, overrides).build(5, Placement(), 1);
    machine.transport->send({{1, this}, HostId{from}, HostId{to}, Bytes(1000)});
    delivered_ = false;
    while (!delivered_) machine.events->handle_next();
    return machine.events->now();
  }

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId) override { delivered_ = true; }
  void shipment_lost(MessageId) override { FAIL(); }
  void shipment_returned(MessageId, Outcome) override { FAIL(); }
  bool delivered_ = false;
};

TEST(OverlayPlatforms, RefuseNetworksTransportsAndNumbersThatDoNotGoWithServers) {
  EXPECT_EQ(overlay_refusal(ring_on_atm), "");
  expect_message(overlay_refusal("[overlay]\nkind = \"tree\"\n"),
                 {"my.toml:2:8", "overlay.kind", "\"loggp\""});
  expect_message(overlay_refusal(ring_on_atm, {"hosts.interrupts.handling=fixed", "transport.kind=push-pull",
                                               "transport.largest-unit=1 KiB"}),
                 {"my.toml:4:8: overlay.kind", "push-pull"});
  expect_message(overlay_refusal(ring_on_atm, {"overlay.server-identifiers=3"}),
                 {"overlay.server-identifiers", "take 4"});
  expect_message(overlay_refusal(ring_on_atm, {"overlay.arity=3"}),
                 {"overlay.arity", "overlay.kind", "tree", "ring"});
  EXPECT_EQ(overlay_refusal(ring_on_atm, {"overlay.faults=server 2 at 1 s"}), "");
  expect_message(overlay_refusal(ring_on_atm, {"overlay.faults=server 3 at 1 s"}),
                 {"overlay.faults: \"server 3 at 1 s\"", "no server 3"});
  expect_message(overlay_refusal(ring_on_atm, {"overlay.faults=station 5 at 1 s"}),
                 {"overlay.faults: \"station 5 at 1 s\"", "no station 5"});
  expect_message(overlay_refusal(ring_on_atm, {"overlay.faults=cable 1-1 at 1 s"}),
                 "overlay.faults: \"cable 1-1 at 1 s\"");
  expect_message(overlay_refusal(ring_on_atm, {"overlay.faults=cable 1 at 1 s"}),
                 {"overlay.faults: \"cable 1 at 1 s\"", "\"cable 0-1 at 10 ms\""});
  expect_message(overlay_refusal(ring_on_atm, {"overlay.faults=server 1 at 2000 s"}), "1000 s");
}

// A direct channel is the transport's own connection, to the picosecond; a relayed message takes what two
// more hops and the work of two servers take, and hops are those of the same transport.
TEST(OverlayPlatforms, CostWhatTheirHopsAndServersCost) {
  OverlayTrip trip;
  const SimTime hop = trip.of("atm-oc3-sscop", 0, 1);
  EXPECT_EQ(trip.of("atm-overlay-ring", 0, 1), hop);
  EXPECT_EQ(trip.of("atm-overlay-tree", 0, 4, {"overlay.set-up=before-run"}), hop);
  // With the header, SSCOP's 4 octets and AAL5's 8 they fill 22 cells, as without the header.
  EXPECT_EQ(trip.of("atm-overlay-ring", 0, 2), 3 * hop + SimTime::from_ps(2 * 75'000'000));
}

// Four switches in a chain, six hosts spread over them: server 1 is at the switch of host 2, and a message to
// host 3 does not leave that switch's neighbourhood.
TEST(OverlayPlatforms, HaveServersAtTheSwitchesOfTheirFirstStations) {
  const std::string overrides[] = {"network.switches=4", "network.topology=chain"};
  Machine machine = Platform::load("atm-overlay-ring", overrides).build(6, Placement(), 1);
  const NetworkLinks links = machine.network->links(SimTime());
  std::vector<std::uint32_t> at;
  for (const LinkLoad& load : links.loads)
    if (load.from.kind == LinkEnd::Kind::host) at.push_back(load.to.number);
  EXPECT_THAT(at, ::testing::ElementsAre(0, 1, 1, 2, 2, 3, 0, 1, 2));
}

}  // namespace
}  // namespace morgana
