// Active Messages II (platform myrinet-am2-92) with 92 interfaces at full rate: every host sends messages of
// 16 bytes to another one, and as many come to it, so that each interface sends a message, takes one in,
// makes an ACK and takes one in within each gap of 15.98 us, and its processor never rests. Reported are
// messages (items) and simulated seconds (`simulated_s`; at 0.05 the replay takes twenty times as long as
// what is simulated), both a second of processor time, and what the gap came to.

#include <benchmark/benchmark.h>

#include <cassert>
#include <cstdint>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"

namespace morgana {
namespace {

constexpr std::uint32_t hosts = 92;
constexpr Bytes four_words(16);
constexpr std::uint32_t credits = 4;

/// The permutations of Table 1 of B. N. Chun, A. M. Mainwaring, D. E. Culler, "Virtual Network Transport
/// Protocols for Myrinet", 1997.
enum Permutation : std::int64_t { neighbours, bisection, shift };

std::uint32_t sends_to(std::int64_t permutation, std::uint32_t host) {
  if (permutation == neighbours) return host ^ 1U;
  return (host + (permutation == bisection ? hosts / 2 : 1)) % hosts;
}

std::uint32_t receives_from(std::int64_t permutation, std::uint32_t host) {
  return permutation == shift ? (host + hosts - 1) % hosts : sends_to(permutation, host);
}

Machine now_machine() {
  Placement placement;
  placement.kind = Placement::Kind::cyclic;
  return Platform::load("myrinet-am2-92").build(hosts, placement, 1);
}

void report(benchmark::State& state, std::uint64_t messages, SimTime simulated, std::uint64_t events) {
  state.SetItemsProcessed(static_cast<std::int64_t>(messages));
  state.counters["simulated_s"] = benchmark::Counter(simulated.seconds(), benchmark::Counter::kIsRate);
  state.counters["gap_us"] = simulated.seconds() * 1e6 * hosts / static_cast<double>(messages);
  state.counters["events/message"] = static_cast<double>(events) / static_cast<double>(messages);
}

/// Interfaces and network alone: a host has as many messages under way as there are credits.
class Permuted : private UnitListener {
 public:
  Permuted(Network& network, std::int64_t permutation) : network_(network), permutation_(permutation) {
    network.report_to(*this);
    for (std::uint32_t host = 0; host < hosts; ++host)
      for (std::uint32_t i = 0; i < credits; ++i) send(host);
  }
  std::uint64_t delivered() const { return delivered_; }

 private:
  void send(std::uint32_t from) {
    network_.inject({UnitId{sent_++}, PortId{from}, PortId{sends_to(permutation_, from)}, four_words});
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId to) override {
    ++delivered_;
    send(receives_from(permutation_, static_cast<std::uint32_t>(to)));
  }
  void unit_lost(UnitId) override { assert(false); }

  Network& network_;
  std::int64_t permutation_;
  std::uint64_t sent_ = 0, delivered_ = 0;
};

void am2_interfaces(benchmark::State& state) {
  Machine machine = now_machine();
  EventQueue& events = *machine.events;
  Permuted traffic(*machine.network, state.range(0));
  while (traffic.delivered() < 10 * hosts) events.handle_next();
  const std::uint64_t delivered = traffic.delivered(), handled = events.handled();
  const SimTime start = events.now();
  for (auto _ : state)
    for (int n = 0; n < 10'000; ++n) events.handle_next();
  report(state, traffic.delivered() - delivered, events.now() - start, events.handled() - handled);
}
BENCHMARK(am2_interfaces)->ArgName("permutation")->DenseRange(neighbours, shift);

/// Each rank starts a receive and a send each round, and waits for those of four rounds before.
class PermutedRanks : public OperationSource {
 public:
  PermutedRanks(std::int64_t permutation, std::uint64_t rounds)
      : permutation_(permutation), rounds_(rounds), step_(hosts) {}
  std::size_t ranks() const override { return hosts; }
  bool next(Rank rank, Operation& operation) override {
    const std::uint64_t step = step_[index(rank)]++, round = step / 3;
    const auto host = static_cast<std::uint32_t>(index(rank));
    operation.elapsed = SimTime();
    operation.bytes = four_words;
    operation.tag = Tag{1};
    operation.requests.clear();
    if (round == rounds_ + credits) {
      operation.kind = OperationKind::exit;
    } else if (step % 3 == 2) {
      operation.kind = OperationKind::wait;
      if (round >= credits) operation.requests.assign({received(round - credits), sent(round - credits)});
    } else if (round >= rounds_) {
      operation.kind = OperationKind::nothing;
    } else if (step % 3 == 0) {
      operation.kind = OperationKind::receive;
      operation.request = received(round);
      operation.peer = Rank(static_cast<std::int32_t>(receives_from(permutation_, host)));
    } else {
      operation.kind = OperationKind::send;
      operation.request = sent(round);
      operation.peer = Rank(static_cast<std::int32_t>(sends_to(permutation_, host)));
    }
    return true;
  }
  void answer(Rank, const Answer&) override {}

 private:
  static RequestId received(std::uint64_t round) { return RequestId{1 + 2 * (round % (2 * credits))}; }
  static RequestId sent(std::uint64_t round) { return RequestId{2 + 2 * (round % (2 * credits))}; }

  std::int64_t permutation_;
  std::uint64_t rounds_;
  std::vector<std::uint64_t> step_;
};

/// The ranks of a program: what a replay does once it has read its trace.
void am2_ranks(benchmark::State& state) {
  constexpr std::uint64_t rounds = 1000;
  SimTime simulated;
  std::uint64_t handled = 0, messages = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Machine machine = now_machine();
    PermutedRanks ranks(state.range(0), rounds);
    state.ResumeTiming();
    Engine engine(machine, ranks, {});
    engine.run();
    simulated += machine.events->now();
    handled += machine.events->handled();
    messages += rounds * hosts;
  }
  report(state, messages, simulated, handled);
}
BENCHMARK(am2_ranks)->ArgName("permutation")->DenseRange(neighbours, shift)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace morgana
