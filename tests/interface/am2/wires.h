#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/core/pool.h"
#include "tests/interface/am2/bench.h"

namespace morgana::testing::am2_bench {

/// The last two are on time, and the endpoint of the packet's sender or receiver is to be unloaded.
enum PacketFate : std::uint8_t { on_time, lost, twice, late, sender_is_unloaded, receiver_is_unloaded };

struct Message {
  std::uint32_t from, to, number;
  std::int64_t bytes;
  std::uint32_t endpoint = 0;  // at both ends
};
using Wave = std::vector<Message>;

/// Three interfaces and wires of 100 ns that do to each packet what they are told, in the order in which
/// packets are sent. What is late takes 45 us: two scans send it again meanwhile. A wire, one for each pair
/// and direction, keeps the order.
class Wires : private am2::Surroundings, private EventHandler {
 public:
  Wires(const am2::Parameters& parameters, std::function<PacketFate()> next_fate)
      : next_fate_(std::move(next_fate)),
        ends_{am2::Firmware(events_, *this, PortId{0}, parameters, 1),
              am2::Firmware(events_, *this, PortId{1}, parameters, 1),
              am2::Firmware(events_, *this, PortId{2}, parameters, 1)} {}

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
      for (const std::uint32_t endpoint : {0U, 1U}) {
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
  am2::FirmwareCounters counters() const {
    am2::FirmwareCounters all;
    for (const am2::Firmware& end : ends_) all += end.counters();
    return all;
  }

 private:
  static constexpr std::uint64_t leaves = std::uint64_t{1} << 32, goes_on = std::uint64_t{1} << 33;
  void send(const am2::Packet& packet) override {
    const auto from = static_cast<std::uint32_t>(packet.from);
    const PacketFate fate = next_fate_();
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

  std::function<PacketFate()> next_fate_;
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

}  // namespace morgana::testing::am2_bench
