#include "pvmshim/launch/process/launcher_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/card_table.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/launch/process/process_tree.h"
#include "pvmshim/start/rank_start.h"

namespace morgana {
namespace {

/// Of Slurm, PBS and Torque, LSF, LoadLeveler, Grid Engine, Cobalt, and Hydra itself: what the strings of
/// mpiexec.hydra name, by their beginnings.
constexpr std::array steering{"SLURM_", "SLURMD_",     "PBS_",    "LSB_",    "LSF_",  "LOADL",
                              "SGE_",   "PE_HOSTFILE", "NSLOTS=", "COBALT_", "HYDRA_"};

constexpr std::array places{
    "PMI_", "PMI2_", "PMIX_", "HYDI_", "MPI_LOCALNRANKS=", "MPI_LOCALRANKID=", "OMPI_COMM_WORLD_"};

struct ShownBy {
  const char* system;
  const char* variable;
};
/// The first that is set says where this process is.
constexpr std::array shown_by{ShownBy{"Slurm", "SLURM_JOB_ID"},
                              ShownBy{"Slurm", "SLURM_JOBID"},
                              ShownBy{"PBS", "PBS_JOBID"},
                              ShownBy{"PBS", "PBS_NODEFILE"},
                              ShownBy{"LSF", "LSB_JOBID"},
                              ShownBy{"LSF", "LSB_MCPU_HOSTS"},
                              ShownBy{"LSF", "LSB_HOSTS"},
                              ShownBy{"Grid Engine", "PE_HOSTFILE"},
                              ShownBy{"LoadLeveler", "LOADL_STEP_ID"},
                              ShownBy{"Cobalt", "COBALT_NODEFILE"}};

/// "NAME=" of "NAME=VALUE" or "NAME", so that a whole name can be compared as a beginning.
std::string with_equals_sign(std::string_view variable) {
  return std::string(variable.substr(0, variable.find('='))) + '=';
}

template <std::size_t N>
bool begins_with_one_of(const std::array<const char*, N>& beginnings, const std::string& name) {
  return std::ranges::any_of(beginnings, [&](const char* beginning) { return name.starts_with(beginning); });
}

bool is_morganas_own(const std::string& name) {
  static const std::array own{RankChannel::path_variable,
                              CaptureLogWriter::folder_variable,
                              CaptureLogWriter::origin_variable,
                              CardTable::path_variable,
                              static_cast<const char*>(mark_variable),
                              line_variable,
                              added_variable};
  return std::ranges::any_of(own, [&](const char* one) { return name == std::string(one) + '='; }) ||
         name.starts_with(before_prefix);
}

}  // namespace

std::optional<Allocation> allocation_here() {
  for (const ShownBy& one : shown_by)
    if (const char* value = std::getenv(one.variable); value != nullptr && *value != '\0')
      return Allocation{one.system, one.variable, value};
  return std::nullopt;
}

bool steers_mpiexec(std::string_view variable) {
  return begins_with_one_of(steering, with_equals_sign(variable));
}

bool is_place_in_another_job(std::string_view variable) {
  const std::string name = with_equals_sign(variable);
  return begins_with_one_of(places, name) || is_morganas_own(name);
}

LauncherEnvironment launcher_environment() {
  LauncherEnvironment divided;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (is_place_in_another_job(*variable)) continue;
    (steers_mpiexec(*variable) ? divided.withheld : divided.mpiexecs).emplace_back(*variable);
  }
  // It would read ~/.mpiexec.hydra.conf otherwise, which may name hosts.
  divided.mpiexecs.emplace_back("HYDRA_CONFIG_FILE=/dev/null");
  if (std::getenv("HYDRA_CONFIG_FILE") == nullptr) divided.withheld.emplace_back("HYDRA_CONFIG_FILE");
  return divided;
}

std::vector<std::string> options_to_start_here() {
  return {"-launcher", "fork", "-rmk", "user"};
}

}  // namespace morgana
