#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/network.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/parameters.h"

namespace morgana::rc {

/// The parameters of all queue pairs, and what follows from them over a network.
class Rules {
 public:
  /// @throws Error if a packet does not fit into the network's units, a parameter is out of range, or the
  /// network lacks what the congestion control needs
  Rules(const RcParameters& parameters, Network& network);

  const RcParameters* operator->() const { return &parameters_; }
  /// With congestion control that has a window.
  bool has_windows() const { return has_windows_; }
  bool selective() const { return selective_; }
  bool keeps_early() const { return keeps_early_; }
  /// The timeout, up to RTO_high; 0: none.
  SimTime patience() const { return patience_; }
  /// Up to RTO_low where there is one, else up to the timeout; 0: none.
  SimTime low_patience() const { return low_patience_; }
  /// With windows: a packet of a whole path MTU without RETH and ImmDt, on the link.
  Bytes full_packet() const { return full_packet_; }

  std::uint64_t packets_of(Bytes message) const;
  /// Until a NIC has the first packet of so many bytes.
  SimTime time_to_fetch(Bytes bytes) const;
  std::uint32_t on_link(Psn psn) const;
  /// The one of those PSNs that is closest to `near`.
  Psn extended(std::uint32_t psn, Psn near) const;
  /// @param extension  bytes of its header without BTH, ICRC and the global header
  /// @return what the network is handed
  Bytes packet_size(const Header& header, Bytes extension, Bytes payload) const;
  /// How many ports may record telemetry in it.
  std::uint8_t telemetry_ports(const Header& header) const;

  /// Of a packet with RETH and ImmDt and a whole payload.
  static Bytes largest_packet(const RcParameters& parameters);

 private:
  RcParameters parameters_;
  bool has_windows_, selective_, keeps_early_;
  SimTime patience_, low_patience_;
  Bytes full_packet_;
};

}  // namespace morgana::rc
