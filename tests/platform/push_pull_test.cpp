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
  expect_message(refusal({"messages.unexpected-buffer=1 KiB"}));
  expect_message(refusal({"transport.slot=5 KiB"}));
  expect_message(refusal({"transport.header=1000 B", "messages.envelope=600 B"}));
  expect_message(refusal({"transport.largest-unit=10 B"}));
  expect_message(refusal({"hosts.count=3"}));
}

TEST(PushPullPlatform, HasAsManyProcessorsAsItSays) {
  EXPECT_THAT([] { Platform::load("smp-push-pull").build(9, Placement(), 1); },
              ::testing::ThrowsMessage<Error>(
                  HasSubstr("2 hosts with 4 processors each, too few for 9 ranks; set hosts.processors=5")));
}

}  // namespace
}  // namespace morgana
