#include "emulator/interface/lanai/host_dma.h"

#include <gtest/gtest.h>

#include <vector>

#include "emulator/interface/lanai/parameters.h"

namespace morgana::testing {
namespace {
using namespace literals;

class Finishes : public LanaiHandlers {
 public:
  explicit Finishes(EventQueue& events) : events_(events) {}
  std::int64_t begin(unsigned event) override {
    seen.emplace_back(event, events_.now());
    return 0;
  }
  void end(unsigned) override {}
  std::vector<std::pair<unsigned, SimTime>> seen;

 private:
  EventQueue& events_;
};

// 100 MB/s from the host, 200 MB/s to it: 10 and 5 ns a byte.
TEST(PciBus, MayBeAsymmetric) {
  PciBus bus(500_ns, BitRate(800'000'000), BitRate(1'600'000'000));
  EXPECT_EQ(bus.transfer(0_ns, 100_B, BusDirection::from_host), 1'500_ns);
  EXPECT_EQ(bus.transfer(0_ns, 100_B, BusDirection::to_host), 2'500_ns);
  LanaiParameters lanai;
  EXPECT_EQ(lanai.rate_to_host(), lanai.bus_rate);
}

// 100 MB/s: 10 ns a byte; the processor dispatches in 1 ns.
TEST(HostDma, TransfersShareTheBusInTheirOrderAndEndInAnEvent) {
  EventQueue events;
  Finishes finishes(events);
  LanaiProcessor processor(events, finishes, 1_ns, 1);
  PciBus bus(500_ns, BitRate(800'000'000));
  HostDma reads(events, bus, processor, 3), writes(events, bus, processor, 2);
  reads.start(100_B);
  writes.start(10_B);
  EXPECT_TRUE(reads.busy());
  while (!events.empty()) events.handle_next();
  EXPECT_FALSE(reads.busy());
  const std::vector<std::pair<unsigned, SimTime>> expected = {{3, 1'501_ns}, {2, 2'101_ns}};
  EXPECT_EQ(finishes.seen, expected);
}

TEST(PciBus, IsFreeWhenItsLastTransferHasEnded) {
  PciBus bus(500_ns, BitRate(800'000'000));
  EXPECT_EQ(bus.transfer(0_ns, 100_B), 1'500_ns);
  EXPECT_EQ(bus.transfer(10'000_ns, 0_B), 10'500_ns);
}

}  // namespace
}  // namespace morgana::testing
