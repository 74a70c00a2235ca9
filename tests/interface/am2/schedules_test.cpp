// All that a network may do to the first packets between two or three interfaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/core/pool.h"
#include "tests/interface/am2/bench.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;
using am2_bench::firmware_parameters;

/// The last two are on time, and the endpoint of the packet's sender or receiver is to be unloaded.
enum PacketFate : unsigned { on_time, lost, twice, late, sender_is_unloaded, receiver_is_unloaded };

struct Message {
  std::uint32_t from, to, number;
  std::int64_t bytes;
  std::uint32_t endpoint = 0;  // at both ends
};
using Wave = std::vector<Message>;

/// Three interfaces and wires of 100 ns that do to each packet what the schedule says, in the order in which
/// packets are sent, and nothing to those behind. What is late takes 45 us: two scans send it again
/// meanwhile. A wire, one for each
/// pair and direction, keeps the order.
class Wires : private am2::Surroundings, private EventHandler {
 public:
  Wires(const am2::Parameters& parameters, unsigned kinds, unsigned schedule)
      : kinds_(kinds),
        schedule_(schedule),
        ends_{am2::Firmware(events_, *this, PortId{0}, parameters),
              am2::Firmware(events_, *this, PortId{1}, parameters),
              am2::Firmware(events_, *this, PortId{2}, parameters)} {}

  void post(const Wave& wave) {
    posted_ += wave.size();
    for (const Message& one : wave) {
      const EndpointId endpoint{one.endpoint};
      ends_[one.from].post(one.number, PortId{one.to}, Bytes(one.bytes), {endpoint, endpoint});
    }
  }
  void run() {
    while (!events_.idle()) events_.handle_next();
  }
  /// Every message has one fate, those of a channel came in order, unless they were taken back from it, and
  /// nothing is left: no buffer, no channel, no packet before a stopped link.
  void expect_settled(bool in_order) const {
    EXPECT_EQ(fates_.size(), posted_);
    for (const auto& [message, count] : fates_) EXPECT_EQ(count, 1) << message;
    for (const am2::Firmware& end : ends_) {
      EXPECT_TRUE(end.idle());
      for (const std::uint32_t endpoint : {0, 1}) {
        const am2::Residency residency = end.residency(EndpointId{endpoint});
        EXPECT_TRUE(residency == am2::Residency::resident || residency == am2::Residency::absent);
      }
    }
    for (const std::deque<am2::Packet>& packets : before_) EXPECT_TRUE(packets.empty());
    EXPECT_EQ(under_way_.in_use(), 0u);
    if (!in_order) return;
    for (const auto& [channel, one] : came_) EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
  }
  std::uint64_t returned() const { return returned_; }
  std::uint64_t stops() const { return stops_; }
  std::uint64_t unloads() const {
    am2::Counters all;
    for (const am2::Firmware& end : ends_) all += end.counters();
    return all.unloads;
  }

 private:
  static constexpr std::uint64_t leaves = std::uint64_t{1} << 32, goes_on = std::uint64_t{1} << 33;
  void send(const am2::Packet& packet) override {
    const auto from = static_cast<std::uint32_t>(packet.from);
    const unsigned fate = schedule_ % kinds_;
    schedule_ /= kinds_;
    events_.schedule(events_.now() + 20_ns, *this, leaves | under_way_.take(packet));
    if (fate == sender_is_unloaded) ends_[from].evict();
    if (fate == receiver_is_unloaded) ends_[static_cast<std::size_t>(packet.to)].evict();
    const unsigned copies = fate == lost ? 0 : fate == twice ? 2 : 1;
    for (unsigned copy = 0; copy < copies; ++copy) {
      SimTime& last = last_[{packet.from, packet.to}];
      last = std::max(last, events_.now() + (fate == late ? 45_us : 100_ns));
      events_.schedule(last, *this, under_way_.take(packet));
    }
  }
  void handle(std::uint64_t what) override {
    const auto slot = static_cast<std::uint32_t>(what);
    if ((what & goes_on) != 0) return let_in(slot);
    const am2::Packet packet = under_way_[slot];
    under_way_.give_back(slot);
    if ((what & leaves) != 0) return ends_[static_cast<std::size_t>(packet.from)].departed(packet);
    before_[static_cast<std::size_t>(packet.to)].push_back(packet);
    let_in(static_cast<std::size_t>(packet.to));
  }
  void let_in(std::size_t to) {
    while (!stopped_[to] && !before_[to].empty()) {
      const am2::Packet packet = before_[to].front();
      before_[to].pop_front();
      ends_[to].received(packet);
    }
  }
  /// As at once as it can be; a packet that a link lets go on comes in the same instant.
  void stop_link(PortId at, bool stop) override {
    const auto to = static_cast<std::size_t>(at);
    stops_ += stop ? 1 : 0;
    stopped_[to] = stop;
    if (!stop) events_.schedule(events_.now(), *this, goes_on | to);
  }
  bool delivered(const am2::Packet& packet) override {
    ++fates_[packet.message];
    came_[{packet.from, packet.to, packet.channel}].push_back(packet.message);
    return false;
  }
  void written(std::uint32_t) override {}
  void undeliverable(const am2::Packet& packet, std::int64_t) override {
    ++fates_[packet.message];
    ++returned_;
  }
  bool end_session(const am2::Packet& packet) override {
    return ends_[static_cast<std::size_t>(packet.to)].end_session(packet);
  }

  unsigned kinds_, schedule_;
  EventQueue events_;
  Pool<am2::Packet> under_way_;
  std::map<std::pair<PortId, PortId>, SimTime> last_;  // arrival, by sender and receiver
  std::array<am2::Firmware, 3> ends_;
  std::size_t posted_ = 0;
  std::map<std::uint32_t, int> fates_;
  std::map<std::tuple<PortId, PortId, std::uint32_t>, std::vector<std::uint32_t>> came_;  // by channel
  std::array<std::deque<am2::Packet>, 3> before_;                                         // a stopped link
  std::array<bool, 3> stopped_{};
  std::uint64_t stops_ = 0;
  std::uint64_t returned_ = 0;
};

using Waves = std::pair<Wave, Wave>;
const Waves two_ends{{{0, 1, 0, 16}, {0, 1, 1, 100}, {1, 0, 10, 16}},
                     {{0, 1, 2, 100}, {0, 1, 3, 16}, {1, 0, 11, 100}}};
/// Two of them send to the third, which sends to one of them.
const Waves three_ends{{{0, 1, 0, 16}, {2, 1, 20, 100}, {1, 2, 10, 16}, {0, 1, 1, 16}},
                       {{2, 1, 21, 16}, {0, 1, 2, 100}, {1, 0, 11, 100}}};
/// Two endpoints an interface, of which one has a frame.
const Waves two_endpoints{{{0, 1, 0, 16, 0}, {0, 1, 20, 100, 1}, {1, 0, 10, 16, 1}},
                          {{0, 1, 1, 16, 0}, {1, 0, 11, 100, 0}, {0, 1, 21, 16, 1}}};

/// The second wave finds the tables as the first one left them.
void try_all(unsigned kinds, unsigned packets, std::int64_t channels, std::uint32_t tries,
             bool some_are_returned, const Waves& waves = two_ends, std::int64_t frames = 7) {
  am2::Parameters parameters = firmware_parameters();
  parameters.channels = channels;
  parameters.tries = tries;
  parameters.receive_queue = 1;
  parameters.load = 3_us;
  parameters.frames = frames;
  parameters.receive_buffers = 1;
  unsigned schedules = 1;
  for (unsigned i = 0; i < packets; ++i) schedules *= kinds;
  std::uint64_t returned = 0, unloads = 0, stops = 0;
  const unsigned step = schedules / static_cast<unsigned>(random_cases(schedules));  // 1 where all are tried
  for (unsigned schedule = 0; schedule < schedules && !::testing::Test::HasFailure(); schedule += step) {
    SCOPED_TRACE(schedule);
    Wires wires(parameters, kinds, schedule);
    // Endpoints that are unloaded take packets back from channels, and others' may go first.
    const bool in_order = frames > 1 && (kinds <= sender_is_unloaded || channels == 1);
    wires.post(waves.first);
    wires.run();
    wires.expect_settled(in_order);
    wires.post(waves.second);
    wires.run();
    wires.expect_settled(in_order);
    returned += wires.returned();
    unloads += wires.unloads();
    stops += wires.stops();
  }
  EXPECT_EQ(returned > 0, some_are_returned);
  EXPECT_GT(stops, 0u);
  EXPECT_EQ(unloads > 0, kinds > sender_is_unloaded || frames == 1);
}

TEST(Am2Schedules, TenPacketsLostOrDuplicatedOnOneChannel) {
  try_all(3, 10, 1, 255, false);
}

TEST(Am2Schedules, SevenPacketsLostDuplicatedOrLateOnTwoChannels) {
  try_all(4, 7, 2, 255, false);
}

// Two retransmissions are soon used up: messages are returned, and channels begin new sessions.
TEST(Am2Schedules, SevenPacketsLostDuplicatedOrLateWhereMessagesAreReturned) {
  try_all(4, 7, 1, 1, true);
}

// A packet that was refused goes back and takes whichever channel is free: an answer to an older copy would
// acknowledge another packet there.
TEST(Am2Schedules, SixPacketsWhileEndpointsAreUnloaded) {
  try_all(6, 6, 2, 255, false);
}

TEST(Am2Schedules, SixPacketsWhileEndpointsAreUnloadedAndMessagesReturned) {
  try_all(6, 6, 1, 1, true);
}

TEST(Am2Schedules, EightPacketsLostOrDuplicatedAmongThreeInterfaces) {
  try_all(3, 8, 1, 255, false, three_ends);
}

TEST(Am2Schedules, FivePacketsAmongThreeInterfacesWhileEndpointsAreUnloaded) {
  try_all(6, 5, 2, 255, false, three_ends);
}

TEST(Am2Schedules, FivePacketsLostDuplicatedOrLateOfTwoEndpointsThatShareAFrame) {
  try_all(4, 5, 2, 255, false, two_endpoints, 1);
}

TEST(Am2Schedules, FivePacketsOfTwoEndpointsThatShareAFrameWhereMessagesAreReturned) {
  try_all(4, 5, 1, 1, true, two_endpoints, 1);
}

}  // namespace
}  // namespace morgana::testing
