#include "emulator/platform/certain_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/platform/platform.h"

namespace morgana {
namespace {

bool certain_on(const std::string& platform, const std::vector<std::string>& overrides = {}) {
  return messages_are_certain(Platform::load(platform, overrides).build(4, Placement(), 1));
}

TEST(CertainMessages, AreThoseOfNetworksThatLoseNothing) {
  EXPECT_TRUE(certain_on("loggp-example"));
  EXPECT_TRUE(certain_on("ideal"));
  EXPECT_TRUE(certain_on("infiniband-hdr"));
}

TEST(CertainMessages, AreThoseOfATransportThatRepeatsWhatIsLost) {
  EXPECT_TRUE(certain_on("fast-ethernet"));
}

// A network that may drop packets, and a kernel that returns messages.
TEST(CertainMessages, AreNotPromisedWhereSomethingMayBeLost) {
  EXPECT_FALSE(certain_on("atm-oc3"));
  EXPECT_FALSE(certain_on("myrinet-ud"));
  EXPECT_FALSE(certain_on("atm-oc3-push-pull"));
}

}  // namespace
}  // namespace morgana
