#include "emulator/network/myrinet/mapping/mapped_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// Of the daemons' units; others don't have it.
constexpr std::uint64_t own_mark = std::uint64_t{1} << 63;

}  // namespace

MappedNetwork::MappedNetwork(EventQueue& events, MyrinetNetwork& network, std::vector<HostName> names,
                             const MappingParameters& parameters)
    : events_(events), network_(network), names_(std::move(names)), overhead_(parameters.overhead) {
  parameters.check();
  std::set<HostName> different;
  for (const HostName name : names_) {
    if (!different.insert(name).second) {
      throw Error(fmt::format("two hosts have the name {}: a mapper could not tell them apart", name));
    }
  }
  for (HostNumber host = 0; host < names_.size(); ++host) {
    hosts_.push_back(std::make_unique<MappedHost>(
        events, names_[host], parameters,
        [this, host](MappingPacket packet, std::vector<RouteByte> route) {
          send(host, std::move(packet), std::move(route));
        },
        [this](const MappingReport& report) { reports_.push_back(report); }));
  }
  network.report_to(*this);
}

MappedNetwork::~MappedNetwork() = default;

bool MappedNetwork::busy() const {
  return std::any_of(hosts_.begin(), hosts_.end(), [](const auto& host) { return host->mapper().busy(); });
}

void MappedNetwork::install(const RouteTable& routes) {
  for (HostNumber from = 0; from < names_.size(); ++from) {
    HostTable table;
    for (HostNumber to = 0; to < names_.size(); ++to) {
      const Header route = routes.header(from, to);
      if (to != from && !route.empty()) table.set(names_[to], route);
    }
    hosts_[from]->adopt(std::move(table));
  }
}

RouteTable MappedNetwork::installed(const NetworkMap& map) const {
  std::vector<std::uint32_t> rows(names_.size());
  std::iota(rows.begin(), rows.end(), 0);
  RouteTable table(rows);
  const auto is_there = [&map](HostName name) {
    return std::binary_search(map.names.begin(), map.names.end(), name);
  };
  for (HostNumber from = 0; from < names_.size(); ++from) {
    if (!is_there(names_[from])) continue;
    for (HostNumber to = 0; to < names_.size(); ++to) {
      if (to != from && is_there(names_[to])) table.set(from, to, hosts_[from]->table().to(names_[to]));
    }
  }
  return table;
}

void MappedNetwork::inject(const Unit& unit) {
  assert((static_cast<std::uint64_t>(unit.id) & own_mark) == 0);
  const HostTable& table = hosts_[static_cast<std::size_t>(unit.from)]->table();
  network_.inject(unit, table.to(names_[static_cast<std::size_t>(unit.to)]));
}

void MappedNetwork::send(HostNumber from, MappingPacket packet, std::vector<RouteByte> route) {
  outgoing_.push_back({from, std::move(packet), std::move(route)});
  events_.schedule(events_.now() + overhead_, *this);
}

/// What has been sent first is with its interface now: all take the same time.
void MappedNetwork::handle(std::uint64_t) {
  const Outgoing out = std::move(outgoing_.front());
  outgoing_.pop_front();
  const UnitId id{own_mark | next_id_};
  const Bytes size = out.packet.size();
  ++totals_.sent;
  totals_.bytes += size.count();
  in_flight_.emplace(next_id_++, out.packet);
  network_.inject({id, PortId{out.from}, MyrinetNetwork::anywhere, size}, out.route);
}

void MappedNetwork::unit_departed(UnitId id, PortId from) {
  if ((static_cast<std::uint64_t>(id) & own_mark) == 0) listener_->unit_departed(id, from);
}

void MappedNetwork::unit_delivered(UnitId id, PortId to) {
  const auto number = static_cast<std::uint64_t>(id);
  if ((number & own_mark) == 0) return listener_->unit_delivered(id, to);
  const auto packet = in_flight_.extract(number & ~own_mark);
  hosts_[static_cast<std::size_t>(to)]->receive(packet.mapped());
}

void MappedNetwork::unit_lost(UnitId id) {
  const auto number = static_cast<std::uint64_t>(id);
  if ((number & own_mark) == 0) return listener_->unit_lost(id);
  in_flight_.erase(number & ~own_mark);
  ++totals_.lost;
}

}  // namespace morgana
