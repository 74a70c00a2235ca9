#include "emulator/report/settings_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/report/run_report.h"
#include "emulator/report/size_text.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

std::string text_of(const std::vector<std::string>& overrides) {
  return settings_text(overrides);
}

TEST(SettingsText, LeavesOutWhatALaterOneReplaces) {
  EXPECT_EQ(text_of({"hosts.processors=4", "network.arity=2", "network.arity=4"}),
            "hosts.processors=4, network.arity=4");
  EXPECT_EQ(text_of({"network.arity = 2", "network.arity=4"}), "network.arity=4");
  EXPECT_EQ(text_of({"network.arity=2", "network.levels=2"}), "network.arity=2, network.levels=2");
}

TEST(SettingsText, KeepsWhatALaterOneMultiplies) {
  EXPECT_EQ(text_of({"network.bandwidth=10 Gb/s", "network.bandwidth=x2"}),
            "network.bandwidth=10 Gb/s, network.bandwidth=x2");
}

TEST(PlacementText, IsInOneFormForAllRules) {
  EXPECT_EQ(placement_text("block"), "");
  expect_message(placement_text("block:4"), "block, 4");
  expect_message(placement_text("spread:4"), "spread, 4");
  expect_message(placement_text("random:7"), "random, seed 7");
  expect_message(placement_text("random:1:4"), "random, seed 1, 4");
  expect_message(placement_text("dir:1/app.map"), "dir:1/app.map");
}

TEST(SizeText, IsByThePowersThatAreShorter) {
  EXPECT_EQ(size_text(Bytes(16'000'000)), "16 MB");
  EXPECT_EQ(size_text(Bytes(1'000'000'000)), "1 GB");
  EXPECT_EQ(size_text(Bytes(64 << 20)), "64 MiB");
  EXPECT_EQ(size_text(Bytes(8192)), "8 KiB");
  EXPECT_EQ(size_text(Bytes(1001)), "1001 B");
  EXPECT_EQ(size_text(Bytes(0)), "0 B");
}

}  // namespace
}  // namespace morgana
