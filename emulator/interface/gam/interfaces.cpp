#include "emulator/interface/gam/interfaces.h"

#include <algorithm>

namespace morgana::gam {

Interfaces::Interfaces(EventQueue& events, std::unique_ptr<MyrinetNetwork> network,
                       const Parameters& parameters)
    : InterfaceNetwork(std::move(network)), parameters_(parameters), doors_(network_->hosts()) {
  parameters.check();
  for (std::uint32_t host = 0; host < network_->hosts(); ++host)
    programs_.push_back(std::make_unique<GamProgram>(events, static_cast<GamSurroundings&>(*this),
                                                     PortId{host}, parameters_));
  network_->report_to(*this);
}

void Interfaces::inject(const Unit& fragment) {
  program(fragment.from).post(fragment);
}

/// As the network's, and both buses must be done with it within a quarter of simulated time.
Bytes Interfaces::largest_unit() const {
  constexpr std::int64_t longest = std::int64_t{1} << 60;
  const LanaiParameters& lanai = parameters_.lanai;
  const SimTime megabyte =
      lanai.bus_rate.time_for(Bytes(1 << 20)) + lanai.rate_to_host().time_for(Bytes(1 << 20));
  return std::min(network_->largest_unit(), longest / (megabyte.ps() + 1) * Bytes(1 << 20));
}

/// Five events, both buses and the network, whatever waits; of a short message two events and the network.
SimTime Interfaces::least_latency() const {
  if (parameters_.short_message > Bytes()) return network_->least_latency() + 2 * parameters_.event();
  return network_->least_latency() + 2 * parameters_.lanai.bus_latency + 5 * parameters_.event();
}

void Interfaces::ask_for_door(PortId from, PortId to) {
  Door& door = doors_[static_cast<std::size_t>(to)];
  if (door.inside < parameters_.receive_buffers) {
    ++door.inside;
    return program(from).door_opens();
  }
  ++door.waited;
  door.waiting.push_back(from);
}

void Interfaces::free_door(PortId host) {
  Door& door = doors_[static_cast<std::size_t>(host)];
  if (door.waiting.empty()) {
    --door.inside;
    return;
  }
  const PortId next = door.waiting.front();
  door.waiting.pop_front();
  program(next).door_opens();
}

void Interfaces::send(const Unit& fragment) {
  const UnitId id{under_way_.take(fragment)};
  network_->inject({id, fragment.from, fragment.to, parameters_.header + fragment.size});
}

void Interfaces::unit_departed(UnitId id, PortId from) {
  const Unit fragment = under_way_[static_cast<std::uint32_t>(id)];
  program(from).departed();
  listener_->unit_departed(fragment.id, from);
}

void Interfaces::unit_delivered(UnitId id, PortId to) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Unit fragment = under_way_[slot];
  under_way_.give_back(slot);
  program(to).received(fragment);
}

/// The receiver takes in what comes of it, if anything, and forgets it: its door is free again.
void Interfaces::unit_lost(UnitId id) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Unit fragment = under_way_[slot];
  under_way_.give_back(slot);
  ++lost_;
  listener_->unit_lost(fragment.id);
  free_door(fragment.to);
}

void Interfaces::in_host_memory(const Unit& fragment) {
  free_door(fragment.to);
  listener_->unit_delivered(fragment.id, fragment.to);
}

std::vector<CounterTable> Interfaces::counted(SimTime until) {
  std::vector<CounterTable> tables = network_->counted(until);
  std::int64_t fragments = 0, most_waiting = 0, waited = 0, cycles = 0, most = 0;
  for (const auto& one : programs_) {
    fragments += static_cast<std::int64_t>(one->fragments());
    most_waiting = std::max(most_waiting, static_cast<std::int64_t>(one->most_waiting()));
    cycles += one->processor().cycles();
    most = std::max(most, one->processor().cycles());
  }
  for (const Door& door : doors_) waited += static_cast<std::int64_t>(door.waited);
  tables.push_back({"GAM",
                    {{"fragments sent"},
                     {"that waited for the receiver"},
                     {"most waiting in a host"},
                     {.name = "lost", .trouble = true}},
                    {{fragments, waited, most_waiting, static_cast<std::int64_t>(lost_)}}});
  const SimTime busiest = most * parameters_.lanai.cycle;
  const double share = until > SimTime() ? busiest.seconds() / until.seconds() : 0;
  tables.push_back({"LANai processors",
                    {{"cycles"}, {"of the busiest"}, {"its share of the time", true}},
                    {{cycles, most, share}}});
  return tables;
}

}  // namespace morgana::gam
