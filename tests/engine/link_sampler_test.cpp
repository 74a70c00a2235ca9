#include "emulator/network/link_sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace morgana {
namespace {

using namespace literals;

/// One link, which is busy at known times.
class KnownLink : public NetworkDiagnostics {
 public:
  explicit KnownLink(std::vector<std::pair<SimTime, SimTime>> busy) : busy_(std::move(busy)) {}
  NetworkLinks links(SimTime until) override {
    SimTime sum;
    for (const auto& [begin, end] : busy_) sum += std::max(std::min(end, until) - begin, SimTime());
    return {"frames", {{{}, {}, 0, until > SimTime() ? sum.seconds() / until.seconds() : 0}}};
  }

 private:
  std::vector<std::pair<SimTime, SimTime>> busy_;
};

/// One link, for which as much is queued as time has passed.
class GrowingQueue : public NetworkDiagnostics {
 public:
  NetworkLinks links(SimTime until) override { return {"frames", {{{}, {}, 0, 1, {}, until}}}; }
};

class NoLinks : public NetworkDiagnostics {};

struct LastEvent : EventHandler {
  void handle(std::uint64_t) override {}
};

/// Of a run that has one event, at its end.
LinkHistory history(NetworkDiagnostics& network, SimTime end, std::size_t most) {
  EventQueue events;
  LinkSampler sampler(events, network, 1_us, most);
  LastEvent last;
  events.schedule(end, last);
  while (!events.idle()) events.handle_next();
  EXPECT_EQ(events.now(), end) << "sampling keeps nothing going";
  sampler.close(end);
  return sampler.history();
}

TEST(LinkSampler, TellsInWhichWindowsALinkWasBusy) {
  KnownLink network({{2_us, 4_us}, {6'250_ns, 6'500_ns}, {8_us, 8'250_ns}});
  const LinkHistory seen = history(network, 8'500_ns, 512);
  EXPECT_EQ(seen.window, 1_us);
  EXPECT_EQ(seen.end, 8'500_ns);
  ASSERT_EQ(seen.windows(), 9u);
  // The last window is half as long.
  const std::vector<float> busy{0, 0, 1, 1, 0, 0, 0.25F, 0, 0.5F};
  EXPECT_THAT(seen.busy, testing::Pointwise(testing::FloatNear(1e-5F), busy));
  EXPECT_TRUE(seen.stopped.empty());
}

TEST(LinkSampler, DoublesItsWindowsInALongRun) {
  // 33 samples, that of time 0 counted, are one too many: at 32 us and at 64 us.
  KnownLink network({{10_us, 14_us}, {50_us, 53_us}, {90_us, 92_us}});
  const LinkHistory seen = history(network, 101_us, 32);
  EXPECT_EQ(seen.window, 4_us);
  ASSERT_EQ(seen.windows(), 26u);
  // From 8 to 16 us, 48 to 56 us, 88 to 92 us.
  std::vector<float> busy(26);
  busy[2] = busy[3] = 0.5F;
  busy[12] = 0.5F;
  busy[13] = 0.25F;
  busy[22] = 0.5F;
  EXPECT_THAT(seen.busy, testing::Pointwise(testing::FloatNear(1e-5F), busy));
}

TEST(LinkSampler, TellsWhatIsQueuedAtTheEndOfEachWindow) {
  GrowingQueue network;
  EXPECT_THAT(history(network, 3'500_ns, 512).queued, testing::ElementsAre(1_us, 2_us, 3_us, 3'500_ns));
  const LinkHistory doubled = history(network, 101_us, 32);
  EXPECT_EQ(doubled.window, 4_us);
  ASSERT_EQ(doubled.queued.size(), 26u);
  EXPECT_EQ(doubled.queued[1], 8_us);
}

TEST(LinkSampler, HasNothingToSayOfANetworkWithoutLinks) {
  NoLinks network;
  const LinkHistory seen = history(network, 10_us, 512);
  EXPECT_EQ(seen.windows(), 0u);
  EXPECT_TRUE(seen.links.empty());
}

}  // namespace
}  // namespace morgana
