#include <gmock/gmock.h>

#include "emulator/core/error.h"
#include "emulator/platform/platform.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::vector<std::string> overrides) {
  try {
    Platform::load("smp-push-pull", overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PushPullPlatform, RefusesWhatDoesNotFitTogether) {
  expect_message(refusal({"messages.unexpected-buffer=1 KiB"}),
                 {"--set messages.unexpected-buffer=1 KiB", "2 KiB", "transport.slot"});
  expect_message(refusal({"transport.slot=5 KiB"}),
                 {"smp-push-pull.toml:", "messages.unexpected-buffer: 4 KiB", "5 KiB"});
  expect_message(refusal({"transport.header=1000 B", "messages.envelope=600 B"}),
                 {"messages.envelope: 600 B", "500 B"});
  expect_message(refusal({"transport.largest-unit=10 B"}), {"messages.envelope: 4 B", "2 B"});
  expect_message(refusal({"hosts.count=3"}),
                 {"--set hosts.count=3", "hosts.count = 2", "network.kind = \"ethernet-switched\""});
}

TEST(PushPullPlatform, HasAsManyProcessorsAsItSays) {
  EXPECT_THAT([] { Platform::load("smp-push-pull").build(9, Placement(), 1); },
              ::testing::ThrowsMessage<Error>(
                  HasSubstr("2 hosts with 4 processors each, too few for 9 ranks; set hosts.processors=5")));
}

}  // namespace
}  // namespace morgana
