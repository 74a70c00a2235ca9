#include "cli/common/machine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "cli/common/calibration.h"
#include "emulator/core/error.h"
#include "runs/shared_runs.h"
#include "runs/sweep/sweep_part.h"

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
           "Machine of each rank: block (the default), cyclic, or a file with a machine's number, from 0, "
           "for each rank. A PVM program's tasks run on the machine of their host: cyclic (the default), "
           "block, or a file with a line for each host. Simulated times do not depend on it")
      ->type_name("block|cyclic|FILE");
  command
      .add("--machine-speed", &speeds,
           "Speed of each machine's processor relative to this machine's, 0.001 to 1000, as 1,1.35,0.8; "
           "measured compute times are multiplied by it. Default: 1 if all have the same model, else as "
           "`morgana calibrate` has measured on each")
      ->type_name("NUMBERS");
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

namespace {

/// Between any two machines that could run one program's ranks.
constexpr double slowest_machine = 0.001, fastest_machine = 1000;

/// @throws Error
std::vector<double> machine_speeds(const std::string& text) {
  std::vector<double> all;
  if (text.empty()) return all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    double speed = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), speed);
    if (error != std::errc{} || end != word.data() + word.size() ||
        !(speed >= slowest_machine && speed <= fastest_machine))
      throw Error(
          fmt::format("--machine-speed: \"{}\" is not a speed; write numbers from {} to {}, as 1,1.35,0.8",
                      word, slowest_machine, fastest_machine));
    all.push_back(speed);
    begin = comma + 1;
  }
  return all;
}

}  // namespace

std::optional<Machines> MachineOptions::machines() const {
  if (on.empty()) {
    if (!speeds.empty()) throw Error("--machine-speed is for runs on several machines: give --on, too");
    if (!with.empty()) throw Error("--with is for mpiexec or srun: say which with --on mpi, slurm or ssh");
    if (!distribution.empty()) throw Error("--distribution is for runs on several machines: give --on, too");
    return std::nullopt;
  }
  const MachineEngine engine = on == "mpi"     ? MachineEngine::mpi
                               : on == "slurm" ? MachineEngine::slurm
                                               : MachineEngine::ssh;
  const UsableCalibration here = calibration_here();
  return Machines{
      engine,           with,        distribution, false, machine_speeds(speeds), here.ep_seconds_per_pair,
      this_processor(), here.why_not};
}

}  // namespace morgana::cli
