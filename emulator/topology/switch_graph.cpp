#include "emulator/topology/switch_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"

namespace morgana {

SwitchId SwitchGraph::add_switch(unsigned ports) {
  if (ports < 1 || ports > most_ports) {
    throw Error(fmt::format("switch {} can't have {} ports: give it 1 to {}", switches(), ports, most_ports));
  }
  if (switches() == most_switches)
    throw Error(fmt::format("more than {} switches: take fewer", most_switches));
  const auto id = static_cast<SwitchId>(switches());
  first_port_.push_back(total_ports());
  neighbours_.resize(neighbours_.size() + ports);
  for (unsigned port = 0; port < ports; ++port) senders_.push_back({id, static_cast<PortNumber>(port)});
  hosts_at_.emplace_back();
  return id;
}

HostNumber SwitchGraph::add_host(SwitchPort at) {
  const auto id = static_cast<HostNumber>(hosts());
  const std::string what = fmt::format("host {}", id);
  check_free(at, what.c_str());
  plug(at) = {Neighbour::Kind::host, 0, id};
  hosts_.push_back(at);
  auto& here = hosts_at_[at.at];
  here.insert(std::upper_bound(here.begin(), here.end(), at.port,
                               [&](PortNumber port, HostNumber host) { return port < hosts_[host].port; }),
              id);
  return id;
}

HostNumber SwitchGraph::add_host(SwitchId at) {
  return add_host(free_port(at, fmt::format("host {}", hosts()).c_str()));
}

void SwitchGraph::connect(SwitchPort a, SwitchPort b) {
  const std::string what =
      fmt::format("the cable from switch {} port {} to switch {} port {}", a.at, a.port, b.at, b.port);
  check_free(a, what.c_str());
  check_free(b, what.c_str());
  if (a == b) throw Error(what + " has both ends in the same port: give it two");
  plug(a) = {Neighbour::Kind::another_switch, b.port, b.at};
  plug(b) = {Neighbour::Kind::another_switch, a.port, a.at};
  cables_.push_back({a, b});
}

void SwitchGraph::connect(SwitchId a, SwitchId b) {
  const std::string what = fmt::format("a cable from switch {} to switch {}", a, b);
  const SwitchPort first = free_port(a, what.c_str());
  if (a == b) throw Error(what + " needs its ports named");
  connect(first, free_port(b, what.c_str()));
}

bool SwitchGraph::adjacent(SwitchId a, SwitchId b) const {
  for (unsigned port = 0; port < ports(a); ++port) {
    const Neighbour& other = neighbour({a, static_cast<PortNumber>(port)});
    if (other.is_switch() && other.id == b) return true;
  }
  return false;
}

Neighbour SwitchGraph::receiver(CableChannel channel) const {
  if (!sent_by_host(channel)) return neighbours_[channel];
  const SwitchPort at = hosts_[sending_host(channel)];
  return {Neighbour::Kind::another_switch, at.port, at.at};
}

std::string SwitchGraph::describe(CableChannel channel) const {
  const Neighbour to = receiver(channel);
  std::string text = sent_by_host(channel)
                         ? fmt::format("host {}", sending_host(channel))
                         : fmt::format("switch {} port {}", senders_[channel].at, senders_[channel].port);
  if (to.is_host()) return text + fmt::format(" -> host {}", to.id);
  if (to.is_switch()) return text + fmt::format(" -> switch {} port {}", to.id, to.port);
  return text + " -> nothing";
}

void SwitchGraph::check_connected() const {
  if (switches() == 0) throw Error("the network has no switch: give it at least one");
  std::vector<bool> reached(switches());
  std::vector<SwitchId> next{0};
  reached[0] = true;
  while (!next.empty()) {
    const SwitchId at = next.back();
    next.pop_back();
    for (unsigned port = 0; port < ports(at); ++port) {
      const Neighbour& other = neighbour({at, static_cast<PortNumber>(port)});
      if (!other.is_switch() || reached[other.id]) continue;
      reached[other.id] = true;
      next.push_back(other.id);
    }
  }
  for (SwitchId id = 0; id < switches(); ++id) {
    if (!reached[id]) throw Error(fmt::format("no cables lead from switch 0 to switch {}: add some", id));
  }
}

void SwitchGraph::check_switch(SwitchId at, const char* what) const {
  if (at < switches()) return;
  throw Error(fmt::format("{}: there is no switch {}, only {} numbered from 0", what, at, switches()));
}

void SwitchGraph::check_free(SwitchPort end, const char* what) const {
  check_switch(end.at, what);
  if (end.port >= ports(end.at)) {
    throw Error(fmt::format("{}: switch {} has no port {}, only {} numbered from 0", what, end.at, end.port,
                            ports(end.at)));
  }
  const Neighbour& there = neighbour(end);
  if (there.is_nothing()) return;
  const std::string occupant = there.is_host()
                                   ? fmt::format("host {}", there.id)
                                   : fmt::format("a cable to switch {} port {}", there.id, there.port);
  throw Error(fmt::format("{}: port {} of switch {} already holds {}", what, end.port, end.at, occupant));
}

SwitchPort SwitchGraph::free_port(SwitchId at, const char* what) const {
  check_switch(at, what);
  for (unsigned port = 0; port < ports(at); ++port) {
    const SwitchPort end{at, static_cast<PortNumber>(port)};
    if (neighbour(end).is_nothing()) return end;
  }
  throw Error(fmt::format("{}: all {} ports of switch {} are taken", what, ports(at), at));
}

}  // namespace morgana
