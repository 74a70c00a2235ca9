#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace morgana {

/// A batch system's allocation, as the environment shows it.
struct Allocation {
  std::string system;    ///< "Slurm"
  std::string variable;  ///< what shows it: "SLURM_JOB_ID"
  std::string value;     ///< of that variable: the job's number, or a file of hosts
};

/// The allocation in which this process runs; nothing outside of one.
std::optional<Allocation> allocation_here();

/// Whether MPICH's mpiexec (Hydra) chooses hosts, or a way to start processes on them, by this variable, or
/// takes another of its options from it.
/// @param variable  its name, or "NAME=VALUE"
bool steers_mpiexec(std::string_view variable);

/// Whether another launcher, or another run of Morgana, describes by this variable which of its processes
/// this one is: it is wrong for every rank that this process starts.
/// @param variable  its name, or "NAME=VALUE"
bool is_place_in_another_job(std::string_view variable);

/// This process's environment, divided between mpiexec and its ranks.
struct LauncherEnvironment {
  std::vector<std::string> mpiexecs;  ///< "NAME=VALUE": what does not steer it; its ranks inherit these
  /// What steers it, for the ranks alone: "NAME=VALUE", or the name of a variable that they do not have.
  std::vector<std::string> withheld;
};
LauncherEnvironment launcher_environment();

/// The options with which mpiexec starts all processes on this machine, whatever it finds.
std::vector<std::string> options_to_start_here();

}  // namespace morgana
