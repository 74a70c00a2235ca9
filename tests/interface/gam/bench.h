#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/interface/gam/interfaces.h"
#include "tests/interface/star.h"

namespace morgana::testing::gam_bench {
using namespace literals;

/// A flit takes 1 ns, a cable 10 ns, routing 100 ns; a fragment has a type of 1 byte, a header of 10 and a
/// CRC of 1: with n bytes it is there 100 + 2 x 10 + 12 + n = 132 + n ns after it was sent, and its last flit
/// has left after 13 + n ns, its route's byte being the first. A dispatch and a handler take 10 + 100 cycles
/// of 1 ns, the bus 1 us, and 1 ns a byte from the host or 0.5 ns a byte to it.
inline MyrinetParameters network_parameters() {
  MyrinetParameters network;
  network.flit = 1_ns;
  network.cable = network.control = 10_ns;
  network.routing = 100_ns;
  network.slack = 1000;  // nothing is stopped while it is routed
  network.stop_above = 900;
  return network;
}

inline gam::Parameters program_parameters() {
  gam::Parameters program;
  program.lanai.cycle = 1_ns;
  program.dispatch = 10;
  program.handler = 100;
  program.lanai.bus_latency = 1_us;
  program.lanai.bus_rate = BitRate(8'000'000'000);
  program.lanai.bus_rate_to_host = BitRate(16'000'000'000);
  program.header = 10_B;
  return program;
}

/// Interfaces at one switch, and what became of the fragments that are injected there.
class Bench : private UnitListener {
 public:
  explicit Bench(unsigned hosts, const gam::Parameters& program = program_parameters())
      : graph_(star(hosts)), routes_(star_routes(graph_)) {
    auto network = std::make_unique<MyrinetNetwork>(events, graph_, routes_, network_parameters(), 1);
    myrinet = network.get();
    interfaces = std::make_unique<gam::Interfaces>(events, std::move(network), program);
    interfaces->report_to(*this);
  }

  void inject(std::uint64_t id, std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    interfaces->inject({UnitId{id}, PortId{from}, PortId{to}, Bytes(bytes)});
  }
  void run() {
    while (!events.empty()) events.handle_next();
  }

  EventQueue events;
  std::unique_ptr<gam::Interfaces> interfaces;
  MyrinetNetwork* myrinet = nullptr;
  std::map<std::uint64_t, SimTime> departed, delivered, lost;

 private:
  void unit_departed(UnitId id, PortId) override { departed[static_cast<std::uint64_t>(id)] = events.now(); }
  void unit_delivered(UnitId id, PortId) override {
    delivered[static_cast<std::uint64_t>(id)] = events.now();
  }
  void unit_lost(UnitId id) override { lost[static_cast<std::uint64_t>(id)] = events.now(); }

  SwitchGraph graph_;
  RouteTable routes_;
};

}  // namespace morgana::testing::gam_bench
