#include <benchmark/benchmark.h>

#include <array>

#include "emulator/engine/engine.h"
#include "emulator/network/logp/logp_network.h"
#include "emulator/transport/direct/direct.h"

namespace morgana {
namespace {

Machine logp_machine(std::size_t ranks) {
  Machine machine;
  for (std::size_t i = 0; i < ranks; ++i) machine.host_of.push_back(HostId(static_cast<std::uint32_t>(i)));
  machine.messages.send_overhead = machine.messages.receive_overhead = SimTime::from_ps(1'000'000);
  machine.network = std::make_unique<LogpNetwork>(
      *machine.events, ranks,
      LogpParameters{SimTime::from_ps(5'000'000), SimTime::from_ps(2'000'000), ByteCost::from_fs(1'000'000)});
  machine.transport = std::make_unique<DirectTransport>(*machine.network);
  return machine;
}

/// Each rank, `rounds` times: receives from one neighbour, sends to the other, waits for both.
class RingSource : public OperationSource {
 public:
  RingSource(std::size_t ranks, std::size_t rounds) : rounds_(rounds), step_(ranks) {}
  std::size_t ranks() const override { return step_.size(); }
  bool next(Rank rank, Operation& operation) override {
    const std::size_t step = step_[index(rank)]++;
    const std::size_t count = ranks();
    operation.elapsed = SimTime::from_ps(1'000'000);
    operation.bytes = Bytes(100);
    operation.tag = Tag{1};
    if (step == 3 * rounds_) {
      operation.kind = OperationKind::exit;
    } else if (step % 3 == 0) {
      operation.kind = OperationKind::receive;
      operation.request = RequestId{1};
      operation.peer = Rank(static_cast<std::int32_t>((index(rank) + count - 1) % count));
    } else if (step % 3 == 1) {
      operation.kind = OperationKind::send;
      operation.request = RequestId{2};
      operation.peer = Rank(static_cast<std::int32_t>((index(rank) + 1) % count));
    } else {
      operation.kind = OperationKind::wait;
      operation.requests.assign({RequestId{1}, RequestId{2}});
    }
    return true;
  }
  void answer(Rank, const Answer&) override {}

 private:
  std::size_t rounds_;
  std::vector<std::size_t> step_;
};

/// Every rank posts a receive from and sends to every other, then waits for all.
class AllToAllSource : public OperationSource {
 public:
  explicit AllToAllSource(std::size_t ranks) : step_(ranks) {}
  std::size_t ranks() const override { return step_.size(); }
  bool next(Rank rank, Operation& operation) override {
    const std::size_t step = step_[index(rank)]++, others = ranks() - 1;
    operation.elapsed = SimTime();
    operation.bytes = Bytes(8);
    operation.tag = Tag{1};
    operation.request = RequestId{step + 1};
    operation.peer = Rank(static_cast<std::int32_t>((index(rank) + 1 + step % others) % ranks()));
    operation.kind = step < others ? OperationKind::receive : OperationKind::send;
    if (step == 2 * others) {
      operation.kind = OperationKind::wait;
      operation.requests.clear();
      for (std::size_t i = 1; i <= 2 * others; ++i) operation.requests.push_back(RequestId{i});
    }
    if (step > 2 * others) operation.kind = OperationKind::exit;
    return true;
  }
  void answer(Rank, const Answer&) override {}

 private:
  std::vector<std::size_t> step_;
};

void replay_ring(benchmark::State& state) {
  const auto ranks = static_cast<std::size_t>(state.range(0));
  const std::size_t rounds = 200'000 / ranks;
  for (auto _ : state) {
    Machine machine = logp_machine(ranks);
    RingSource source(ranks, rounds);
    benchmark::DoNotOptimize(Engine(machine, source, {}).run());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * 3 * rounds * ranks));
}
BENCHMARK(replay_ring)->Arg(2)->Arg(16)->Arg(1024)->Unit(benchmark::kMillisecond);

void replay_all_to_all(benchmark::State& state) {
  const auto ranks = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    Machine machine = logp_machine(ranks);
    AllToAllSource source(ranks);
    benchmark::DoNotOptimize(Engine(machine, source, {}).run());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(2 * ranks * (ranks - 1)));
}
BENCHMARK(replay_all_to_all)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

/// Two ranks send each other a message in turn, each by blocking calls.
class PingPongSource : public OperationSource {
 public:
  explicit PingPongSource(std::size_t rounds) : rounds_(rounds) {}
  std::size_t ranks() const override { return step_.size(); }
  bool next(Rank rank, Operation& operation) override {
    const std::size_t step = step_[index(rank)]++;
    const std::size_t half = step / 2 + index(rank);  // the second rank begins by receiving
    operation.elapsed = SimTime();
    operation.bytes = Bytes(100);
    operation.tag = Tag{1};
    operation.request = RequestId{1};
    operation.peer = Rank(static_cast<std::int32_t>(1 - index(rank)));
    operation.kind = half % 2 == 0 ? OperationKind::send : OperationKind::receive;
    if (step % 2 == 1) {
      operation.kind = OperationKind::wait;
      operation.requests.assign({RequestId{1}});
    }
    if (step == 4 * rounds_) operation.kind = OperationKind::exit;
    return true;
  }
  void answer(Rank, const Answer&) override {}

 private:
  std::size_t rounds_;
  std::array<std::size_t, 2> step_{};
};

void replay_round_trips(benchmark::State& state) {
  constexpr std::size_t rounds = 50'000;
  for (auto _ : state) {
    Machine machine = logp_machine(2);
    PingPongSource source(rounds);
    benchmark::DoNotOptimize(Engine(machine, source, {}).run());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rounds));
}
BENCHMARK(replay_round_trips)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace morgana
