// Cells a second through the ATM network, and through the reference model that has an event for every cell
// and step. Foreground: cells of connections times the switches that they cross. Background: copies that are
// queued at outputs.

#include <benchmark/benchmark.h>

#include <optional>

#include "emulator/core/event_queue.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/network/atm/cell.h"
#include "emulator/topology/cable_plan.h"
#include "tests/network/atm/reference_atm.h"

namespace morgana {
namespace {

AtmParameters chain(std::uint32_t switches, std::size_t hosts) {
  AtmParameters parameters;
  parameters.network =
      CablePlan::uniform(topology::chain(switches), hosts, {BitRate(155'520'000), SimTime()}).graph();
  parameters.switches.delay = SimTime::from_ps(500'000);
  return parameters;
}

void add_background(AtmParameters& parameters, double rho) {
  parameters.switches.background = {1, 1, 10 / 155.52, 0.87, SimTime::from_ps(500'000'000), 0.5, false};
  parameters.switches.background.set_load(rho);
}

/// The first hosts send packet after packet to one of the others.
class Packets : public UnitListener {
 public:
  Packets(Network& network, std::uint32_t senders, std::uint32_t to, Bytes size)
      : network_(network), senders_(senders), to_(to), size_(size) {
    network.report_to(*this);
  }
  void start() {
    for (std::uint32_t host = 0; host < senders_; ++host) inject(PortId{host});
  }
  std::int64_t ended = 0;

 private:
  void inject(PortId from) { network_.inject({UnitId{sent_++}, from, PortId{to_}, size_}); }
  void unit_departed(UnitId, PortId from) override { inject(from); }
  void unit_delivered(UnitId, PortId) override { ++ended; }
  void unit_lost(UnitId) override { ++ended; }

  Network& network_;
  std::uint32_t senders_, to_;
  Bytes size_;
  std::uint64_t sent_ = 0;
};

void carry(benchmark::State& state, const AtmParameters& parameters, std::uint32_t senders, Bytes size) {
  EventQueue events;
  AtmNetwork network(events, parameters, 1);
  const auto last = static_cast<std::uint32_t>(parameters.network.graph.hosts() - 1);
  Packets packets(network, senders, last, size);
  packets.start();
  for (auto _ : state)
    for (int n = 0; n < 1000; ++n) events.handle_next();
  std::uint64_t hops = 0;
  for (std::uint32_t s = 0; s < parameters.network.graph.switches(); ++s) hops += network.cells_seen(s);
  state.SetItemsProcessed(static_cast<std::int64_t>(hops));
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events.handled()), benchmark::Counter::kIsRate);
}

/// One sender through 1, 2, 4 switches in a chain: packets of 8192 bytes (171 cells).
void packets_of_8_KiB(benchmark::State& state) {
  carry(state, chain(static_cast<std::uint32_t>(state.range(0)), 2), 1, Bytes(8192));
}
BENCHMARK(packets_of_8_KiB)->Arg(1)->Arg(2)->Arg(4);

/// The same with background at rho 0.25 in every switch, which every cell meets: more than the links carry.
void packets_of_8_KiB_with_background(benchmark::State& state) {
  AtmParameters parameters = chain(static_cast<std::uint32_t>(state.range(0)), 2);
  add_background(parameters, 0.25);
  carry(state, parameters, 1, Bytes(8192));
}
BENCHMARK(packets_of_8_KiB_with_background)->Arg(1)->Arg(4);

/// Four senders at a switch each, whose cells meet at every trunk, with a buffer of 1000 cells that
/// overflows.
void packets_that_contend(benchmark::State& state) {
  AtmParameters parameters = chain(4, 5);
  parameters.switches.buffer = 1000;
  carry(state, parameters, 4, Bytes(8192));
}
BENCHMARK(packets_that_contend);

/// Switches that know priorities, whose outputs tell ABR its rate (ERICA) or nothing.
void know_priorities(AtmParameters& parameters, bool tell_rates) {
  parameters.switches.policy = atm::DropPolicy::push_out;
  if (tell_rates) parameters.switches.feedback.algorithm = atm::AbrFeedback::erica;
}

/// Trains of 171 cells, one after the other, on a channel of one category.
class Trains : public UnitListener {
 public:
  Trains(CellNetwork& network, ServiceCategory category) : network_(network) {
    network.report_to(*this);
    channel_ = network.open(PortId{0}, PortId{1}, TrafficContract::of(category));
    unit_departed({}, {});
  }

 private:
  void unit_departed(UnitId, PortId) override { network_.inject({UnitId{sent_++}, channel_, 171}); }
  void unit_delivered(UnitId, PortId) override {}
  void unit_lost(UnitId) override {}

  CellNetwork& network_;
  ChannelId channel_{};
  std::uint64_t sent_ = 0;
};

/// What ABR costs: one sender through a switch; UBR where nothing tells rates (0), UBR where ERICA does (1),
/// ABR there (2). So many runs each time, that instructions for each of "cells" can be counted.
void trains_and_rates(benchmark::State& state, double rho) {
  AtmParameters parameters = chain(1, 2);
  know_priorities(parameters, state.range(0) > 0);
  if (rho > 0) add_background(parameters, rho);
  EventQueue events;
  AtmNetwork network(events, parameters, 1);
  Trains trains(network, state.range(0) == 2 ? ServiceCategory::abr : ServiceCategory::ubr);
  for (auto _ : state)
    for (int n = 0; n < 1000; ++n) events.handle_next();
  const auto cells = static_cast<double>(network.cells_seen(0));
  state.counters["cells"] = cells;
  state.counters["cells/s"] = benchmark::Counter(cells, benchmark::Counter::kIsRate);
}
void trains_by_category(benchmark::State& state) {
  trains_and_rates(state, 0);
}
BENCHMARK(trains_by_category)->Arg(0)->Arg(1)->Arg(2)->Iterations(20);
void trains_by_category_with_background(benchmark::State& state) {
  trains_and_rates(state, 0.25);
}
BENCHMARK(trains_by_category_with_background)->Arg(0)->Arg(1)->Arg(2)->Iterations(10);

/// One cell every 10 ms of simulated time; background at rho 0.7 between, at a switch with so many outputs.
void background_cells(benchmark::State& state, std::int64_t buffer, std::optional<bool> tell_rates = {}) {
  AtmParameters parameters = chain(1, static_cast<std::size_t>(state.range(0)));
  add_background(parameters, 0.7);
  parameters.switches.buffer = buffer;
  if (tell_rates) know_priorities(parameters, *tell_rates);
  EventQueue events;
  AtmNetwork network(events, parameters, 1);
  struct Ignore : UnitListener, EventHandler {
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId, PortId) override {}
    void unit_lost(UnitId) override {}
    void handle(std::uint64_t) override {}
  } ignore;
  network.report_to(ignore);
  for (auto _ : state) {
    events.schedule(events.now() + SimTime::from_ps(10'000'000'000), ignore);
    events.handle_next();
    network.inject(Unit{UnitId{0}, PortId{0}, PortId{1}, Bytes(1)});
    while (!events.empty()) events.handle_next();
  }
  std::uint64_t copies = 0;
  for (const atm::OutputCounters& counters : network.counters(0)) copies += counters.background_in;
  state.SetItemsProcessed(static_cast<std::int64_t>(copies));
  state.counters["cells"] = static_cast<double>(copies);
}
void background_cells_infinite_buffer(benchmark::State& state) {
  background_cells(state, 0);
}
BENCHMARK(background_cells_infinite_buffer)->Arg(2)->Arg(4)->Arg(8)->Arg(16);
void background_cells_buffer_of_200(benchmark::State& state) {
  background_cells(state, 200);
}
BENCHMARK(background_cells_buffer_of_200)->Arg(2)->Arg(8);
void background_cells_by_priority(benchmark::State& state) {
  background_cells(state, 200, false);
}
BENCHMARK(background_cells_by_priority)->Arg(2)->Iterations(3);
void background_cells_with_erica(benchmark::State& state) {
  background_cells(state, 200, true);
}
BENCHMARK(background_cells_with_erica)->Arg(2)->Iterations(3);

/// The reference model: foreground cell hops.
void reference_packets_of_8_KiB(benchmark::State& state) {
  const auto switches = static_cast<std::uint32_t>(state.range(0));
  const std::vector<testing::PlannedTrain> plan(20, {SimTime(), 0, 1, 171});
  for (auto _ : state) {
    testing::ReferenceAtm reference(chain(switches, 2), 1);
    benchmark::DoNotOptimize(reference.run(plan));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 20 * 171 * switches);
}
BENCHMARK(reference_packets_of_8_KiB)->Arg(1)->Arg(4);

/// The reference model: background copies, about, in the 10 ms before a cell.
void reference_background_cells(benchmark::State& state) {
  AtmParameters parameters = chain(1, static_cast<std::size_t>(state.range(0)));
  add_background(parameters, 0.7);
  const SimTime at = SimTime::from_ps(10'000'000'000);
  for (auto _ : state) {
    testing::ReferenceAtm reference(parameters, 1);
    benchmark::DoNotOptimize(reference.run({{at, 0, 1, 1}}));
  }
  const auto copies = static_cast<double>(state.range(0)) * 0.7 * at.seconds() /
                      atm::cell_time({BitRate(155'520'000), SimTime()}).seconds();
  state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * copies));
}
BENCHMARK(reference_background_cells)->Arg(2)->Arg(8);

}  // namespace
}  // namespace morgana
