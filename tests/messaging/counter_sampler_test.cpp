#include "emulator/messaging/counter_sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace morgana {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(TroubleByName, HasTheCountsThatTablesDeclareByTableAndName) {
  const std::vector<CounterTable> tables{
      {"go-back-n",
       {{"units"}, {.name = "sent again", .trouble = true}, {.name = "timeouts", .trouble = true}},
       {{std::int64_t{9}, std::int64_t{3}, std::int64_t{0}}}},
      {"Ethernet outputs",
       {{"output"}, {"frames in"}, {.name = "frames lost", .trouble = true}, {"utilisation", true}},
       {{"a", std::int64_t{5}, std::int64_t{1}, 0.5}, {"b", std::int64_t{6}, std::int64_t{2}, 0.5}}},
      {"Myrinet packets",
       {{"what became of them"}, {"packets"}},
       {{"delivered", std::int64_t{7}}, {"lost on dead cables", std::int64_t{4}}},
       {1}}};
  EXPECT_THAT(
      by_name(troubles_in(tables)),
      ElementsAre(Pair("Ethernet outputs: frames lost", 3), Pair("Myrinet packets: lost on dead cables", 4),
                  Pair("go-back-n: sent again", 3), Pair("go-back-n: timeouts", 0)));
}

/// Loses a frame at each of known times.
class LosingNetwork : public Network {
 public:
  explicit LosingNetwork(std::vector<SimTime> losses) : losses_(std::move(losses)) {}
  void inject(const Unit&) override {}
  Bytes largest_unit() const override { return 1_KiB; }
  std::vector<CounterTable> counted(SimTime until) override {
    const auto lost = std::ranges::count_if(losses_, [until](SimTime at) { return at <= until; });
    return {{"net",
             {{"frames"}, {.name = "frames lost", .trouble = true}},
             {{std::int64_t{100}, std::int64_t{lost}}}}};
  }

 private:
  std::vector<SimTime> losses_;
};

class NoTransport : public Transport {
 public:
  void send(const Shipment&) override {}
};

struct LastEvent : EventHandler {
  void handle(std::uint64_t) override {}
};

std::vector<CounterHistory> histories(std::vector<SimTime> losses, SimTime end, std::size_t most = 512) {
  Machine machine;
  machine.network = std::make_unique<LosingNetwork>(std::move(losses));
  machine.transport = std::make_unique<NoTransport>();
  CounterSampler sampler(machine, 1_us, most);
  LastEvent last;
  machine.events->schedule(end, last);
  while (!machine.events->idle()) machine.events->handle_next();
  EXPECT_EQ(machine.events->now(), end) << "sampling keeps nothing going";
  return sampler.close(end);
}

TEST(CounterSampler, TellsWhenCountsHaveGrown) {
  const std::vector<CounterHistory> all = histories({500_ns, 2'500_ns, 2'600_ns, 7'200_ns}, 7'300_ns);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "net: frames lost");
  EXPECT_THAT(all[0].counts,
              ElementsAre(Pair(SimTime(), 0), Pair(1_us, 1), Pair(3_us, 3), Pair(7'300_ns, 4)));
}

TEST(CounterSampler, LeavesOutWhatNeverHappens) {
  EXPECT_THAT(histories({}, 5_us), IsEmpty());
}

TEST(CounterSampler, LooksMoreSeldomWhereARunIsLong) {
  const std::vector<CounterHistory> all = histories({500_ns, 90_us}, 100_us, 8);
  ASSERT_EQ(all.size(), 1U);
  // Beyond 8 samples the distance doubles, four times until 100 us: the first loss is seen at 16 us at the
  // latest.
  ASSERT_EQ(all[0].counts.size(), 3U);
  EXPECT_LE(all[0].counts[1].first, 16_us);
  EXPECT_EQ(all[0].counts[1].second, 1);
  EXPECT_GE(all[0].counts[2].first, 90_us);
  EXPECT_EQ(all[0].counts[2].second, 2);
}

}  // namespace
}  // namespace morgana
