#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// A byte of a source route.
using RouteByte = std::uint8_t;
/// The byte that names an output port, below SwitchGraph::most_ports_of_routes.
constexpr RouteByte route_byte(PortNumber port) {
  return static_cast<RouteByte>(port);
}

/// Stands between the legs of a header: the host that it arrives at sends the rest on.
constexpr RouteByte in_transit_mark = 0xFF;

/// A packet's route as it stands before its type: a byte for each switch, and between two legs the in-transit
/// mark. Each byte is a flit. Empty: there is no route.
///
/// Below 0x80 a byte is the output port's number: these are what tables hold. 0x80 to 0xFE is a turn, the
/// output port's number less the input port's, -63 to 63: who explores an unknown network can turn round
/// (0) and find back (the turns negated, last first) without knowing any numbers.
using Header = std::span<const RouteByte>;

constexpr int widest_turn = 63;
constexpr RouteByte turn_byte(int turn) {
  return static_cast<RouteByte>(0x80 + widest_turn + turn);
}
/// The output port that a byte (not the mark) means for a packet that came in by `input`; it may be one that
/// the switch doesn't have, also below 0.
constexpr int output_port(RouteByte byte, PortNumber input) {
  return byte < 0x80 ? byte : input + (byte - 0x80 - widest_turn);
}

/// A part of a route that is crossed in one piece, ending at a host: the destination or an in-transit host.
struct Leg {
  HostNumber to = 0;
  std::vector<RouteByte> ports;  ///< output ports, one a switch; the last one leads to the host
  bool operator==(const Leg&) const = default;
};
using Route = std::vector<Leg>;

/// Follows a header from a host. @throws Error naming the host, switch and port where the header leads to
/// nothing, ends at a switch or is left over at a host
Route follow(const SwitchGraph& graph, HostNumber from, Header header);
/// The header of a route: its legs' ports with marks between.
std::vector<RouteByte> header_of(const Route& route);
/// The channels of each leg: the sending host's, then every switch's. @throws Error as follow
std::vector<std::vector<CableChannel>> channels_of(const SwitchGraph& graph, HostNumber from, Header header);
/// "host 3 -> switch 0 port 5 -> switch 2 port 0 -> host 9, in transit -> ...". @throws Error as follow
std::string describe_route(const SwitchGraph& graph, HostNumber from, Header header);

/// A route for each source host and destination host. Hosts whose routes don't differ (those of a switch,
/// as a rule) share a row, so that the table of 4,096 hosts at 512 switches takes some 40 MB.
class RouteTable {
 public:
  static constexpr std::size_t longest_header = 255;

  /// Every header is empty at first. @param row_of_host  for every host the row that holds its routes
  explicit RouteTable(std::vector<std::uint32_t> row_of_host);
  /// A row for each switch, whose hosts share it; or a row for each host.
  static RouteTable row_per_switch(const SwitchGraph& graph);
  static RouteTable row_per_host(const SwitchGraph& graph);

  std::size_t hosts() const { return row_of_host_.size(); }
  std::size_t rows() const { return rows_; }
  std::uint32_t row_of(HostNumber from) const { return row_of_host_[from]; }

  /// The route between two different hosts; stays valid until the next `set`.
  Header header(HostNumber from, HostNumber to) const { return header_in_row(row_of_host_[from], to); }
  Header header_in_row(std::uint32_t row, HostNumber to) const {
    const std::uint8_t* at = bytes_.data() + start_[row * row_of_host_.size() + to];
    return {at + 1, *at};
  }
  /// Replaces a route, for all hosts of the row; `header` is none of this table's own. @throws Error if it is
  /// longer than `longest_header`
  void set(std::uint32_t row, HostNumber to, Header header);

  std::size_t memory() const;  ///< in bytes

 private:
  std::vector<std::uint32_t> row_of_host_;
  std::size_t rows_ = 0;
  std::vector<std::uint32_t> start_;  // by row and destination: where in bytes_ the length and header stand
  std::vector<std::uint8_t> bytes_;   // [0]: the length of the empty header
};

}  // namespace morgana
