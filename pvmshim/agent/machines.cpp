#include "pvmshim/agent/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// @param what  is distributed: rank or host
std::vector<std::uint32_t> read_distribution(const std::string& path, const char* what, std::size_t ranks,
                                             std::size_t machines) {
  std::ifstream file(path);
  if (!file)
    throw Error(
        fmt::format("--distribution: \"{}\" is neither block nor cyclic, nor a file that can be "
                    "read: {}",
                    path, std::strerror(errno)));
  std::vector<std::uint32_t> all;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    std::uint32_t machine = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), machine);
    if (error != std::errc{} || end != line.data() + line.size() || machine >= machines)
      throw Error(fmt::format("{}:{}: \"{}\" is no machine: write 0 to {}, one line for each {}", path,
                              number, line, machines - 1, what));
    all.push_back(machine);
  }
  if (all.size() != ranks)
    throw Error(fmt::format("{} has {} lines with a machine, and the run {} {}s: write one line for each",
                            path, all.size(), ranks, what));
  return all;
}

}  // namespace

std::vector<std::string> agents_command(const Machines& machines, const std::string& program,
                                        const std::vector<std::string>& addresses, std::uint16_t port) {
  std::vector<std::string> words;
  switch (machines.engine) {
    case MachineEngine::mpi:
      words = {"mpiexec.mpich", "-ppn", "1"};
      break;
    case MachineEngine::ssh:
      words = {"mpiexec.mpich", "-launcher", "ssh", "-ppn", "1"};
      break;
    case MachineEngine::slurm:
      words = {"srun", "--ntasks-per-node=1",
               fmt::format("--kill-on-bad-exit={}", machines.others_go_on ? 0 : 1)};
      if (machines.others_go_on) words.insert(words.end(), {"--wait=0", "--no-kill"});
      break;
  }
  words.insert(words.end(), machines.options.begin(), machines.options.end());
  words.insert(words.end(), {program, "agent", "--port", std::to_string(port)});
  for (const std::string& address : addresses) words.insert(words.end(), {"--address", address});
  return words;
}

std::vector<std::string> named_machines(const Machines& machines) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {  // "NAME[:PROCESSES] ..."
    name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
    name.erase(std::min(name.find_first_of("#: \t\r"), name.size()));
    if (!name.empty()) names.push_back(std::move(name));
  };
  if (machines.engine == MachineEngine::slurm) return names;
  for (std::size_t i = 0; i + 1 < machines.options.size(); ++i) {
    std::string option = machines.options[i];
    const std::string& value = machines.options[i + 1];
    if (!option.starts_with('-')) continue;
    option.erase(0, std::min(option.find_first_not_of('-'), option.size()));
    if (option == "hosts" || option == "host") {
      std::istringstream list(value);
      for (std::string name; std::getline(list, name, ',');) add(name);
    } else if (option == "f" || option == "hostfile" || option == "machinefile") {
      std::error_code unreadable;  // what is no file is the launcher's to read
      if (!std::filesystem::is_regular_file(value, unreadable)) continue;
      std::ifstream file(value);
      for (std::string line; std::getline(file, line);) add(line);
    }
  }
  return names;
}

std::vector<std::string> environment_of_starter(MachineEngine engine, std::vector<std::string> variables) {
  if (engine != MachineEngine::slurm) return variables;
  std::erase_if(variables, [](const std::string& one) {
    const std::string name = one.substr(0, one.find('='));
    return name == "SLURM_NTASKS" || name == "SLURM_NPROCS" || name == "SLURM_NTASKS_PER_NODE" ||
           name == "SLURM_NTASKS_PER_GPU" || name == "SLURM_NTASKS_PER_TRES" || name == "SLURM_GPUS_PER_TASK";
  });
  return variables;
}

namespace {

std::vector<std::uint32_t> distributed(const std::string& distribution, const char* what, std::size_t ranks,
                                       std::size_t machines) {
  std::vector<std::uint32_t> all(ranks);
  if (distribution == "block") {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      all[rank] = static_cast<std::uint32_t>(rank * machines / ranks);
  } else if (distribution == "cyclic") {
    for (std::size_t rank = 0; rank < ranks; ++rank) all[rank] = static_cast<std::uint32_t>(rank % machines);
  } else {
    all = read_distribution(distribution, what, ranks, machines);
  }
  for (std::uint32_t machine = 0; machine < machines; ++machine)
    if (std::ranges::find(all, machine) == all.end())
      throw Error(
          fmt::format("machine {} of {} would have no {}: start agents on fewer machines, or give "
                      "each a {} by --distribution",
                      machine, machines, what, what));
  return all;
}

}  // namespace

std::vector<std::uint32_t> distribute(const std::string& distribution, std::size_t ranks,
                                      std::size_t machines) {
  return distributed(distribution.empty() ? "block" : distribution, "rank", ranks, machines);
}

std::vector<std::uint32_t> distribute_hosts(const std::string& distribution, std::size_t hosts,
                                            std::size_t machines) {
  return distributed(distribution.empty() ? "cyclic" : distribution, "host", hosts, machines);
}

std::vector<double> compute_scales(const Machines& machines,
                                   const std::vector<MachineProcessor>& processors) {
  if (!machines.speeds.empty()) {
    if (machines.speeds.size() != processors.size())
      throw Error(fmt::format("--machine-speed gives {} {} for {} {}: give one for each",
                              machines.speeds.size(), machines.speeds.size() == 1 ? "speed" : "speeds",
                              processors.size(), processors.size() == 1 ? "machine" : "machines"));
    return machines.speeds;
  }
  const auto other = std::ranges::find_if(
      processors, [&](const MachineProcessor& one) { return one.model != machines.processor; });
  if (other == processors.end()) return std::vector<double>(processors.size(), 1.0);
  const auto unknown = std::ranges::find_if(
      processors, [](const MachineProcessor& one) { return !(one.ep_seconds_per_pair > 0); });
  if (unknown != processors.end() || !(machines.ep_seconds_per_pair > 0)) {
    const bool is_here = unknown == processors.end();
    const std::string& why = is_here ? machines.why_not_calibrated : unknown->why_not_calibrated;
    throw Error(fmt::format(
        "computing would be measured on other processors than this machine's (which has {}, and {} has {}), "
        "and {} {}; or give --machine-speed, use machines of one kind, --compute none, or --compute "
        "recorded:TRACE",
        machines.processor, other->machine, other->model, is_here ? "this machine" : unknown->machine,
        why.empty() ? "is not calibrated: run `morgana calibrate` there" : why));
  }
  std::vector<double> scales;
  for (const MachineProcessor& one : processors)
    scales.push_back(machines.ep_seconds_per_pair / one.ep_seconds_per_pair);
  return scales;
}

}  // namespace morgana
