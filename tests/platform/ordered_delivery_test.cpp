#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "emulator/messaging/machine.h"
#include "emulator/platform/platform.h"
#include "emulator/transport/direct/direct.h"

namespace morgana {
namespace {

bool known_on(const std::string& platform, const std::vector<std::string>& overrides = {}) {
  return ordered_reliable_delivery(Platform::load(platform, overrides).build(4, Placement(), 1));
}

TEST(OrderedReliableDelivery, IsThatOfNetworksThatLoseNothing) {
  EXPECT_TRUE(known_on("loggp-example"));
  EXPECT_TRUE(known_on("ideal"));
  EXPECT_TRUE(known_on("infiniband-hdr"));
}

TEST(OrderedReliableDelivery, IsThatOfATransportThatRepeatsWhatIsLost) {
  EXPECT_TRUE(known_on("fast-ethernet"));
}

// A network that may drop packets, and a kernel that returns messages.
TEST(OrderedReliableDelivery, IsNotPromisedWhereSomethingMayBeLost) {
  EXPECT_FALSE(known_on("atm-oc3"));
  EXPECT_FALSE(known_on("myrinet-ud"));
  EXPECT_FALSE(known_on("atm-oc3-push-pull"));
}

TEST(OrderedReliableDelivery, IsNotPromisedWhereACableFails) {
  EXPECT_FALSE(known_on("fast-ethernet", {"network.switches=2", "network.topology=chain", "hosts.count=4",
                                          "network.faults=cable 0-1 at 1 s"}));
}

/// A network that nobody has seen before, with what it says of itself.
class Stranger final : public Network {
 public:
  explicit Stranger(const NetworkCapabilities& capabilities) : capabilities_(capabilities) {}
  void inject(const Unit&) override {}
  Bytes largest_unit() const override { return Bytes(1 << 30); }
  NetworkCapabilities capabilities() const override { return capabilities_; }

 private:
  NetworkCapabilities capabilities_;
};

bool known_of(const NetworkCapabilities& capabilities) {
  Machine machine;
  machine.host_of = {HostId{0}, HostId{1}};
  machine.network = std::make_unique<Stranger>(capabilities);
  machine.transport = std::make_unique<DirectTransport>(*machine.network);
  return ordered_reliable_delivery(machine);
}

TEST(OrderedReliableDelivery, IsWhatANewNetworkDeclares) {
  EXPECT_TRUE(known_of({.lossless = true}));
  EXPECT_FALSE(known_of({}));
  EXPECT_FALSE(known_of({.order = NetworkCapabilities::Order::none, .lossless = true}));
  EXPECT_FALSE(known_of({.lossless = true, .fails = true}));
}

}  // namespace
}  // namespace morgana
