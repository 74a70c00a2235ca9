#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/routing/equal_ports.h"
#include "emulator/routing/routing.h"
#include "emulator/routing/usable_arcs.h"

namespace morgana::testing {

/// What a RandomRouting looks at and gives.
struct RandomRoutingTraits {
  unsigned virtual_channels = 1;
  bool by_load = false;      ///< each picosecond of a wait decides, so that no error in a load stays hidden
  bool elsewhere = false;    ///< likewise the load of an output of any switch
  unsigned one_lost_in = 0;  ///< of choices: how rarely there is no output; 0: never
};

/// Over the fewest trunks by any port and virtual channel, chosen by a hash of all that it may look at.
class RandomRouting final : public Routing {
 public:
  RandomRouting(const SwitchGraph& graph, const RandomRoutingTraits& traits, std::uint64_t seed)
      : ports_(graph, [](CableChannel) { return true; }), traits_(traits), seed_(seed) {
    for (SwitchId at = 0; at < graph.switches(); ++at)
      for (unsigned port = 0; port < graph.ports(at); ++port)
        if (const SwitchPort output{at, static_cast<PortNumber>(port)}; !graph.neighbour(output).is_nothing())
          outputs_.push_back(output);
  }

  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    const auto equal = ports_.towards(packet.input.at, packet.last_switch);
    std::uint64_t hash = seed_;
    for (const std::uint64_t seen :
         {packet.flow, std::uint64_t{packet.source} << 32 | packet.destination,
          std::uint64_t{packet.input.at} << 32 | packet.input.port, std::uint64_t{packet.virtual_channel},
          std::uint64_t{packet.last_switch}, packet.number, std::uint64_t{packet.note}})
      hash = mixed_with(hash, seen);
    if (traits_.by_load)
      for (const PortNumber port : equal)
        hash = mixed_with(hash, static_cast<std::uint64_t>(loads.wait({packet.input.at, port}).ps()));
    if (traits_.elsewhere)
      hash = mixed_with(hash, static_cast<std::uint64_t>(loads.wait(outputs_[hash % outputs_.size()]).ps()));
    const std::uint64_t luck = hash >> 40;
    if (equal.empty() || (traits_.one_lost_in > 0 && luck % traits_.one_lost_in == 0)) return std::nullopt;
    const PortNumber port = equal[hash % equal.size()];
    return RoutingChoice{port, static_cast<VirtualChannel>((hash >> 20) % traits_.virtual_channels),
                         static_cast<RoutingNote>(hash >> 32)};
  }
  bool chooses_by_load() const override { return traits_.by_load || traits_.elsewhere; }
  bool looks_at_other_switches() const override { return traits_.elsewhere; }
  bool keeps_flows_together() const override { return false; }
  unsigned virtual_channels() const override { return traits_.virtual_channels; }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    for (const PortNumber port : ports_.towards(packet.input.at, packet.last_switch))
      for (unsigned v = 0; v < traits_.virtual_channels; ++v) visit({port, static_cast<VirtualChannel>(v)});
  }

 private:
  static std::uint64_t mixed_with(std::uint64_t hash, std::uint64_t number) {
    hash = (hash ^ number) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
  }

  EqualPorts ports_;
  std::vector<SwitchPort> outputs_;  // of all switches
  RandomRoutingTraits traits_;
  std::uint64_t seed_;
};

}  // namespace morgana::testing
