// How long it takes to find out how a message is best cut into fragments.

#include <benchmark/benchmark.h>

#include <random>

#include "emulator/core/error.h"
#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/hierarchy.h"
#include "emulator/pipeline/optimum.h"

namespace {

using namespace morgana::pipeline;

Stages some_stages(std::int64_t count) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> overhead(1e6, 1e7), cost(1e3, 3e4);
  Stages stages;
  for (std::int64_t j = 0; j < count; ++j)
    stages.push_back({"", RealTime(overhead(engine)), RealCost(cost(engine))});
  return stages;
}

constexpr RealBytes message{65536};

void BM_Optimum(benchmark::State& state) {
  const Stages stages = some_stages(state.range(1));
  for (auto _ : state)
    benchmark::DoNotOptimize(optimum(stages, message, static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_Optimum)->Args({8, 4})->Args({64, 4})->Args({64, 8})->Unit(benchmark::kMillisecond);

void BM_BestEqualCount(benchmark::State& state) {
  const Stages stages = some_stages(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(best_equal_count(stages, message));
}
BENCHMARK(BM_BestEqualCount)->Arg(4)->Arg(8);

void BM_HierarchicalRamp(benchmark::State& state) {
  const Stages stages = some_stages(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(around_bottleneck(stages, message).best_ramp(message, {}));
}
BENCHMARK(BM_HierarchicalRamp)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);

}  // namespace
