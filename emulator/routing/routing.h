#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// A virtual channel of a link, from 0: packets on different ones have buffers of their own.
using VirtualChannel = std::uint8_t;

/// What a routing has noted in a packet, as in a field of its header; 0 when the packet enters the network.
using RoutingNote = std::uint32_t;

/// What routing may look at of a packet that asks a switch for an output.
struct RoutedPacket {
  SwitchPort input;                    ///< the switch, and the port by which the packet came
  VirtualChannel virtual_channel = 0;  ///< on which it came
  HostNumber source = 0;
  HostNumber destination = 0;
  SwitchId last_switch = 0;  ///< where `destination` is plugged in: another one than input.at
  /// Packets with the same number belong together: a routing that spreads flows keeps each on one path.
  std::uint64_t flow = 0;
  /// Differs from packet to packet: what is chosen by chance for each packet follows from it.
  std::uint64_t number = 0;
  RoutingNote note = 0;  ///< of the choice at the switch before
  /// Packets of one flow that came to the switch without a longer gap between them have the same number; only
  /// for routings that ask for it (Routing::spreads_flowlets).
  std::uint64_t flowlet = 0;
};

/// What a switch does with a packet.
struct RoutingChoice {
  PortNumber port = 0;  ///< of the switch, to another switch
  VirtualChannel virtual_channel = 0;
  RoutingNote note = 0;  ///< that the packet carries to the next switch
  auto operator<=>(const RoutingChoice&) const = default;
};

/// How long the outputs of switches are busy, for routing that chooses among them.
class OutputLoads {
 public:
  /// For how long a packet that came now would wait for this output. Of another switch than the one that
  /// asks: as it was before anything happened at this instant.
  virtual SimTime wait(SwitchPort output) const = 0;

 protected:
  ~OutputLoads() = default;
};

/// Loads for routings that do not look at any: no output is busy.
class IdleOutputs final : public OutputLoads {
 public:
  SimTime wait(SwitchPort) const override { return {}; }
};

/// Gives packets their outputs, between the switch where they enter and the one where their destination is
/// plugged in. A network asks it once for each packet and switch.
class Routing {
 public:
  virtual ~Routing() = default;
  /// The output port and virtual channel by which the packet leaves the switch; nothing if no way leads on.
  virtual std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const = 0;
  /// Whether it looks at loads. Then it has to be asked when the packet is there. Other routings are
  /// deterministic: the same packet is always given the same choice, and a network may ask ahead of time.
  virtual bool chooses_by_load() const { return false; }
  /// Whether it asks for loads of other switches than the one where the packet is.
  virtual bool looks_at_other_switches() const { return false; }
  /// Whether packets of one flow keep to one path, and so to their order.
  virtual bool keeps_flows_together() const { return !chooses_by_load(); }
  /// Whether it looks at flowlets, and so at when packets come.
  virtual bool spreads_flowlets() const { return false; }
  /// How many virtual channels it uses, numbered from 0.
  virtual unsigned virtual_channels() const { return 1; }

  /// A routing whose ways between any two switches are all that this one's are made of, each part on higher
  /// virtual channels than the part before: this one is free of deadlock if that one is. Null: there is none.
  virtual const Routing* parts() const { return nullptr; }

  /// Two routings that a packet goes by one after the other: by `first`, and from any switch on by `then`, on
  /// virtual channels above all of `first`'s. This one is free of deadlock if both are. Null: there are none.
  struct Layers {
    const Routing* first = nullptr;
    const Routing* then = nullptr;
  };
  virtual Layers layers() const { return {}; }

  /// Whether a choice may depend on the port and virtual channel by which a packet has come, or on its note.
  /// Else it follows from the switch and the destination: a proof then looks at each switch once.
  virtual bool looks_at_inputs() const { return true; }

  /// Whether hosts at one switch may be sent to by different paths: a proof then looks at each of them.
  virtual bool tells_hosts_apart() const { return false; }

  using VisitChoice = std::function<void(const RoutingChoice&)>;
  /// Calls `visit` for each choice that may ever be made for a packet that came this way, with this note, to
  /// this destination, whatever its flow and the loads: what proofs about the routing rest on
  /// (channel_dependencies.h). Flow, number and source of `packet` are not looked at.
  virtual void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const = 0;
};

}  // namespace morgana
