#include "pvmshim/agent/agent.h"

#include <memory>

#include "cli/common/calibration.h"
#include "cli/common/command.h"
#include "cli/machine/machine_checks.h"

namespace morgana::cli {

void add_agent(Commands& commands) {
  Command& command =
      commands.add("agent", "Serve a command with --on on this machine (started by that command)");
  auto options = std::make_shared<AgentOptions>();
  auto port = std::make_shared<std::size_t>(0);
  command.add("--address", &options->addresses, "Addresses of the emulator's machine")
      ->type_name("ADDRESS")
      ->may_be_repeated();
  command.add("--port", port.get(), "Port of the emulator there")->type_name("PORT");
  command.footer = R"(
`morgana run --on mpi|slurm|ssh`, and other commands with --on, start an agent on each machine by mpiexec or srun. It
starts the run's ranks there, makes a command's runs, or checks the machine for `morgana doctor`. You need not call it.)";
  command.action = [options, port] {
    options->port = static_cast<std::uint16_t>(*port);
    find_place(*options);
    const UsableCalibration here = calibration_here();
    options->ep_seconds_per_pair = here.ep_seconds_per_pair;
    options->why_not_calibrated = here.why_not;
    return run_agent(*options, check_machine);
  };
}

}  // namespace morgana::cli
