#pragma once

#include "emulator/network/fabric/core.h"
#include "emulator/network/fabric/switch/flowlets.h"

namespace morgana::fabric {

/// Asks the routing tables of a switch where its packets go, and writes that into them.
class SwitchRouter {
 public:
  /// @param core  must outlive it
  SwitchRouter(const Core& core, SwitchId at) : core_(core), at_(at) {}

  /// Sets the packet's output, group and note, or that it has no way. @param loads  as of `now`, which is
  /// never earlier than at the last call where flowlets are spread
  void ask(Packet& packet, const OutputLoads& loads, SimTime now);

 private:
  const Core& core_;
  SwitchId at_;
  FlowletTable flowlets_;
};

}  // namespace morgana::fabric
