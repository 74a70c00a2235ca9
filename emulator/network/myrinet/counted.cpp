#include <algorithm>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {
namespace {

constexpr const char* reasons[myrinet::loss_kinds] = {"deadlock",        "no such port",      "route used up",
                                                      "route left over", "at a wrong host",   "corrupted",
                                                      "dead cable",      "no room in transit"};

CounterTable::Value count(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

double share(SimTime part, SimTime whole) {
  return whole > SimTime() ? static_cast<double>(part.ps()) / static_cast<double>(whole.ps()) : 0;
}

}  // namespace

std::vector<CounterTable> MyrinetNetwork::counted(SimTime) {
  CounterTable table{"Myrinet packets", {{"what became of them"}, {"packets"}}, {}};
  std::uint64_t in_transit = 0, overflows = 0;
  for (const InTransitStatistics& host : in_transit_) {
    in_transit += host.packets;
    overflows += host.overflows;
  }
  table.rows = {{"injected", count(totals_.injected)},
                {"delivered", count(totals_.delivered)},
                {"received in transit", count(in_transit)},
                {"found no room in transit", count(overflows)}};
  table.trouble_rows = {3};
  for (std::size_t why = 0; why < myrinet::loss_kinds; ++why)
    if (totals_.lost[why] > 0) {
      table.trouble_rows.push_back(table.rows.size());
      table.rows.push_back({std::string("lost: ") + reasons[why], count(totals_.lost[why])});
    }
  return {table};
}

LinkEnd MyrinetNetwork::sender(CableChannel channel) const {
  if (sent_from_host(channel)) {
    // The network's hosts are numbered as their channels are.
    return {LinkEnd::Kind::host, channel - first_host_channel_, 0};
  }
  const auto next = std::partition_point(switches_.begin(), switches_.end(),
                                         [&](const Switch& at) { return at.first_port <= channel; });
  const auto number = static_cast<std::uint32_t>(next - switches_.begin() - 1);
  return {LinkEnd::Kind::switch_port, number, channel - switches_[number].first_port};
}

NetworkLinks MyrinetNetwork::links(SimTime until) {
  const SimTime time = until - window_start_;
  NetworkLinks links{"flits", {}};
  for (Index index = 0; index < first_sink_; ++index) {
    const Channel& channel = channels_[index];
    if (channel.at == none) continue;
    const LinkEnd to = channel.to_host ? LinkEnd{LinkEnd::Kind::host, channel.at, 0}
                                       : LinkEnd{LinkEnd::Kind::switch_port, channel.at, channel.port};
    const std::int64_t flits = flits_carried(index);
    SimTime stopped = time_stopped(index);
    if (channel.stopped) stopped = stopped + (until - events_.now());
    links.loads.push_back(
        {sender(index), to, flits, share(parameters_.flit * flits, time), share(stopped, time)});
    links.loads.back().of_program = followed_ports_.empty() || channel.followed;
  }
  return links;
}

}  // namespace morgana
