#pragma once

#include <string>

namespace morgana::test {

// Traces of the repository that several tests replay.

inline const std::string ep_sample = MORGANA_SOURCE "/traces/samples/ep.mpi.otf2";
inline const std::string cg_sample = MORGANA_SOURCE "/traces/samples/cg.mpi.otf2";
inline const std::string pde1_sample = MORGANA_SOURCE "/traces/samples/pde1.mpi.otf2";

}  // namespace morgana::test
