#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// For each destination the port by which every switch sends there. A row belongs to one host, or to all
/// hosts of a switch.
class DestinationTable {
 public:
  enum class Rows : std::uint8_t { hosts, switches };
  /// Leads nowhere. @throws Error for a switch of more than 65,535 ports
  DestinationTable(const SwitchGraph& graph, Rows rows);

  std::size_t rows() const { return last_.size(); }
  std::size_t switches() const { return switches_; }
  std::size_t row_of(HostNumber to) const { return row_of_[to]; }
  bool row_for_each_host() const { return rows_ == Rows::hosts; }
  /// The switch where the row's destination is plugged in.
  SwitchId last_switch(std::size_t row) const { return last_[row]; }
  /// Nothing at the last switch, and where no way leads there.
  std::optional<PortNumber> port(std::size_t row, SwitchId at) const {
    const PortNumber port = port_[row * switches_ + at];
    if (port == none) return std::nullopt;
    return port;
  }
  void set(std::size_t row, SwitchId at, PortNumber port) { port_[row * switches_ + at] = port; }

  /// The channels between switches on the way from a switch, one after the other; empty if no way leads
  /// there. @param way  is overwritten
  void way(const SwitchGraph& graph, std::size_t row, SwitchId from, std::vector<CableChannel>& way) const;

 private:
  static constexpr PortNumber none = 0xFFFF;
  std::size_t switches_;
  Rows rows_;
  std::vector<std::uint32_t> row_of_;  // by host
  std::vector<SwitchId> last_;         // by row
  std::vector<PortNumber> port_;       // by row, then by switch
};

/// SSSP: the fewest trunks to each host, over those that fewest pairs of hosts use. Hosts are routed one
/// after the other: those at switches with most hosts first, then by number. For each host a tree is grown
/// from its switch outward: a switch takes, of the neighbours that are nearer, that with the smallest sum of
/// pairs over all channels to the host; of equal ones the lowest port. Then each channel of the tree counts
/// the pairs that it carries. Source: Hoefler, Schneider and Lumsdaine, "Optimized Routing for Large-Scale
/// InfiniBand Networks", IEEE HOTI 2009. There, and in OpenSM, Dijkstra's algorithm adds hops and loads, and
/// a hop counts as the square of the number of hosts, to force the fewest trunks; here hops simply come
/// first.
DestinationTable sssp_table(const SwitchGraph& graph, const ChannelFilter& usable);

/// The fewest trunks to each switch that has hosts, of equally short ways over the lowest port.
DestinationTable lowest_port_table(const SwitchGraph& graph, const ChannelFilter& usable);

}  // namespace morgana
