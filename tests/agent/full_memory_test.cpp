// Ranks on several machines whose memory is full of messages that nobody receives.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pvmshim/agent/distributed_program.h"
#include "tests/pvmshim/launch/answer_everything.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

std::string error_of_flood(Bytes payload_room) {
  LaunchOptions options;
  options.command = {TEST_PROGRAMS "/misbehaving", "flood", "1"};
  options.ranks = 2;
  options.compute = ComputeMode::none;
  options.payload_room = payload_room;
  Machines machines;
  machines.options = {"-n", "2"};
  try {
    DistributedProgram program(options, machines);
    testing::answer_everything(program);
    program.finish();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(FullMemory, OfARankOnAnotherMachineIsNamed) {
  expect_message(error_of_flood(Bytes(1'000'000)), "rank 1");
}

// Ten megabytes that nobody receives have room in sixteen.
TEST(FullMemory, IsNotFoundWhereThereIsRoom) {
  EXPECT_EQ(error_of_flood(Bytes(16'000'000)), "no error");
}

}  // namespace
}  // namespace morgana
