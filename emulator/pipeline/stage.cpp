#include "emulator/pipeline/stage.h"

#include <algorithm>
#include <cmath>

namespace morgana::pipeline {
namespace {

constexpr double ps_per_us = 1e6, bytes_per_kb = 1024;

Stage stage(std::string name, double overhead_us, double us_per_kb) {
  return {std::move(name), RealTime(overhead_us * ps_per_us), RealCost(us_per_kb * ps_per_us / bytes_per_kb)};
}

}  // namespace

SimTime Stage::time_for(Bytes size) const {
  return SimTime::from_ps(std::llround(time_for(real(size)).value()));
}

std::size_t bottleneck(std::span<const Stage> stages, RealBytes size) {
  std::size_t slowest = 0;
  for (std::size_t j = 1; j < stages.size(); ++j)
    if (stages[j].time_for(size) > stages[slowest].time_for(size)) slowest = j;
  return slowest;
}

Stages reversed(std::span<const Stage> stages) {
  return {stages.rbegin(), stages.rend()};
}

RealTime lower_bound(std::span<const Stage> stages, RealBytes message) {
  RealTime overheads;
  RealCost greatest;
  for (const Stage& stage : stages) {
    overheads += stage.overhead;
    greatest = std::max(greatest, stage.cost);
  }
  return overheads + message * greatest;
}

Stages gam() {
  return {stage("sender copy", 7.2, 7.2), stage("sender host DMA", 5.2, 24.9),
          stage("network and receiver DMA", 7.5, 24.9), stage("receiver copy", 7.4, 7.9)};
}

Stages gms() {
  return {stage("Srv-DMA", 2.1, 25.6), stage("Wire", 4.0, 60.1), stage("Req-DMA", 2.1, 25.6),
          stage("Req-CPU", 92.8, 26.2)};
}

Stages slow_network() {
  constexpr double slower = 5;
  Stages stages = gam();
  for (Stage& one : stages) {
    one.overhead = one.overhead * slower;
    one.cost = one.cost * slower;
  }
  return stages;
}

Stage disk() {
  return stage("disk", 4000, 200);
}

}  // namespace morgana::pipeline
