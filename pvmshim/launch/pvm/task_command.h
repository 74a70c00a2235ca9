#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace morgana {

/// A program to be executed as a PVM task, in a process of its own.
struct TaskCommand {
  std::string program;                 ///< a path
  std::vector<std::string> arguments;  ///< argv[0] first
  std::vector<std::string>
      environment;     ///< "A=B": beside this process's own, but for its place in an MPI job
  std::string folder;  ///< where it begins; empty: here
  int output = -1;     ///< for standard output and error; -1: this process's own, with its input
};

/// Starts it; it is killed if the thread that calls this ends. It blocks no signals.
/// @param failure  errno, if it can't be started
/// @return the process, or -1
pid_t start_process(const TaskCommand& command, int& failure);

/// The folders in which a task's program is looked for: those of real daemons (PVM_PATH, else the two folders
/// of the architecture). As no daemon was configured here, the first program's folder and those of the shell
/// follow.
std::vector<std::string> task_folders(const std::filesystem::path& first_program);
/// @return the program's path, or "" if none of the folders has it
std::string find_task_program(const std::string& file, const std::vector<std::string>& folders);

}  // namespace morgana
