#pragma once

#include "emulator/pipeline/real.h"

namespace morgana::cli {

// Times and costs of a pipeline's stages in the units that people read.

constexpr double ps_per_us = 1e6, bytes_per_kb = 1024, percent = 100;

inline double us(pipeline::RealTime time) {
  return time.value() / ps_per_us;
}
inline double us_per_kb(pipeline::RealCost cost) {
  return cost.value() * bytes_per_kb / ps_per_us;
}

}  // namespace morgana::cli
