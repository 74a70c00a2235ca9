#pragma once

#include "emulator/report/execution_report.h"

namespace morgana {

/// The time of an execution trace's ranks divided as that of any run: what streams compute beside each other,
/// or collectives on GPUs, is in no call, so that statistics of calls know less.
inline SimTime computed(const ExecutionUse& use) {
  return use.computing + use.hidden;
}
inline SimTime communicated(const ExecutionUse& use) {
  return use.exposed + use.idle;
}
inline double communication_share(const ExecutionUse& use) {
  return use.total() > SimTime() ? communicated(use).seconds() / use.total().seconds() : 0;
}

}  // namespace morgana
