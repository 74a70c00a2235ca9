#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/ethernet/frame.h"
#include "emulator/network/network.h"

namespace morgana {

struct EthernetCableParameters {
  BitRate rate{100'000'000};                          ///< in each direction at once, > 0
  SimTime propagation = SimTime::from_ps(25'000);     ///< 5 m at 5 ns/m
  Bytes largest_payload = ethernet::largest_payload;  ///< up to 9000 with jumbo frames
};

/// Two hosts that one full-duplex Ethernet cable joins, without a switch. With W the time of a frame on the
/// wire (preamble, header, padded payload, check sequence), a unit handed over at t starts at
/// s = max(t, end of the gap after the frame before), has departed at s + W and is delivered at
/// s + W + propagation. No frame is ever lost. Source: IEEE 802.3-2018, clauses 3 and 4.
class EthernetCable final : public Network, private EventHandler {
 public:
  /// @throws Error for other than two ports, or a parameter out of range
  EthernetCable(EventQueue& events, std::size_t ports, const EthernetCableParameters& parameters);
  /// @throws Error if the unit is larger than the largest payload
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override { return parameters_.largest_payload; }
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.lossless = true}; }
  std::vector<CounterTable> counted(SimTime until) override;

 private:
  struct End {
    SimTime free;                    ///< from when on the next frame may start
    std::deque<Unit> waiting, sent;  ///< that have not departed; that have not come
    std::int64_t frames = 0;         ///< departed
    SimTime taken;                   ///< by all frames so far and the gaps after them
  };
  void handle(std::uint64_t what) override;
  double utilisation(const End& end, SimTime until) const;

  EventQueue& events_;
  EthernetCableParameters parameters_;
  std::array<End, 2> ends_;
};

}  // namespace morgana
