#include "experiments/pipelines/algorithms.h"

#include <cmath>
#include <optional>

#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/exit_times.h"
#include "emulator/pipeline/ramp.h"
#include "emulator/pipeline/schedule.h"

namespace morgana::pipelines_paper {

using namespace pipeline;

namespace {

Bytes whole(RealBytes message) {
  return Bytes(std::llround(message.value()));
}

PipelineAlgorithm hierarchical(const Hierarchy& hierarchy, const Hierarchy::Plan& plan, RealBytes message) {
  return {plan.latency, plan.sizes, hierarchy.pieces(plan.sizes, whole(message))};
}

}  // namespace

double us(RealTime time) {
  constexpr double ps_per_us = 1e6;
  return time.value() / ps_per_us;
}

double improvement(RealTime before, RealTime after) {
  constexpr double percent = 100;
  return percent * (before / after - 1);
}

Stage disk_of(double overhead_ms, double rate) {
  constexpr double ps_per_ms = 1e9, bytes_per_kb = 1024;
  return {"disk", RealTime(overhead_ms * ps_per_ms), RealCost(ps_per_ms / rate / bytes_per_kb)};
}

DiskPipeline network_and_disk(const Stage& disk) {
  DiskPipeline all{slow_network(), slow_network().size()};
  all.stages.push_back(disk);
  return all;
}

DiskPipeline network_disk_network(const Stage& disk) {
  DiskPipeline all = network_and_disk(disk);
  for (const Stage& stage : slow_network()) all.stages.push_back(stage);
  return all;
}

PipelineAlgorithm algorithm_a(const DiskPipeline& pipeline, RealBytes message) {
  const std::size_t count = best_equal_count(pipeline.stages, message);
  const Sizes sizes = equal_fragments(message, count);
  return {latency_of_equal(pipeline.stages, message, count), sizes,
          Pieces(pipeline.stages.size(), whole_bytes(sizes, whole(message)))};
}

PipelineAlgorithm algorithm_b(const DiskPipeline& pipeline, RealBytes message) {
  const Hierarchy hierarchy(pipeline.stages, pipeline.disk);
  return hierarchical(hierarchy, hierarchy.best_equal(message), message);
}

PipelineAlgorithm algorithm_c(const DiskPipeline& pipeline, RealBytes message) {
  const Hierarchy hierarchy(pipeline.stages, pipeline.disk);
  return hierarchical(hierarchy, hierarchy.best_ramp(message, std::nullopt).value(), message);
}

PipelineAlgorithm algorithm_c_by_line(const DiskPipeline& pipeline, RealBytes message, const Stage& line) {
  constexpr std::size_t most_fragments = 64;
  const Hierarchy hierarchy(pipeline.stages, pipeline.disk);
  const std::vector<CompoundStage>& levels = hierarchy.levels();
  Hierarchy::Plan best = hierarchy.equal(message, 1);
  for (std::size_t count = 2; count <= most_fragments; ++count) {
    const std::optional<Sizes> sizes = ramp_up(line, pipeline.stages[pipeline.disk], message, count);
    if (!sizes) continue;
    const RealTime latency = last_exit(
        count, levels.size(), [&](std::size_t i, std::size_t j) { return levels[j].time_for((*sizes)[i]); });
    if (latency < best.latency) best = {*sizes, latency};
  }
  return hierarchical(hierarchy, best, message);
}

std::vector<double> disk_overheads() {
  return {0.5, 1, 2, 4, 8, 16, 32};
}

std::vector<double> disk_rates() {
  std::vector<double> rates;
  for (int rate = 1; rate <= 20; ++rate) rates.push_back(rate);
  return rates;
}

std::vector<double> packet_sizes(int per_octave) {
  constexpr int octaves = 10;
  std::vector<double> sizes;
  for (int step = 0; step <= octaves * per_octave; ++step)
    sizes.push_back(4 * std::exp2(static_cast<double>(step) / per_octave));
  return sizes;
}

RealTime static_latency(const Stages& stages, Bytes message, Bytes fragment) {
  Sizes sizes;
  for (const Bytes one : static_fragments(message, fragment)) sizes.push_back(real(one));
  return latency(stages, sizes);
}

}  // namespace morgana::pipelines_paper
