// What ranks see of myrinet-gam, by hand. Table 1 of the paper on communication pipelines: a fragment of 2 KB
// takes 21.6 us to copy in, 55.0 us of the sender's DMA, 57.3 us until it is in the receiver's memory, 23.2
// us to copy out.
#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "runs/scripted_ranks.h"

namespace morgana {
namespace {

/// When both ranks have ended that exchange 4 KB in two fragments.
struct Ends {
  double sender_us, receiver_us;
};

Ends exchange(SimTime receiver_computes) {
  const std::vector<std::string> overrides{"transport.fragmentation=fixed", "transport.fragments=2"};
  const Platform platform = Platform::load("myrinet-gam", overrides);
  ScriptedRanks ranks(2);
  ranks.send(Rank{0}, Rank{1}, Bytes(4096));
  if (receiver_computes > SimTime()) ranks.compute(Rank{1}, receiver_computes);
  ranks.receive(Rank{1}, Rank{0}, Bytes(4096));
  ranks.exit(Rank{0});
  ranks.exit(Rank{1});
  Machine machine = platform.build(2, Placement(), 1);
  class EndsOfRanks : public OperationObserver {
   public:
    void operation_ended(Rank rank, const Operation&, SimTime, SimTime end,
                         std::span<const Completed>) override {
      (rank == Rank{0} ? ends.sender_us : ends.receiver_us) = end.seconds() * 1e6;
    }
    Ends ends{};
  } observer;
  OperationObserver* const observers[] = {&observer};
  Engine engine(machine, ranks, observers);
  engine.run();
  return observer.ends;
}

// The sender's call lasts until both are copied. The second fragment is in the receiver's memory at 21.6 +
// 55.0 + 57.3 + 57.3 = 191.2 us, when the first has been copied out.
TEST(GamRanks, AReceiverThatWaitsCopiesWhileTheRestComes) {
  const Ends ends = exchange(SimTime());
  EXPECT_NEAR(ends.sender_us, 43.2, 0.01);
  EXPECT_NEAR(ends.receiver_us, 214.4, 0.01);
}

// At 160 us the first fragment lies there since 133.9: it is copied until 183.2, the second from 191.2 on.
TEST(GamRanks, AReceiverThatComesInBetweenCopiesWhatIsThere) {
  EXPECT_NEAR(exchange(SimTime::from_ps(160'000'000)).receiver_us, 214.4, 0.01);
}

// At 180 us: until 203.2, and then the second one.
TEST(GamRanks, AReceiverThatComesLaterIsStillBusyWithTheFirst) {
  EXPECT_NEAR(exchange(SimTime::from_ps(180'000'000)).receiver_us, 226.4, 0.01);
}

// After 1 ms both are copied, one after the other.
TEST(GamRanks, ALateReceiverHasAllTheCopyingBeforeIt) {
  EXPECT_NEAR(exchange(SimTime::from_ps(1'000'000'000)).receiver_us, 1046.4, 0.01);
}

}  // namespace
}  // namespace morgana
