#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tests/interface/am2/bench.h"

namespace morgana::testing {

/// One interface, whose packets are kept, and whose peer's answers are written by hand. A packet has left at
/// once, or, while `link_is_slow`, when it is let go.
class OneEnd : private am2::Surroundings {
 public:
  explicit OneEnd(std::int64_t frames = 7, Bytes largest_payload = Bytes(8192))
      : end_(events_, *this, PortId{0}, parameters_, 1) {
    parameters_.frames = frames;
    parameters_.largest_payload = largest_payload;
  }
  void run_until(SimTime time) {
    while (!events_.empty() && events_.next_time() <= time) events_.handle_next();
  }
  void answer(std::size_t copy, am2::PacketType type) {
    am2::Packet packet = sent.at(copy);
    std::swap(packet.from, packet.to);
    packet.type = type;
    end_.received(packet);
  }
  void message_comes(std::uint32_t number, const Ends& ends, Bytes payload = Bytes(16),
                     SimTime sent_at = {}) {
    am2::Packet packet;
    packet.from = PortId{1};
    packet.channel = number % 4;
    packet.sequence = number / 4 % 2 == 1;
    packet.message = number;
    packet.payload = payload;
    packet.ends = ends;
    packet.timestamp = sent_at;
    end_.received(packet);
  }
  std::size_t answers(am2::PacketType type) const {
    return static_cast<std::size_t>(
        std::count_if(sent.begin(), sent.end(), [&](const am2::Packet& one) { return one.type == type; }));
  }
  void let_go() { end_.departed(sent.back()); }
  am2::Firmware& end() { return end_; }

  std::vector<am2::Packet> sent;
  bool link_is_slow = false, link_is_stopped = false;
  std::vector<std::uint32_t> returned;
  std::map<std::uint32_t, SimTime> written_at;

 private:
  void send(const am2::Packet& packet) override {
    sent.push_back(packet);
    if (!link_is_slow) end_.departed(packet);
  }
  void stop_link(PortId, bool stop) override { link_is_stopped = stop; }
  bool delivered(const am2::Packet& packet) override { return packet.ends.held; }
  void written(std::uint32_t message) override { written_at[message] = events_.now(); }
  void undeliverable(const am2::Packet& packet, std::int64_t) override { returned.push_back(packet.message); }
  bool end_session(const am2::Packet&) override { return false; }

  am2::Parameters parameters_ = am2_bench::firmware_parameters();
  EventQueue events_;
  am2::Firmware end_;
};

}  // namespace morgana::testing
