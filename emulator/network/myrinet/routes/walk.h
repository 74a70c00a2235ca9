#pragma once

#include <fmt/format.h>

#include <cstddef>

#include "emulator/core/error.h"
#include "emulator/core/long_work.h"
#include "emulator/network/myrinet/routes/route.h"

namespace morgana {

/// Follows a header from a host and calls visit(leg, channel) for every channel crossed, the hosts' own too.
/// @throws Error as `follow`
template <typename Visit>
void walk(const SwitchGraph& graph, HostNumber from, Header header, Visit visit) {
  if (from >= graph.hosts()) {
    throw Error(fmt::format("a route from host {}: the network has {} hosts", from, graph.hosts()));
  }
  const auto wrong = [&](std::size_t byte, const std::string& how) {
    return Error(fmt::format("the route from host {} goes wrong at its byte {}: {}", from, byte, how));
  };
  HostNumber sender = from;
  for (std::size_t leg = 0, byte = 0;; ++leg) {
    CableChannel channel = graph.channel_from(sender);
    visit(leg, channel);
    Neighbour at = graph.receiver(channel);
    while (at.is_switch()) {
      if (byte == header.size()) throw wrong(byte, fmt::format("it ends at switch {}, not at a host", at.id));
      if (header[byte] == in_transit_mark) {
        throw wrong(byte, fmt::format("the in-transit mark stands at switch {}", at.id));
      }
      const int output = output_port(header[byte++], at.port);
      const auto port = static_cast<PortNumber>(output);
      if (output < 0 || output >= static_cast<int>(graph.ports(at.id)) ||
          graph.neighbour({at.id, port}).is_nothing()) {
        throw wrong(byte - 1, fmt::format("nothing is plugged into port {} of switch {}", output, at.id));
      }
      channel = graph.channel_from(SwitchPort{at.id, port});
      visit(leg, channel);
      at = graph.receiver(channel);
    }
    if (byte == header.size()) return;
    if (header[byte++] != in_transit_mark) {
      throw wrong(byte - 1, fmt::format("it is left over at host {}", at.id));
    }
    sender = at.id;
  }
}

/// Calls visit(first of the hosts that share the row, how many they are, destination, header) for every route
/// of a table; not counted is a host's route to itself.
template <typename Visit>
void for_every_route(const RouteTable& table, Visit visit) {
  std::vector<std::vector<HostNumber>> hosts_of_row(table.rows());
  for (HostNumber host = 0; host < table.hosts(); ++host) hosts_of_row[table.row_of(host)].push_back(host);
  LongWork work("following the routes", table.rows());
  for (std::uint32_t row = 0; row < table.rows(); ++row) {
    work.advance();
    const auto& sources = hosts_of_row[row];
    for (HostNumber to = 0; to < table.hosts() && !sources.empty(); ++to) {
      const bool to_own = table.row_of(to) == row;
      if (to_own && sources.size() == 1) continue;
      const HostNumber from = to_own && sources.front() == to ? sources[1] : sources.front();
      const Header header = table.header_in_row(row, to);
      if (!header.empty()) visit(from, sources.size() - (to_own ? 1 : 0), to, header);
    }
  }
}

}  // namespace morgana
