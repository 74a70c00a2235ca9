#pragma once

#include <cstdint>

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
/// output. A frame that finds its output's buffer full is lost.
class SwitchedEthernet : public Network, private EventHandler {
 public:
  SwitchedEthernet(EventQueue& events, std::size_t ports, const SwitchedEthernetParameters& parameters);
  ~SwitchedEthernet() override;
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;

 private:
  void handle(std::uint64_t what) override;
};

}  // namespace morgana
