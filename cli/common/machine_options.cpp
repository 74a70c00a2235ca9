#include "cli/common/machine_options.h"

#include "emulator/core/error.h"
#include "runs/shared_runs.h"
#include "runs/sweep_part.h"

namespace morgana::cli {

void MachineOptions::add_machines(Command& command, const std::string& purpose) {
  command
      .add("--on", &on,
           purpose +
               " on several machines, with an agent on each that MPICH's mpiexec (mpi, or ssh for "
               "mpiexec by ssh) or Slurm's srun (slurm) starts; default: this machine alone")
      ->type_name("mpi|slurm|ssh")
      ->check(one_of({"mpi", "slurm", "ssh"}));
  command
      .add("--with", &with,
           "An option for mpiexec or srun, as --with=-f --with=hosts or --with=--nodes=4; may be repeated")
      ->type_name("OPTION")
      ->may_be_repeated();
}

void MachineOptions::add(Command& command) {
  add_machines(command, "Run the ranks");
  command
      .add("--distribution", &distribution,
           "Which rank runs on which machine: block, cyclic, or a file with a machine's number, from 0, for "
           "each rank. No simulated time depends on it")
      ->type_name("block|cyclic|FILE");
}

std::shared_ptr<RunExchange> MachineOptions::exchange(
    const std::function<std::vector<std::string>()>& arguments) const {
  if (const std::optional<int> socket = worker_socket()) {
    leave_job();
    return std::make_shared<RunWorker>(*socket);
  }
  std::optional<Machines> shared = machines();
  if (!shared) return nullptr;
  shared->others_go_on = true;
  return std::make_shared<RunDistributor>(*shared, arguments());
}

std::optional<Machines> MachineOptions::machines() const {
  if (on.empty()) {
    if (!with.empty()) throw Error("--with is for mpiexec or srun: say which with --on mpi, slurm or ssh");
    if (distribution != "block")
      throw Error("--distribution is for runs on several machines: give --on, too");
    return std::nullopt;
  }
  const MachineEngine engine = on == "mpi"     ? MachineEngine::mpi
                               : on == "slurm" ? MachineEngine::slurm
                                               : MachineEngine::ssh;
  return Machines{engine, with, distribution};
}

}  // namespace morgana::cli
