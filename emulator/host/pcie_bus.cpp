#include "emulator/host/pcie_bus.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "emulator/core/resource_load.h"

namespace morgana {
namespace {

// Framing 2 B, sequence number and LCRC 6 B, header 16 B (with a 64-bit address) and 12 B.
constexpr Bytes write_header{24}, request_header{24}, completion_header{20};

std::int64_t pieces(Bytes bytes, Bytes piece) {
  return (bytes.count() + piece.count() - 1) / piece.count();
}

}  // namespace

/// Of each way.
SimTime PcieBus::tlps(Bytes bytes, std::int64_t packets, Bytes header) const {
  return parameters_.rate == BitRate(0) ? SimTime() : parameters_.rate.time_for(bytes + packets * header);
}

/// Work that begins now. While the other way uses the resource, too, each is half as fast.
/// @return how much longer than alone it takes
SimTime PcieBus::take(Shared& resource, Way way, SimTime work) const {
  SimTime& own = resource.free[static_cast<std::size_t>(way)];
  SimTime& other = resource.free[1 - static_cast<std::size_t>(way)];
  resource.work += work;
  const SimTime begins = std::max(own, events_.now());
  const SimTime beside = std::min(work, std::max(other, begins) - begins);
  own = begins + work + beside;
  other += beside;
  return own - events_.now() - work;
}

bool PcieBus::admits_read(HostId at) {
  Host& host = hosts_[index(at)];
  constexpr auto read = static_cast<std::size_t>(Way::read);
  const SimTime free = std::max({host.to_host.free[read], host.to_nic.free[read], host.both_ways.free[read]});
  if (free <= events_.now()) return true;
  if (host.awaited <= events_.now()) {
    host.awaited = free;
    reads_waited_ += free - events_.now();
    events_.schedule(free, *this, index(at));
  }
  return false;
}

void PcieBus::read(HostId at, Bytes bytes) {
  Host& host = hosts_[index(at)];
  ++reads_;
  take(host.to_host, Way::read, tlps(Bytes(), pieces(bytes, parameters_.max_read_request), request_header));
  take(host.to_nic, Way::read, tlps(bytes, pieces(bytes, parameters_.max_payload), completion_header));
  if (parameters_.both_ways > BitRate(0))
    take(host.both_ways, Way::read, parameters_.both_ways.time_for(bytes));
}

SimTime PcieBus::write(HostId at, const PcieWrite& what) {
  const bool completes = what.completes && parameters_.completion > Bytes();
  const bool within = completes && what.whole && what.payload <= parameters_.completion_payload;
  Bytes carried = within ? Bytes() : what.payload;
  std::int64_t packets = pieces(carried, parameters_.max_payload);
  if (completes) {
    carried += parameters_.completion;
    packets += pieces(parameters_.completion, parameters_.max_payload);
  }
  if (packets == 0) return {};
  Host& host = hosts_[index(at)];
  ++writes_;
  SimTime longer = take(host.to_host, Way::write, tlps(carried, packets, write_header));
  if (parameters_.both_ways > BitRate(0) && what.payload > Bytes())
    longer = std::max(longer, take(host.both_ways, Way::write, parameters_.both_ways.time_for(what.payload)));
  writes_waited_ += longer;
  return longer;
}

SimTime PcieBus::post(HostId at, Bytes request) {
  if (parameters_.work_request == Bytes()) return {};
  const std::int64_t blocks = pieces(request, parameters_.work_request);
  return take(hosts_[index(at)].to_nic, Way::write,
              tlps(blocks * parameters_.work_request, blocks, write_header));
}

void PcieBus::read_receive(HostId at) {
  if (parameters_.receive_request == Bytes()) return;
  Host& host = hosts_[index(at)];
  take(host.to_host, Way::read, tlps(Bytes(), 1, request_header));
  take(host.to_nic, Way::read, tlps(parameters_.receive_request, 1, completion_header));
}

void PcieBus::handle(std::uint64_t host) {
  user_.may_read(static_cast<HostId>(host));
}

std::vector<CounterTable> PcieBus::in_use() const {
  using Place = ResourceLoad::Place;
  std::vector<CounterTable> tables;
  const auto add = [&](Place place, const char* name, const Shared Host::*resource) {
    CounterTable& table = tables.emplace_back(time_in_use(place, name));
    for (std::size_t host = 0; host < hosts_.size(); ++host)
      if (const SimTime work = (hosts_[host].*resource).work; work > SimTime())
        table.rows.push_back({static_cast<std::int64_t>(host), use_of(work)});
  };
  if (parameters_.rate > BitRate(0)) {
    add(Place::sending, "PCIe buses from hosts (hosts.pcie.rate)", &Host::to_nic);
    add(Place::receiving, "PCIe buses into hosts (hosts.pcie.rate)", &Host::to_host);
  }
  if (parameters_.both_ways > BitRate(0))
    add(Place::receiving, "PCIe buses, both ways (hosts.pcie.both-ways)", &Host::both_ways);
  return tables;
}

CounterTable PcieBus::counted() const {
  CounterTable table;
  table.title = "PCIe buses";
  table.columns = {{"reads"}, {"reads waited (us)"}, {"writes"}, {"writes waited (us)"}};
  constexpr double us_per_s = 1e6;
  table.rows = {{reads_, reads_waited_.seconds() * us_per_s, writes_, writes_waited_.seconds() * us_per_s}};
  return table;
}

}  // namespace morgana
