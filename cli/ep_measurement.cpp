#include "cli/ep_measurement.h"

#include <cassert>
#include <cmath>
#include <ctime>

#include "benchmarks/kernels/ep/ep.h"
#include "emulator/core/error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana::cli {
namespace {

/// A team of one, whose clock is its processor time. EP of one worker sends nothing.
class Alone : public kernels::Team {
 public:
  Alone() : Team(0, 1) {}
  void finish() override {}
  double seconds() const override {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

 protected:
  void post(int, int, kernels::Element, const void*, std::size_t) override { assert(false); }
  void take(int, int, kernels::Element, void*, std::size_t) override { assert(false); }
};

}  // namespace

double EpMeasurement::seconds_per_pair() const {
  return std::ldexp(seconds, -log_pairs);
}

EpMeasurement measure_ep(int runs) {
  const kernels::Sizes class_s = kernels::ep().sizes_of_class(0);
  EpMeasurement least{class_s.at(0), 0};
  for (int run = 0; run < runs; ++run) {
    throw_if_interrupted();
    Alone team;
    const kernels::Outcome outcome = kernels::ep().solve(team, class_s);
    if (!outcome.passed)
      throw Error("this machine computes EP wrongly, so its time means nothing:\n" + outcome.figures);
    if (run == 0 || outcome.seconds < least.seconds) least.seconds = outcome.seconds;
  }
  return least;
}

}  // namespace morgana::cli
