#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pvmshim/agent/examination.h"

namespace morgana {

/// How an agent finds the emulator that it is to serve.
struct AgentOptions {
  std::vector<std::string> addresses;  ///< of the emulator's machine
  std::uint16_t port = 0;
  std::uint32_t number = 0;             ///< of this agent among all that were started with it
  std::uint32_t agents = 0;             ///< how many those are
  double ep_seconds_per_pair = 0;       ///< this machine's calibration (s); 0: none
  std::string why_not_calibrated = {};  ///< then: as UsableCalibration::why_not
};

/// The variable of an agent's environment that holds the run's secret.
constexpr const char* secret_variable = "MORGANA_AGENT_SECRET";

/// How often each end of a stream between emulator and agent says that it lives.
constexpr std::chrono::seconds between_signs_of_life{1};

/// Which agent this process is and how many there are, as mpiexec (PMI_RANK, PMI_SIZE) or srun (SLURM_PROCID,
/// SLURM_NTASKS) says. @throws Error if neither does
void find_place(AgentOptions& options);

/// Starts this machine's share of a run's ranks, and is to them what the emulator is in a run on one machine:
/// it takes their operations, passes them on to the emulator, and gives them its answers. Payloads for ranks
/// on other machines go to those machines' agents. All that it has started ends with it, and it ends when the
/// emulator says so or is gone.
/// Where machines are to be examined (`doctor --on`) it does that instead.
/// @param check_machine  what is looked at then
/// @return the exit code. @throws Error; Interrupted
int run_agent(const AgentOptions& options, const std::function<std::vector<Check>()>& check_machine);

}  // namespace morgana
