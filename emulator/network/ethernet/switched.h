#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"

namespace morgana {

struct SwitchedEthernetParameters {
  BitRate rate{100'000'000};
  SimTime propagation;             ///< of each cable
  SimTime forwarding;              ///< the switch's decision, after a frame is wholly in (store and forward)
  std::int64_t buffer_frames = 0;  ///< room of each output, counting the frame in transmission; 0: unlimited
  Bytes largest_payload{1500};     ///< up to 9000 with jumbo frames
};

/// Hosts on full-duplex links around one store-and-forward switch with a first-in, first-out queue per
/// output. A frame that finds its output's buffer full is lost. With W the time of a frame on the wire
/// (preamble, header, padded payload, check sequence) and gap that of the interframe gap, a unit handed over
/// at t
///   - starts       at s = max(t, host's link free), which is then taken until s + W + gap,
///   - has departed at s + W,
///   - is offered to its output at a = s + W + propagation + forwarding; a frame that leaves at a has left,
///   - goes out     at r = max(a, output free), which is then taken until r + W + gap,
///   - is delivered at r + W + propagation.
/// Frames that reach an output at the same time queue in the order of injection. The ends of a link do not
/// slow each other down, hosts take whatever comes, and the switch's fabric is never the bottleneck.
class SwitchedEthernet : public Network, private EventHandler {
 public:
  SwitchedEthernet(EventQueue& events, std::size_t ports, const SwitchedEthernetParameters& parameters);
  ~SwitchedEthernet() override;
  /// @throws Error if the unit is larger than the largest payload
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;

 private:
  using Slot = std::uint32_t;
  static constexpr Slot none = ~Slot{0};

  struct Frame {
    Unit unit;
    SimTime wire;    ///< time on the wire, gap not counted
    Slot next_free;  ///< in the list of free slots
  };
  struct Port {
    SimTime link_free, output_free;
    std::deque<SimTime> leaving;  ///< when the frames in the output's buffer will have left; if limited
  };

  void handle(std::uint64_t what) override;
  void depart(Slot slot);
  Slot store(const Unit& unit);
  void release(Slot slot);

  EventQueue& events_;
  SwitchedEthernetParameters parameters_;
  SimTime gap_;
  std::vector<Port> ports_;
  std::vector<Frame> frames_;  // by slot; a slot is free again once its frame is delivered or lost
  Slot first_free_ = none;
};

}  // namespace morgana
