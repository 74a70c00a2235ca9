#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emulator/network/network.h"

namespace morgana {

/// Hosts with several NICs, each on a network of its own: rails (NIC i of every host is on rail i), or the
/// planes of one network. Host h's NIC on rail r of n is port h * n + r here, and port h of that rail. There
/// is no way from one rail to another.
///
/// Switches and hosts of links() say their rail (LinkEnd::on_rail), counters and losses name it.
class RailNetworks final : public Network,
                           private MarkingNetwork,
                           private TelemetryNetwork,
                           private TrimmingNetwork {
 public:
  /// @param rails  at least one, all of the same kind and with as many ports; nothing has been injected
  explicit RailNetworks(std::vector<std::unique_ptr<Network>> rails);
  ~RailNetworks() override;

  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override;
  /// Marks, telemetry and trimming, where the rails have them.
  NetworkExtensions extensions() override;
  std::string how_lost() const override;
  std::string remedy() const override;
  std::string standstill() const override;
  std::vector<CounterTable> counted(SimTime until) override;
  std::vector<TroubleCount> troubles(SimTime until) override;
  NetworkLinks links(SimTime until) override;
  bool follow_ports(const std::vector<bool>& ports) override;

 private:
  class Rail;

  BitRate port_rate(PortId port) const override;
  Bytes on_link(Bytes unit) const override;
  bool delivered_marked() const override;
  std::span<const PortTelemetry> delivered_telemetry() const override;
  unsigned delivered_hops() const override;
  Trimmed delivered_trimmed() const override;
  NetworkExtensions& reporting() const;

  std::vector<std::unique_ptr<Rail>> rails_;
  std::size_t reporting_ = 0;  // the rail of the unit that is being reported
  std::size_t lost_last_ = 0;  // the rail that lost a unit last, for how_lost()
};

}  // namespace morgana
