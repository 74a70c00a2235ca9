// Ultra Ethernet's keys, and the platform that uses them.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/platform/platform.h"
#include "emulator/transport/transport.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

std::string complaint_of(const std::vector<std::string>& overrides,
                         const std::string& platform = "uec-800g") {
  try {
    Platform::load(platform, overrides);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(UetKeys, AreRefusedByName) {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> cases{
      {{"transport.payload=4097 B"}, {"transport.payload", "4161 B in all", "network.mtu"}},
      {{"transport.control-packet=1024 B", "transport.payload=64 B", "network.mtu=1000 B"},
       {"transport.control-packet", "1000 B"}},
      {{"transport.data-class=2"}, {"transport.data-class", "2 traffic classes"}},
      {{"transport.control-class=5"}, {"transport.control-class"}},
      {{"transport.timeout=0.5 us"}, {"transport.timeout"}},
      {{"transport.timeout=1 us"}, {"transport.timeout", "more than the 3.9 us", "base-round-trip"}},
      {{"transport.timeout=3.9 us"}, {"transport.timeout", "base-round-trip"}},
      {{"transport.base-round-trip=40 us"}, {"transport.timeout", "base-round-trip"}},
      {{"network.trim-size=89 B"}, {"network.trim-size", "63 B", "transport.header"}},
      {{"transport.header=65 B", "network.mtu=8 KiB"}, {"network.trim-size", "transport.header"}},
      {{"transport.entropies=0"}, {"transport.entropies"}},
      {{"transport.load-balancing=ecmp"}, {"transport.load-balancing", "reps"}},
      {{"transport.congestion-control=dcqcn"},
       {"transport.congestion-control", "nscc", "\"dcqcn\" is a choice of transport.kind = rc"}},
      {{"transport.dctcp-gain=0"}, {"transport.dctcp-gain"}},
      {{"transport.dctcp-first-alpha=1.5"}, {"transport.dctcp-first-alpha"}},
      {{"transport.dctcp-base-round-trip=1 us"}, {"transport.dctcp-base-round-trip", "transport.kind = rc"}},
      {{"transport.base-round-trip=0 s"}, {"transport.base-round-trip"}},
      {{"transport.most-window=0"}, {"transport.most-window"}},
      {{"transport.nscc-target=0"}, {"transport.nscc-target"}},
      {{"transport.nscc-most-decrease=100 %"}, {"transport.nscc-most-decrease"}},
      {{"transport.nscc-delay-gain=2"}, {"transport.nscc-delay-gain"}},
      {{"transport.rccc-pace=1.5"}, {"transport.rccc-pace"}},
      {{"transport.rccc-credit=0"}, {"transport.rccc-credit"}},
      {{"network.trim-class=2"}, {"network.trim-class", "no class 2"}},
      {{"network.trim-size=20 B"}, {"network.trim-size", "72 B"}},
      {{"network.output-queue=0 B"}, {"network.trim-size", "never full"}},
      {{"network.queueing=virtual-output-queues", "network.mark-to=0 B"},
       {"network.trim-size", "output-queues"}},
      {{"network.flow-control=credits"}, {"network.trim-size", "flow-control"}},
  };
  for (const auto& [overrides, fragments] : cases) {
    const std::string text = complaint_of(overrides);
    for (const std::string& fragment : fragments)
      EXPECT_NE(text.find(fragment), std::string::npos) << overrides.front() << ": " << text;
  }
  const std::string text = complaint_of({"transport.kind=uet"}, "ethernet-10");
  EXPECT_NE(text.find("network.kind = fabric"), std::string::npos) << text;
}

/// What becomes of 64 KiB from each of `senders` hosts, which have a switch each, to one.
class ManyToOne : private ShipmentListener {
 public:
  ManyToOne(const std::vector<std::string>& overrides, std::size_t senders) {
    const Machine machine = Platform::load("uec-800g", overrides).build(2'048, Placement(), 1);
    for (std::size_t sender = 1; sender <= senders; ++sender)
      machine.transport->send(
          {{sender, this}, HostId{static_cast<std::uint32_t>(32 * sender)}, HostId{0}, Bytes(65'536)});
    while (!machine.events->empty()) {
      machine.events->handle_next();
      if (delivered < senders) last = machine.events->now();
    }
  }
  std::size_t delivered = 0, returned = 0;
  SimTime last;  ///< before the last delivery

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId) override { ++delivered; }
  void shipment_completed(MessageId) override {}
  void shipment_lost(MessageId) override {}
  void shipment_returned(MessageId, Outcome) override { ++returned; }
};

// Fifteen times 64 KiB take a cable of 800 Gb/s 9.8 us.
TEST(UetPlatforms, CarryMessagesWithEachControlAndWay) {
  for (const std::string control : {"none", "nscc", "rccc", "both", "dctcp"}) {
    for (const std::string ways : {"oblivious", "bitmap", "reps", "mixed"}) {
      const ManyToOne one({"transport.congestion-control=" + control, "transport.load-balancing=" + ways},
                          15);
      EXPECT_EQ(one.delivered, 15U) << control << ", " << ways;
      EXPECT_GT(one.last, SimTime::from_ps(9'800'000)) << control << ", " << ways;
      EXPECT_LT(one.last, SimTime::from_ps(30'000'000)) << control << ", " << ways;
    }
  }
}

// The receiver's cable is gone from 5 us on for a millisecond: no connection gives up.
TEST(UetPlatforms, SurviveAnOutageOfAMillisecond) {
  for (const std::string control : {"none", "nscc", "rccc", "both", "dctcp"}) {
    const ManyToOne one(
        {"transport.congestion-control=" + control, "network.faults=cable 0.0 at 5 us for 1 ms"}, 3);
    EXPECT_EQ(one.delivered, 3U) << control;
    EXPECT_EQ(one.returned, 0U) << control;
    EXPECT_GT(one.last, SimTime::from_ps(1'005'000'000)) << control;
  }
}

}  // namespace
}  // namespace morgana
