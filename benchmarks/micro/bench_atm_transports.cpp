// Cells a second that each protocol of ATM hosts carries, repetitions and control frames among them.

#include <benchmark/benchmark.h>

#include "emulator/core/event_queue.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/topology/cable_plan.h"
#include "emulator/transport/aal5/aal5.h"
#include "emulator/transport/ece/ece.h"
#include "emulator/transport/pcaal/pcaal.h"
#include "emulator/transport/sscop/sscop.h"

namespace morgana {
namespace {

/// Message after message of 8192 bytes from one host to another.
class Messages : public ShipmentListener {
 public:
  explicit Messages(Transport& transport) : transport_(transport) {}
  void send() { transport_.send({{sent_++, this}, HostId{0}, HostId{1}, Bytes(8192)}); }

 private:
  void shipment_departed(MessageId) override { send(); }
  void shipment_delivered(MessageId) override {}
  void shipment_lost(MessageId) override {}
  void shipment_returned(MessageId, Outcome) override { send(); }

  Transport& transport_;
  std::uint64_t sent_ = 0;
};

template <class Counters>
std::uint64_t cells_of(const Counters& counters) {
  return counters.cells;
}
std::uint64_t cells_of(const EceCounters& counters) {
  std::uint64_t cells = 0;
  for (const assured::PathCounters& path : counters.path) cells += path.cells;
  return cells;
}

/// With background in percent of the link, and a buffer of 200 cells in the switch. AAL5 repeats nothing.
template <class Protocol, class Parameters>
void messages_of_8_KiB(benchmark::State& state) {
  AtmParameters parameters;
  parameters.network = CablePlan::uniform(topology::chain(1), 2, {BitRate(155'520'000), SimTime()}).graph();
  parameters.switches.buffer = 200;
  if (state.range(0) > 0) {
    parameters.switches.background = {1, 1, 10 / 155.52, 0.87, SimTime::from_ps(500'000'000), 0.5, false};
    parameters.switches.background.set_load(static_cast<double>(state.range(0)) / 100);
  }
  EventQueue events;
  AtmNetwork network(events, parameters, 1);
  Protocol transport(events, network, 2, Parameters{});
  Messages messages(transport);
  for (int i = 0; i < 4; ++i) messages.send();
  for (auto _ : state)
    for (int n = 0; n < 1000; ++n) events.handle_next();
  state.SetItemsProcessed(static_cast<std::int64_t>(cells_of(transport.counters())));
}
BENCHMARK(messages_of_8_KiB<Aal5, Aal5Parameters>)->Name("aal5_messages_of_8_KiB")->Arg(0)->Arg(25);
BENCHMARK(messages_of_8_KiB<Sscop, SscopParameters>)->Name("sscop_messages_of_8_KiB")->Arg(0)->Arg(25);
BENCHMARK(messages_of_8_KiB<PcAal, PcAalParameters>)->Name("pcaal_messages_of_8_KiB")->Arg(0)->Arg(25);
BENCHMARK(messages_of_8_KiB<Ece, EceParameters>)->Name("ece_messages_of_8_KiB")->Arg(0)->Arg(25);

}  // namespace
}  // namespace morgana
