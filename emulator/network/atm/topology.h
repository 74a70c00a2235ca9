#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana::atm {

/// A full-duplex link; the two directions don't disturb each other.
struct Link {
  BitRate rate{155'520'000};  ///< what cells get of it, their headers included
  SimTime propagation;

  /// Time of one cell of 53 octets, to the nearest picosecond: 2,726,337 ps at 155.52 Mb/s.
  SimTime cell_time() const { return rate.time_for(Bytes(53)); }
};

/// Switches, the trunks between them, and the switch that each host hangs on.
struct Topology {
  struct Trunk {
    std::uint32_t a, b;  ///< switches
    Link link;
  };
  struct Access {
    std::uint32_t at;  ///< switch
    Link link;
  };
  std::uint32_t switches = 1;
  std::vector<Trunk> trunks;
  std::vector<Access> hosts;

  /// Switches in a line; hosts spread over them from the first to the last.
  static Topology chain(std::uint32_t switches, std::size_t hosts, const Link& link);
  /// As a chain whose ends are joined; with fewer than three switches it is a chain.
  static Topology ring(std::uint32_t switches, std::size_t hosts, const Link& link);
  /// Switch 0 is the hub of the others, on which the hosts are spread (on the hub itself if it is alone).
  static Topology star(std::uint32_t switches, std::size_t hosts, const Link& link);

  /// @throws Error for a trunk or host at a switch that there is not, a trunk from a switch to itself, and
  /// hosts that no trunks join
  void check() const;
};

/// The switches, trunks and hosts of a graph, in its order: a switch's ports are numbered as there, if hosts
/// have its first ones and the trunks follow in theirs.
Topology topology_of(const CabledGraph& network);

/// Static routes over the fewest trunks; of equally long ones over the trunk with the lowest number.
class Routes {
 public:
  explicit Routes(const Topology& topology);
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The trunk that leads from a switch towards another one; none if there is no way.
  std::uint32_t trunk(std::uint32_t from, std::uint32_t to) const { return trunk_[from * switches_ + to]; }

 private:
  std::uint32_t switches_;
  std::vector<std::uint32_t> trunk_;
};

}  // namespace morgana::atm
