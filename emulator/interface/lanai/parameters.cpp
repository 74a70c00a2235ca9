#include "emulator/interface/lanai/parameters.h"

#include "emulator/core/error.h"

namespace morgana {

void LanaiParameters::check() const {
  if (cycle <= SimTime()) throw Error("a processor's cycle must take longer than 0 s");
  if (bus_latency < SimTime()) throw Error("the latency of a bus must not be negative");
}

}  // namespace morgana
