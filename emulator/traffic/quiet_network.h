#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"

namespace morgana {

/// A network that carries one message at a time, with a rest before the next one.
class QuietNetwork final : private EventHandler, private UnitListener {
 public:
  using Make = std::function<std::unique_ptr<Network>(EventQueue&)>;
  /// @param packet  payload of a full one. @param most  packets that are sent to find what repeats
  QuietNetwork(Make make, Bytes packet, std::uint64_t most);

  /// From handing over until the last packet arrives; nothing if one is lost or never comes.
  /// @param entropy  of its packets
  std::optional<SimTime> time(std::uint32_t from, std::uint32_t to, Bytes size, std::uint32_t entropy);

 private:
  /// Arrivals of full packets from the number `from` on: each is so much after that of `packets` before it.
  struct Period {
    std::uint64_t from = 0, packets = 0;  // 0: none is known
    SimTime time;
  };
  const Period& period(std::uint32_t from, std::uint32_t to);
  bool send(std::uint32_t from, std::uint32_t to, Bytes size, std::uint32_t entropy);
  bool send_once(std::uint32_t from, std::uint32_t to, Bytes size, std::uint32_t entropy);
  void make_anew();
  void handle(std::uint64_t) override { resting_ = false; }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { arrivals_.push_back(events_->now() - start_); }
  void unit_lost(UnitId) override { lost_ = true; }

  Make make_;
  Bytes packet_;
  std::uint64_t most_;
  std::unique_ptr<EventQueue> events_;
  std::unique_ptr<Network> network_;
  std::uint64_t injected_ = 0;
  SimTime start_, rest_;
  bool resting_ = false, lost_ = false;
  std::vector<SimTime> arrivals_;  // of the last message's packets, from its handing over on
  std::map<std::pair<std::uint32_t, std::uint32_t>, Period> periods_;
};

}  // namespace morgana
