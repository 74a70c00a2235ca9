#include "emulator/interface/am2/frames.h"

#include <gmock/gmock.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace morgana {
namespace {

using namespace literals;
using am2::EndpointNumber, am2::Residency;
using testing::ElementsAre, testing::Pair;

/// Frames, where loads take 100 us and an endpoint keeps its frame for 40 ms.
class FramesBench : private am2::FrameUser {
 public:
  explicit FramesBench(std::int64_t count, SimTime evict_every = {}) {
    parameters.frames = count;
    parameters.evict_every = evict_every;
    frames = std::make_unique<am2::Frames>(events, parameters, static_cast<am2::FrameUser&>(*this),
                                           RandomStream(1, "driver"));
  }
  void run_until(SimTime until) {
    while (!events.empty() && events.next_time() <= until) events.handle_next();
  }
  Residency residency(EndpointNumber endpoint) const { return frames->residency(endpoint); }

  EventQueue events;
  am2::Parameters parameters;
  std::unique_ptr<am2::Frames> frames;
  std::set<EndpointNumber> busy, sending;  // not flushed; with something to send
  std::vector<std::pair<EndpointNumber, SimTime>> loaded_at;

 private:
  bool is_flushed(EndpointNumber endpoint) const override { return !busy.contains(endpoint); }
  bool unload(EndpointNumber endpoint) override { return sending.contains(endpoint); }
  void loaded(EndpointNumber endpoint) override { loaded_at.emplace_back(endpoint, events.now()); }
};

TEST(Am2Frames, AreGivenToTheFirstEndpoints) {
  FramesBench bench(2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(bench.frames->residency_of_next(), Residency::resident);
    bench.frames->add();
  }
  EXPECT_EQ(bench.frames->residency_of_next(), Residency::absent);
  bench.frames->add();
  EXPECT_EQ(bench.residency(0), Residency::resident);
  EXPECT_EQ(bench.residency(1), Residency::resident);
  EXPECT_EQ(bench.residency(2), Residency::absent);
}

// The driver comes to it within 100 us, and the load takes 100 us from then on.
TEST(Am2Frames, TheEndpointUsedLeastRecentlyMakesRoom) {
  FramesBench bench(2);
  for (int i = 0; i < 3; ++i) bench.frames->add();
  bench.frames->use(0);
  bench.frames->want(2);
  bench.frames->want(2);  // is in line already
  bench.run_until(1_s);
  EXPECT_EQ(bench.residency(0), Residency::resident);
  EXPECT_EQ(bench.residency(1), Residency::absent);
  ASSERT_THAT(bench.loaded_at, ElementsAre(Pair(2, testing::_)));
  EXPECT_GE(bench.loaded_at[0].second, 100_us);
  EXPECT_LT(bench.loaded_at[0].second, 200_us);
  EXPECT_EQ(bench.frames->unloads(), 1u);
}

TEST(Am2Frames, AnEndpointStaysUntilItIsFlushed) {
  FramesBench bench(1);
  bench.frames->add();
  bench.busy = {0};
  bench.frames->evict(0);
  bench.frames->unload_what_is_flushed();
  EXPECT_EQ(bench.residency(0), Residency::unloading);
  bench.busy.clear();
  bench.frames->unload_what_is_flushed();
  EXPECT_EQ(bench.residency(0), Residency::absent);
  bench.run_until(1_s);
  EXPECT_TRUE(bench.loaded_at.empty());  // it has nothing to send
}

TEST(Am2Frames, AnEndpointWithSomethingToSendIsLoadedAgain) {
  FramesBench bench(1);
  bench.frames->add();
  bench.sending = {0};
  bench.frames->evict(0);
  EXPECT_EQ(bench.residency(0), Residency::loading);
  bench.run_until(1_s);
  EXPECT_THAT(bench.loaded_at, ElementsAre(Pair(0, 100_us)));
}

TEST(Am2Frames, AnEndpointThatIsWantedWhileItIsUnloadedIsLoadedAgain) {
  FramesBench bench(1);
  bench.frames->add();
  bench.busy = {0};
  bench.frames->evict(0);
  bench.frames->want(0);
  bench.busy.clear();
  bench.frames->unload_what_is_flushed();
  bench.run_until(1_s);
  EXPECT_THAT(bench.loaded_at, ElementsAre(Pair(0, 100_us)));
}

// Endpoint 0 has its frame since it was made, and not by a load.
TEST(Am2Frames, ALoadedEndpointKeepsItsFrameForAWhile) {
  FramesBench bench(1);
  bench.frames->add();
  bench.frames->add();
  bench.frames->want(1);
  bench.run_until(1_ms);
  ASSERT_EQ(bench.loaded_at.size(), 1u);
  const SimTime first = bench.loaded_at[0].second;
  bench.frames->want(0);
  bench.run_until(1_s);
  EXPECT_THAT(bench.loaded_at, ElementsAre(Pair(1, first), Pair(0, first + 40_ms + 100_us)));
}

// Endpoint 0 has moved a message, endpoint 1 has not.
TEST(Am2Frames, ThoseThatHaveMovedAMessageAreEvictedEachPeriod) {
  FramesBench bench(2, 1_ms);
  bench.frames->add();
  bench.frames->add();
  bench.frames->moved(0);
  bench.frames->start_evictions();
  bench.run_until(999_us);
  EXPECT_EQ(bench.residency(0), Residency::resident);
  bench.run_until(1_ms);
  EXPECT_EQ(bench.residency(0), Residency::absent);
  EXPECT_EQ(bench.residency(1), Residency::resident);
}

}  // namespace
}  // namespace morgana
