// Ultra Ethernet's keys, and the platform that uses them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/platform/platform.h"
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
      {{"transport.congestion-control=dcqcn"}, {"transport.congestion-control", "nscc"}},
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

TEST(UetPlatforms, CarryMessagesWithEachControlAndWay) {
  for (const std::string control : {"none", "nscc", "rccc", "both"})
    for (const std::string ways : {"oblivious", "bitmap", "reps", "mixed"})
      EXPECT_EQ(complaint_of({"transport.congestion-control=" + control, "transport.load-balancing=" + ways}),
                "");
}

}  // namespace
}  // namespace morgana
