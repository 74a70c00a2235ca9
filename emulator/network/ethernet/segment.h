#pragma once

#include <cstdint>
#include <optional>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/network/network.h"

namespace morgana {

/// Other stations' load on a segment: ON-OFF sources that each, while on, offer frames of one size back to
/// back at a peak rate.
struct BackgroundLoad {
  double load = 0;             ///< mean share of the segment's rate that is offered, 0 to 0.95
  std::uint32_t stations = 4;  ///< sources, each with its own share
  Bytes frame{512};            ///< payload of their frames, 46 to 1500
  SimTime mean_on = SimTime::from_ps(20'000'000'000);  ///< exponential
  double on_share = 0.25;                              ///< of the time that a source is on, in (0, 1]
};

struct SegmentParameters {
  BitRate rate{10'000'000};
  SimTime propagation = SimTime::from_ps(5'000'000);  ///< between any two stations, < half a slot time
  BackgroundLoad background;
};

/// A shared Ethernet segment: carrier sense with collision detection and truncated binary exponential backoff
/// (IEEE 802.3, clause 4.2.3.2.5); a frame is lost after 16 attempts.
class EthernetSegment : public Network, private EventHandler {
 public:
  EthernetSegment(EventQueue& events, std::size_t ports, const SegmentParameters& parameters,
                  std::uint64_t seed);
  ~EthernetSegment() override;
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;

 private:
  void handle(std::uint64_t what) override;
};

}  // namespace morgana
