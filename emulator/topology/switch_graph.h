#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace morgana {

using SwitchId = std::uint32_t;      ///< from 0, in the order added
using HostNumber = std::uint32_t;    ///< from 0, in the order added; the network's port of the same number
using PortNumber = std::uint16_t;    ///< of a switch, from 0
using CableChannel = std::uint32_t;  ///< one direction of a cable, named after the port that sends on it

/// A port of a switch.
struct SwitchPort {
  SwitchId at = 0;
  PortNumber port = 0;
  auto operator<=>(const SwitchPort&) const = default;
};

/// What a cable leads to, or nothing.
struct Neighbour {
  enum class Kind : std::uint8_t { nothing, host, another_switch };
  Kind kind = Kind::nothing;
  PortNumber port = 0;   ///< at the other switch
  std::uint32_t id = 0;  ///< the host or the switch

  bool is_host() const { return kind == Kind::host; }
  bool is_switch() const { return kind == Kind::another_switch; }
  bool is_nothing() const { return kind == Kind::nothing; }
  SwitchPort switch_port() const { return {id, port}; }  ///< only if is_switch()
};

/// Switches with numbered ports, hosts with one port each, and the cables between them. Two switches may be
/// joined by several cables, and a switch by a cable with itself. It knows nothing else: no delays, no
/// routes.
class SwitchGraph {
 public:
  static constexpr unsigned most_ports = 65'536;
  /// Of a switch that source routes lead through: a port's number is a byte of a route, of which half the
  /// values mean something else.
  static constexpr unsigned most_ports_of_routes = 128;
  /// What is computed for all pairs of switches must fit into memory.
  static constexpr std::size_t most_switches = 16'384;
  struct Cable {
    SwitchPort a, b;
    auto operator<=>(const Cable&) const = default;
  };

  /// @param ports  1 .. most_ports. @throws Error else and for more than most_switches; all of these throw
  /// it for what can't be plugged in
  SwitchId add_switch(unsigned ports);
  /// A host at the given port, or at the switch's lowest free one.
  HostNumber add_host(SwitchPort at);
  HostNumber add_host(SwitchId at);
  /// A cable between two switches, between the given ports or between the lowest free ones.
  void connect(SwitchPort a, SwitchPort b);
  void connect(SwitchId a, SwitchId b);

  std::size_t switches() const { return first_port_.size(); }
  std::size_t hosts() const { return hosts_.size(); }
  unsigned ports(SwitchId at) const {
    return (at + 1 < first_port_.size() ? first_port_[at + 1] : total_ports()) - first_port_[at];
  }
  /// What is plugged into a port that the switch has.
  const Neighbour& neighbour(SwitchPort from) const { return neighbours_[first_port_[from.at] + from.port]; }
  /// The port at which a host is plugged in.
  SwitchPort port_of(HostNumber host) const { return hosts_[host]; }
  /// The hosts of a switch, by port.
  const std::vector<HostNumber>& hosts_at(SwitchId at) const { return hosts_at_[at]; }
  /// The cables between switches, in the order connected.
  const std::vector<Cable>& cables() const { return cables_; }
  /// Whether a cable joins the two switches.
  bool adjacent(SwitchId a, SwitchId b) const;

  /// Channels are numbered densely from 0: first every port of every switch, plugged in or not, then every
  /// host. Only once the graph is complete: another switch shifts the hosts' numbers.
  std::size_t channels() const { return neighbours_.size() + hosts_.size(); }
  CableChannel channel_from(SwitchPort sender) const { return first_port_[sender.at] + sender.port; }
  CableChannel channel_from(HostNumber sender) const { return total_ports() + sender; }
  bool sent_by_host(CableChannel channel) const { return channel >= total_ports(); }
  HostNumber sending_host(CableChannel channel) const { return channel - total_ports(); }
  SwitchPort sending_port(CableChannel channel) const { return senders_[channel]; }
  /// Where the channel ends: for a host's, the port it is plugged in.
  Neighbour receiver(CableChannel channel) const;
  /// "switch 3 port 5 -> switch 4 port 1", "host 7 -> switch 3 port 0".
  std::string describe(CableChannel channel) const;

  /// @throws Error naming a switch or host that can't be reached from switch 0, and for a graph with no
  /// switch
  void check_connected() const;

 private:
  std::uint32_t total_ports() const { return static_cast<std::uint32_t>(neighbours_.size()); }
  void check_free(SwitchPort end, const char* what) const;
  void check_switch(SwitchId at, const char* what) const;
  SwitchPort free_port(SwitchId at, const char* what) const;
  Neighbour& plug(SwitchPort end) { return neighbours_[first_port_[end.at] + end.port]; }

  std::vector<std::uint32_t> first_port_;  // of each switch, in the two below
  std::vector<Neighbour> neighbours_;
  std::vector<SwitchPort> senders_;
  std::vector<SwitchPort> hosts_;
  std::vector<std::vector<HostNumber>> hosts_at_;
  std::vector<Cable> cables_;
};

}  // namespace morgana
