#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/engine/engine.h"
#include "pvmshim/launch/pvm/pvm_program.h"
#include "tests/engine/logp_machine.h"
#include "tests/support/temporary_folder.h"

namespace morgana::testing {

/// What an emulated program has printed, in standard output and error together.
struct EmulatedRun {
  std::string output;
  int result = 0;  ///< the first task's exit code, 99 if the run failed, minus the signal otherwise
};

/// Runs a PVM program on some hosts of a machine, in a process of its own. Computing takes no time.
inline EmulatedRun emulate(
    const std::vector<std::string>& command, std::size_t hosts = 3,
    Machine (*machine_of)(std::size_t) = [](std::size_t all) { return logp_machine(all); }) {
  constexpr std::uint32_t task_limit = 20;
  constexpr unsigned longest_s = 60;
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "output").string();
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    alarm(longest_s);
    const int output = open(file.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    int code = 99;
    try {
      PvmLaunchOptions options;
      options.command = command;
      for (std::size_t i = 0; i < hosts; ++i) options.hosts.push_back({"host" + std::to_string(i)});
      options.task_limit = task_limit;
      options.compute = ComputeMode::none;
      Machine machine = machine_of(hosts);
      machine.host_of.assign(task_limit + 1, HostId{0});
      machine.messages.poll_cost = SimTime::from_ps(1'000'000);
      PvmProgram program(options);
      Engine(machine, program, {}).run();
      code = program.finish();
    } catch (const std::exception& error) {
      std::cerr << "the run failed: " << error.what() << std::endl;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return {text.str(), WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
}

}  // namespace morgana::testing
