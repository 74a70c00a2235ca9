// Reading a trace as operations, replaying it, and writing it. The program: every rank exchanges messages
// with both neighbours of a ring without blocking, waits for them, and now and then reduces.

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "replay/trace_source.h"
#include "traces/otf2/trace_reader.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {
namespace {

constexpr std::size_t ranks = 16;
constexpr std::size_t rounds = 20'000;

/// The ring as an operation source; endless storage is not needed to describe it.
class Ring : public OperationSource {
 public:
  std::size_t ranks() const override { return morgana::ranks; }
  void answer(Rank, const Answer&) override {}
  bool next(Rank rank, Operation& operation) override {
    std::size_t& step = step_[index(rank)];
    const std::size_t round = step / 7, place = step % 7;
    const auto neighbour = [&](std::size_t distance) {
      return Rank(static_cast<std::int32_t>((index(rank) + distance) % morgana::ranks));
    };
    operation = Operation{};
    operation.tag = Tag{1};
    operation.bytes = Bytes(1024);
    operation.elapsed = SimTime::from_ps(place == 0 ? 5'000'000 : 0);
    operation.request = RequestId{place + 1};
    if (round == rounds) {
      operation.kind = OperationKind::exit;
      return true;
    }
    if (place < 4) {
      const bool receives = place < 2;
      operation.kind = receives ? OperationKind::receive : OperationKind::send;
      operation.call = receives ? Call::MPI_Irecv : Call::MPI_Isend;
      operation.peer = neighbour(place % 2 == 0 ? 1 : morgana::ranks - 1);
    } else if (place == 4) {
      operation.kind = OperationKind::wait;
      operation.call = Call::MPI_Waitall;
      operation.requests = {RequestId{1}, RequestId{2}, RequestId{3}, RequestId{4}};
      if (round % 10 != 0) step += 2;
    } else {
      operation.call = Call::MPI_Allreduce;
      operation.kind = place == 5 ? OperationKind::collective : OperationKind::wait;
      operation.part = place == 5 ? CallPart::first : CallPart::last;
      operation.request = RequestId{6};
      operation.collective.kind = CollectiveKind::allreduce;
      operation.collective.bytes = Bytes(8);
      if (place == 6) operation.requests = {RequestId{6}};
    }
    ++step;
    return true;
  }

 private:
  std::size_t step_[morgana::ranks] = {};
};

class CountOperations : public OperationObserver {
 public:
  void operation_ended(Rank, const Operation&, SimTime, SimTime, std::span<const Completed>) override {
    ++operations;
  }
  std::int64_t operations = 0;
};

TraceProperties properties() {
  TraceProperties properties;
  properties.program = "ring";
  properties.platform = "loggp-example";
  properties.host_of.assign(ranks, "host");
  return properties;
}

/// The ring's trace, recorded once for all benchmarks.
class RecordedRing {
 public:
  RecordedRing() {
    std::string name = (std::filesystem::temp_directory_path() / "morgana-bench.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    TraceWriter writer(trace(), properties());
    Ring ring;
    CountOperations counted;
    Machine machine = Platform::load("loggp-example").build(ranks, {}, 1);
    std::vector<OperationObserver*> observers{&writer, &counted};
    Engine(machine, ring, observers).run();
    writer.finish();
    operations = counted.operations;
  }
  ~RecordedRing() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path trace() const { return folder_ / "ring"; }
  std::int64_t operations = 0;

 private:
  std::filesystem::path folder_;
};

const RecordedRing& recorded_ring() {
  static const RecordedRing ring;
  return ring;
}

void trace_records(benchmark::State& state) {
  std::int64_t records = 0;
  const std::filesystem::path trace = recorded_ring().trace();
  for (auto _ : state) {
    TraceReader reader(trace);
    for (std::size_t i = 0; i < reader.ranks(); ++i) {
      LocationReader& location = reader.location(Rank(static_cast<std::int32_t>(i)));
      for (std::size_t place = 0; const TraceRecord* record = location.at(place); location.release(++place)) {
        auto number = record->number;
        benchmark::DoNotOptimize(number);
      }
      records += static_cast<std::int64_t>(location.records_read());
    }
  }
  state.SetItemsProcessed(records);
}
BENCHMARK(trace_records)->Unit(benchmark::kMillisecond);

void trace_to_operations(benchmark::State& state) {
  std::int64_t operations = 0;
  const std::filesystem::path trace = recorded_ring().trace();
  Operation operation;
  for (auto _ : state) {
    TraceSource source(trace);
    for (std::size_t i = 0; i < source.ranks(); ++i) do {
        source.next(Rank(static_cast<std::int32_t>(i)), operation);
        ++operations;
      } while (operation.kind != OperationKind::exit);
  }
  state.SetItemsProcessed(operations);
}
BENCHMARK(trace_to_operations)->Unit(benchmark::kMillisecond);

void replay(benchmark::State& state) {
  const Platform platform = Platform::load("loggp-example");
  const std::filesystem::path trace = recorded_ring().trace();
  for (auto _ : state) {
    TraceSource source(trace);
    Machine machine = platform.build(ranks, {}, 1);
    Engine(machine, source, {}).run();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * recorded_ring().operations);
}
BENCHMARK(replay)->Unit(benchmark::kMillisecond);

void write_trace(benchmark::State& state) {
  std::int64_t operations = 0;
  const std::filesystem::path copy = recorded_ring().trace().parent_path() / "copy";
  for (auto _ : state) {
    TraceWriter writer(copy, properties());
    Ring ring;
    Operation operation;
    std::vector<Completed> completed;
    for (std::size_t i = 0; i < ranks; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      SimTime clock;
      do {
        ring.next(rank, operation);
        clock += operation.elapsed;
        completed.clear();
        if (operation.kind == OperationKind::wait)
          for (const RequestId request : operation.requests) {
            completed.emplace_back().request = request;
            completed.back().source = Rank{0};
            completed.back().tag = Tag{1};
          }
        writer.operation_ended(rank, operation, clock, clock, completed);
        ++operations;
      } while (operation.kind != OperationKind::exit);
    }
    writer.finish();
  }
  state.SetItemsProcessed(operations);
}
BENCHMARK(write_trace)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace morgana
