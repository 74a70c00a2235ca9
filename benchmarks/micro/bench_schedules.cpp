#include <benchmark/benchmark.h>

#include "emulator/collectives/schedule.h"

namespace {

using morgana::Bytes;
using morgana::CollectiveKind;

/// Schedules of all members in turn, as a replay asks for them; reports schedules and steps per second.
void plan(benchmark::State& state, CollectiveKind kind, Bytes bytes, Bytes element) {
  const auto members = static_cast<std::int32_t>(state.range(0));
  morgana::CollectivePart part;
  part.kind = kind;
  part.bytes = bytes;
  part.element = element;
  const morgana::CollectiveTuning mpich;
  morgana::Schedule schedule;
  std::int32_t me = 0;
  std::int64_t steps = 0;
  for (auto _ : state) {
    morgana::make_schedule(part, members, me, mpich, schedule);
    benchmark::DoNotOptimize(schedule.data());
    steps += static_cast<std::int64_t>(schedule.size());
    me = me + 1 == members ? 0 : me + 1;
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["steps"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

void group_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(16)->Arg(64)->Arg(1024);
}

BENCHMARK_CAPTURE(plan, barrier, CollectiveKind::barrier, Bytes(), Bytes(1))->Apply(group_sizes);
BENCHMARK_CAPTURE(plan, allreduce_8_bytes, CollectiveKind::allreduce, Bytes(8), Bytes(8))->Apply(group_sizes);
BENCHMARK_CAPTURE(plan, allreduce_64_KiB, CollectiveKind::allreduce, Bytes(65536), Bytes(8))
    ->Apply(group_sizes);
BENCHMARK_CAPTURE(plan, broadcast_64_KiB, CollectiveKind::broadcast, Bytes(65536), Bytes(1))
    ->Apply(group_sizes);
BENCHMARK_CAPTURE(plan, alltoall_1_KiB, CollectiveKind::alltoall, Bytes(1024), Bytes(1))->Apply(group_sizes);
BENCHMARK_CAPTURE(plan, alltoall_64_KiB, CollectiveKind::alltoall, Bytes(65536), Bytes(1))
    ->Apply(group_sizes);

}  // namespace
