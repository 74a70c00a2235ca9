#pragma once

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline::test {

inline RealBytes kb(double count) {
  return RealBytes(1024 * count);
}
inline double us(RealTime time) {
  return time.value() / 1e6;
}

}  // namespace morgana::pipeline::test
