#pragma once

#include <cstdint>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/routing/route.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// What routing may look at of a packet that asks a switch for an output.
struct RoutedPacket {
  SwitchPort input;          ///< the switch, and the port by which it came
  SwitchId destination = 0;  ///< another switch, on which the host hangs that it is for
  RouteByte byte = 0;        ///< of a source route: the one that is this switch's
};

/// How long the outputs of switches are taken, for routing that chooses among them.
class OutputLoads {
 public:
  /// For how long a packet that came now would wait for this output.
  virtual SimTime wait(SwitchPort output) const = 0;

 protected:
  ~OutputLoads() = default;
};

/// Where nobody looks at loads: no output is taken.
class IdleOutputs final : public OutputLoads {
 public:
  SimTime wait(SwitchPort) const override { return {}; }
};

/// What a switch does with a packet: it gives it an output. A network asks it for each packet and switch; one
/// that knows which routing it has names its type, and the call costs nothing (Myrinet's source routes).
class Routing {
 public:
  virtual ~Routing() = default;
  /// The port by which the packet leaves the switch; nothing if no way leads on.
  virtual std::optional<PortNumber> output(const RoutedPacket& packet, const OutputLoads& loads) const = 0;
  /// Whether it looks at loads: then it has to be asked when the packet is there, and not ahead of time.
  virtual bool chooses_by_load() const { return false; }
};

}  // namespace morgana
