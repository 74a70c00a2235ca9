#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace morgana {

/// Who starts an agent on each machine: MPICH's mpiexec (on this machine, or those of a host file), Slurm's
/// srun, or mpiexec by ssh.
enum class MachineEngine { mpi, slurm, ssh };

/// The machines that a run's ranks are to run on.
struct Machines {
  MachineEngine engine = MachineEngine::mpi;
  std::vector<std::string> options;  ///< for mpiexec or srun
  /// Block, cyclic, or a file with a machine's number for each rank, or each host of a PVM program; empty:
  /// block for ranks, cyclic for hosts, of which a program may use the first few.
  std::string distribution = {};
  bool others_go_on = false;  ///< when an agent is gone; else all end with it
  /// How many times as fast each machine's processor is as the one here, by number; empty: by calibration.
  std::vector<double> speeds = {};
  double ep_seconds_per_pair = 0;       ///< this machine's calibration (s); 0: none
  std::string processor = {};           ///< this machine's model
  std::string why_not_calibrated = {};  ///< as UsableCalibration::why_not
};

/// A machine's processor, as its agent says.
struct MachineProcessor {
  std::string machine;
  std::string model;
  double ep_seconds_per_pair = 0;       ///< its calibration (s); 0: none
  std::string why_not_calibrated = {};  ///< as UsableCalibration::why_not
};

/// By how much what computing takes on each machine is multiplied to be what it would take here: 1 where all
/// have this machine's model.
/// @throws Error where any differs and neither Machines::speeds nor calibrations say how much, or if there
/// are not as many speeds as machines
std::vector<double> compute_scales(const Machines& machines, const std::vector<MachineProcessor>& processors);

/// What starts the agents. @param program  the command that has `agent`
std::vector<std::string> agents_command(const Machines& machines, const std::string& program,
                                        const std::vector<std::string>& addresses, std::uint16_t port);

/// The machines that the options of mpiexec name, by -hosts or in a host file (-f), in the order of the
/// agents' numbers; empty where they name none, and for srun, which says itself which does not start.
std::vector<std::string> named_machines(const Machines& machines);

/// The variables of what starts them, of this process's "NAME=VALUE". Without those by which an allocation
/// says how many tasks srun starts in it: an agent starts on each machine, however many tasks were asked for.
std::vector<std::string> environment_of_starter(MachineEngine engine, std::vector<std::string> variables);

/// Which machine each rank runs on, of as many as there are. @param distribution  as Machines'
/// @throws Error if a file can't be read or names no such machine, or if a machine would have no rank
std::vector<std::uint32_t> distribute(const std::string& distribution, std::size_t ranks,
                                      std::size_t machines);
/// The same for the hosts of the platform, whose PVM tasks run there.
std::vector<std::uint32_t> distribute_hosts(const std::string& distribution, std::size_t hosts,
                                            std::size_t machines);

}  // namespace morgana
