// Messages of the transport over the interfaces.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "emulator/transport/gam/gam.h"
#include "tests/interface/gam/bench.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace gam_bench;

/// Copying in takes 1 us and 1 ns a byte, copying out 2 us.
GamParameters library(Fragmentation fragmentation, std::int64_t fragments = 0) {
  GamParameters library;
  library.send_overhead = 1_us;
  library.send_per_byte = ByteCost::from_fs(1'000'000);
  library.receive_overhead = 2_us;
  library.receive_per_byte = ByteCost();
  library.fragmentation = fragmentation;
  library.fragments = fragments;
  return library;
}

/// The work that is left to the receiving rank when a message has come.
class Receiver : public ShipmentListener {
 public:
  Receiver(EventQueue& events, Transport& transport) : events_(events), transport_(transport) {}
  SimTime departed, delivered;
  ProcessorWork work{};

 private:
  void shipment_departed(MessageId) override { departed = events_.now(); }
  void shipment_delivered(MessageId) override {
    delivered = events_.now();
    work = transport_.receiving_work();
  }
  void shipment_lost(MessageId) override {}
  void shipment_returned(MessageId, Outcome) override {}

  EventQueue& events_;
  Transport& transport_;
};

// Copied from 0 to 1500; then as GamByHand's fragment, 3932 later.
TEST(Gam, OneFragmentThroughTheWholePath) {
  Bench bench(2);
  Gam gam(bench.events, *bench.interfaces, library(Fragmentation::whole), {});
  Receiver receiver(bench.events, gam);
  EXPECT_EQ(gam.sending_work(500_B), 1'500_ns);
  gam.send({{0, &receiver}, HostId{0}, HostId{1}, 500_B});
  bench.run();
  EXPECT_EQ(receiver.departed, 1'500_ns);
  EXPECT_EQ(receiver.delivered, 5'432_ns);
  EXPECT_EQ(receiver.work.released, 5'432_ns);
  EXPECT_EQ(receiver.work.cost, 2_us);
}

// Three fragments of 500 bytes, copied by 1500, 3000 and 4500.
// Fragment 1: start_fetch 1610, bus 3110, finish_fetch 3220, start_send 3330, there 3962, finish_receive
//   4072, bus 5322, finish_deliver 5432.
// Fragment 2: start_fetch 3440 (behind start_send), bus 4940, finish_fetch 5050; the door opens at 5432,
//   start_send 5542, there 6174, finish_receive 6284, bus 7534, finish_deliver 7644.
// Fragment 3: start_fetch 5160, bus 6660, finish_fetch 6770; the door opens at 7644, start_send 7754, there
//   8386, finish_receive 8496, bus 9746, finish_deliver 9856.
// A rank that waits copies them out from 5432 to 7432, 7644 to 9644 and 9856 to 11856: 6 us that end at 11856
// could have begun at 5856.
TEST(Gam, ThreeFragmentsThroughTheWholePath) {
  Bench bench(2);
  Gam gam(bench.events, *bench.interfaces, library(Fragmentation::fixed, 3), {});
  Receiver receiver(bench.events, gam);
  EXPECT_EQ(gam.sending_work(1500_B), 4'500_ns);
  gam.send({{0, &receiver}, HostId{0}, HostId{1}, 1500_B});
  bench.run();
  EXPECT_EQ(receiver.departed, 4'500_ns);
  EXPECT_EQ(receiver.delivered, 9'856_ns);
  EXPECT_EQ(receiver.work.cost, 6_us);
  EXPECT_EQ(receiver.work.released, 5'856_ns);
}

// Fragments of 500 bytes with one credit: an answer goes back when a fragment is in the host's memory. As
// above until fragment 1's delivery at 5432. Its answer: start_fetch 5542, bus 1000, finish_fetch 6652,
// start_send 6762, there 132 later at 6894, finish_receive 7004, bus 8004, finish_deliver 8114. Only now is
// fragment 2 posted: start_fetch 8224, and so on as for fragment 1, which was posted at 1500: 8114 + 3932 =
// 12046.
TEST(Gam, AFragmentWaitsForCredit) {
  Bench bench(2);
  GamParameters one = library(Fragmentation::fixed, 2);
  one.credits = 1;
  Gam gam(bench.events, *bench.interfaces, one, {});
  Receiver receiver(bench.events, gam);
  gam.send({{0, &receiver}, HostId{0}, HostId{1}, 1000_B});
  bench.run();
  EXPECT_EQ(receiver.departed, 3_us);
  EXPECT_EQ(receiver.delivered, 12'046_ns);
}

/// Of that bench: g in us and G in us/KB do not matter, only that they differ.
pipeline::Stages stages() {
  const auto stage = [](double overhead_ns, double per_byte_ns) {
    return pipeline::Stage{"", pipeline::RealTime(overhead_ns * 1e3), pipeline::RealCost(per_byte_ns * 1e3)};
  };
  return {stage(1000, 1), stage(1220, 1), stage(1462, 1.5), stage(2000, 0)};
}

constexpr Fragmentation all[] = {Fragmentation::by_4096, Fragmentation::by_128, Fragmentation::whole,
                                 Fragmentation::fixed,   Fragmentation::ramp,   Fragmentation::optimal};

TEST(Cutter, LosesNoByteAndMakesNoEmptyFragment) {
  for (const Fragmentation fragmentation : all) {
    Cutter cutter(fragmentation, 0, stages());
    for (const std::int64_t bytes : {0, 1, 2, 127, 128, 129, 4095, 4096, 4097, 8192, 8193, 100'000}) {
      const Cut cut = cutter.cut(Bytes(bytes));
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < cut.count(); ++i) {
        EXPECT_TRUE(cut.size(i) > Bytes() || bytes == 0) << bytes;
        sum += cut.size(i).count();
      }
      EXPECT_EQ(sum, bytes);
      EXPECT_GE(cut.count(), 1u);
    }
  }
}

TEST(Cutter, CutsAsTheSystemsDoThatItIsNamedAfter) {
  const auto count = [](Fragmentation fragmentation, std::int64_t bytes) {
    return Cutter(fragmentation, 0, {}).cut(Bytes(bytes)).count();
  };
  EXPECT_EQ(count(Fragmentation::by_4096, 4096), 1u);
  EXPECT_EQ(count(Fragmentation::by_4096, 4097), 2u);
  EXPECT_EQ(count(Fragmentation::by_128, 4097), 33u);
  EXPECT_EQ(count(Fragmentation::whole, 1'000'000), 1u);
}

// Table 1 of the paper: 5 equal fragments of 4 KB, 7 of 8 KB, 18 of 64 KB by Eq. 10; and of 3 bytes at most 3
// of the 5 that were asked for.
TEST(Cutter, FollowsTheTheoremForEachMessage) {
  Cutter cutter(Fragmentation::fixed, 0, pipeline::gam());
  EXPECT_EQ(cutter.cut(4096_B).count(), 5u);
  EXPECT_EQ(cutter.cut(8192_B).count(), 7u);
  EXPECT_EQ(cutter.cut(65536_B).count(), 18u);
  EXPECT_EQ(Cutter(Fragmentation::fixed, 5, {}).cut(3_B).count(), 3u);
}

// With Table 1's stages and 4 KB: 0.286, 0.712, 0.805, 0.897, 0.989, 0.310 KB by linear programming.
TEST(Cutter, FindsTheOptimalSizes) {
  Cutter cutter(Fragmentation::optimal, 0, pipeline::gam());
  const Cut cut = cutter.cut(4096_B);
  ASSERT_EQ(cut.count(), 6u);
  const double kb[] = {0.286, 0.712, 0.805, 0.897, 0.989, 0.310};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(static_cast<double>(cut.size(i).count()) / 1024, kb[i], 0.002) << i;
}

std::vector<Planned> plan(std::uint64_t seed, std::uint32_t hosts, bool one_receiver) {
  std::mt19937_64 random(seed);
  const std::int64_t sizes[] = {0, 1, 127, 128, 129, 4095, 4096, 4097, 8192, 12'289};
  std::vector<Planned> plan;
  for (int i = 0; i < 60; ++i) {
    const auto to = one_receiver ? 0 : static_cast<std::uint32_t>(random() % hosts);
    auto from = static_cast<std::uint32_t>(random() % (hosts - 1));
    if (from >= to) ++from;
    const auto at = SimTime::from_ps(static_cast<std::int64_t>(random() % 400'000'000));
    plan.push_back({at, from, to, sizes[random() % std::size(sizes)]});
  }
  sort_by_time(plan);
  return plan;
}

// Dispatch fails on a second report and on overtaking. A message may be sent while an earlier one is still
// being copied, as by several ranks of a host.
TEST(Gam, DeliversEveryMessageOnce) {
  for (const Fragmentation fragmentation : all)
    for (const std::int64_t credits : {0, 1, 3})
      for (const bool one_receiver : {false, true}) {
        Bench bench(5);
        GamParameters parameters = library(fragmentation);
        parameters.credits = credits;
        Gam gam(bench.events, *bench.interfaces, parameters, stages());
        Dispatch dispatch(bench.events, gam);
        dispatch.run(plan(7 + static_cast<std::uint64_t>(credits), 5, one_receiver));
        dispatch.expect_all_delivered();
      }
}

/// What becomes of two messages of three fragments when the `number`th crossing of a channel, from 1 on,
/// corrupts what crosses. A fragment crosses two, and so does an answer.
std::vector<Fate> fates_with_corruption(std::int64_t credits, int number) {
  Bench bench(2);
  bench.myrinet->corrupt_when([n = 0, number](UnitId, CableChannel) mutable { return ++n == number; });
  GamParameters parameters = library(Fragmentation::fixed, 3);
  parameters.credits = credits;
  Gam gam(bench.events, *bench.interfaces, parameters, {});
  Dispatch dispatch(bench.events, gam);
  std::vector<Fate> fates = dispatch.run({{SimTime(), 0, 1, 1500}, {100_us, 0, 1, 1500}});
  EXPECT_NE(gam.remedy().find("go-back-n"), std::string::npos);
  return fates;
}

TEST(Gam, LosesAMessageOnceWhenAFragmentIsLostAndDeliversTheOthers) {
  // The second fragment's first channel: with answers, one has crossed two channels before.
  for (const auto& [credits, number] : {std::pair(std::int64_t{0}, 3), {std::int64_t{1}, 5}}) {
    const std::vector<Fate> fates = fates_with_corruption(credits, number);
    EXPECT_TRUE(fates[0].lost && !fates[0].delivered) << credits;
    EXPECT_TRUE(fates[1].delivered && !fates[1].lost) << credits;
  }
}

TEST(Gam, ALostAnswerGivesItsCreditBack) {
  for (const Fate& fate : fates_with_corruption(1, 3)) EXPECT_TRUE(fate.delivered && !fate.lost);
}

}  // namespace
}  // namespace morgana::testing
