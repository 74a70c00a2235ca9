#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "emulator/routing/minimal_routing.h"
#include "emulator/routing/nonminimal.h"

namespace morgana {

/// Another routing's ways, or detours through an intermediate switch that is drawn for each packet (or the
/// best of several) from all switches: the other routing's way to it, and its way on from there. The first
/// part uses the other routing's virtual channels, the second part and packets without a detour as many
/// others above them, so that no cycle closes. Whether a packet makes a detour is decided at the switch where
/// it enters. Sources: Valiant and Brebner, STOC 1981; Singh, "Load-Balanced Routing in Interconnection
/// Networks", Stanford, 2005 (UGAL).
class DetourRouting final : public Routing {
 public:
  /// @param rules  detours always or by_output
  DetourRouting(const SwitchGraph& graph, std::shared_ptr<const MinimalRouting> minimal,
                const DetourRules& rules);
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  const Routing* parts() const override { return minimal_.get(); }
  bool chooses_by_load() const override { return rules_.detours == Detours::by_output; }
  bool keeps_flows_together() const override { return false; }
  unsigned virtual_channels() const override { return 2 * minimal_->virtual_channels(); }

 private:
  struct Detour {
    SwitchId via;
    RoutingChoice begin;  ///< of the way to it
    DetourRules::Way way;
  };
  std::optional<SwitchId> drawn_for(const RoutedPacket& packet, unsigned candidate) const;
  std::optional<Detour> detour_for(const RoutedPacket& packet, const OutputLoads& loads) const;
  RoutedPacket to_intermediate(const RoutedPacket& packet, SwitchId via) const;
  RoutedPacket onwards(const RoutedPacket& packet) const;
  RoutingChoice first_part(const RoutingChoice& choice, SwitchId via) const;
  RoutingChoice second_part(const RoutingChoice& choice) const;

  std::uint32_t switches_;
  std::shared_ptr<const MinimalRouting> minimal_;
  DetourRules rules_;
};

}  // namespace morgana
