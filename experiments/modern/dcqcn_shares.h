#pragma once

#include "emulator/core/time.h"

namespace morgana::modern_papers {

/// How long flows by DCQCN share a port. Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
/// SIGCOMM 2015: 40 Gb/s, with the parameters that its section 5 settles on: timer 55 us, byte counter 10 MB,
/// Kmin 5 KB, Kmax 200 KB, Pmax 1 %, g = 1/256. The first flow begins alone, the others 10 ms after it.
struct DcqcnShares {
  double least = 0, most = 0;  ///< bytes of a flow between 100 ms and 200 ms, over an equal share
  double used = 0;             ///< payload of all flows in that time, over what the port carries of it
  double fairness = 0;         ///< Jain's index of these bytes
  /// From the others' begin on until, in each window of 5 ms, Jain's index is at least 0.95.
  SimTime settled;
};

/// @param flows  at least 2
DcqcnShares dcqcn_shares(unsigned flows);

}  // namespace morgana::modern_papers
