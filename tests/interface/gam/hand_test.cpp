// Fragments from one host's memory to another's, each step by hand; what things take stands in bench.h.
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "tests/interface/gam/bench.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace gam_bench;

// start_fetch until 110, the bus 1500, finish_fetch 1720; the door is open: start_send 1830. It leaves, and
// is there 632 later, at 2462; its last flit has left at 1830 + 513. finish_receive 2572, the bus 1250 until
// 3822, finish_deliver 3932.
TEST(GamByHand, OneFragment) {
  Bench bench(2);
  bench.inject(0, 0, 1, 500);
  bench.run();
  EXPECT_EQ(bench.departed.at(0), 2'343_ns);
  EXPECT_EQ(bench.delivered.at(0), 3'932_ns);
}

// Fragments of 500, 500 and 200 bytes, the first as above.
// Sender: start_send of fragment 1 goes before start_fetch of fragment 2, which ends at 1940; the bus until
//   3440, finish_fetch 3550. The door is shut until fragment 1 is in the host's memory at 3932. Meanwhile
//   start_fetch 3660 for fragment 3 and the bus 1200 until 4860, finish_fetch 4970.
// Fragment 2: start_send 3932 to 4042; it is there at 4674, finish_receive 4784, the bus until 6034,
//   finish_deliver 6144.
// Fragment 3: start_send 6254; it is there 332 later, at 6586, finish_receive 6696, the bus 1100 until 7796,
//   finish_deliver 7906.
TEST(GamByHand, ThreeFragmentsWaitForTheReceiversDma) {
  Bench bench(2);
  bench.inject(0, 0, 1, 500);
  bench.inject(1, 0, 1, 500);
  bench.inject(2, 0, 1, 200);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 3'932_ns);
  EXPECT_EQ(bench.delivered.at(1), 6'144_ns);
  EXPECT_EQ(bench.delivered.at(2), 7'906_ns);
}

// With two receive buffers fragment 2 does not wait: start_send 3550 to 3660, as it goes before start_fetch;
// it is there at 4292, when fragment 1's bus transfer has ended (3822) and its handler, too (3932).
// finish_receive 4402, the bus until 5652, finish_deliver 5762.
TEST(GamByHand, MoreReceiveBuffersLetReceivingAndDmaOverlap) {
  gam::Parameters program = program_parameters();
  program.receive_buffers = 2;
  Bench bench(2, program);
  bench.inject(0, 0, 1, 500);
  bench.inject(1, 0, 1, 500);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 3'932_ns);
  EXPECT_EQ(bench.delivered.at(1), 5'762_ns);
}

// Hosts 0 and 1 send to host 2 at once, 500 bytes each. Both have fetched at 1720; host 0 asks for the door
// first. It has until 3932, as above; host 1's start_send 4042, there at 4674, finish_receive 4784, the bus
// until 6034, finish_deliver 6144.
TEST(GamByHand, SendersTakeTurnsAtAReceiver) {
  Bench bench(3);
  bench.inject(0, 0, 2, 500);
  bench.inject(1, 1, 2, 500);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 3'932_ns);
  EXPECT_EQ(bench.delivered.at(1), 6'144_ns);
}

gam::Parameters with_short_messages() {
  gam::Parameters program = program_parameters();
  program.short_message = 32_B;
  return program;
}

// start_send until 110; it is there 148 later, at 258, finish_receive 368. The buses are not used.
TEST(GamByHand, AShortMessageIsWrittenAndReadByTheHostsProcessors) {
  Bench bench(2, with_short_messages());
  bench.inject(0, 0, 1, 16);
  bench.run();
  EXPECT_EQ(bench.departed.at(0), 139_ns);
  EXPECT_EQ(bench.delivered.at(0), 368_ns);
}

// The first as by itself: 3932. The short one is next, but its door is shut until then: start_send 4042, left
// at 4071, there at 4190, finish_receive 4300. The third has been fetched at 3550, as it needs a buffer and
// the short one none; its door opens at 4300: start_send 4410, there at 5042, finish_receive 5152, the bus
// until 6402, finish_deliver 6512.
TEST(GamByHand, AShortMessageKeepsItsPlaceAmongOthers) {
  Bench bench(2, with_short_messages());
  bench.inject(0, 0, 1, 500);
  bench.inject(1, 0, 1, 16);
  bench.inject(2, 0, 1, 500);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 3'932_ns);
  EXPECT_EQ(bench.delivered.at(1), 4'300_ns);
  EXPECT_EQ(bench.delivered.at(2), 6'512_ns);
}

// A fragment that is corrupted is lost where it would have come, at 2462, and makes room for the next, which
// would have had to wait for it until 3932: start_send from 3550, when it has been fetched, to 3660; there at
// 4292, finish_receive 4402, the bus until 5652, finish_deliver 5762.
TEST(GamByHand, ALostFragmentShutsNoDoor) {
  Bench bench(2);
  bench.myrinet->corrupt_when(
      [first = true](UnitId, CableChannel) mutable { return std::exchange(first, false); });
  bench.inject(0, 0, 1, 500);
  bench.inject(1, 0, 1, 500);
  bench.run();
  EXPECT_EQ(bench.lost.size(), 1u);
  EXPECT_EQ(bench.lost.at(0), 2'462_ns);
  EXPECT_EQ(bench.delivered.at(1), 5'762_ns);
}

// Five events, both buses, the network's 100 + 20 + 2 ns for type and CRC.
TEST(GamByHand, NothingComesSoonerThanEventsBusesAndTheNetworkAllow) {
  EXPECT_EQ(Bench(2).interfaces->least_latency(), 2'672_ns);
  EXPECT_EQ(Bench(2, with_short_messages()).interfaces->least_latency(), 342_ns);
}

TEST(GamParameters, NamesWhatIsOutOfRange) {
  gam::Parameters program = program_parameters();
  program.receive_buffers = 0;
  EXPECT_THROW(program.check(), Error);
}

}  // namespace
}  // namespace morgana::testing
