#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/agent/stream.h"

namespace morgana {

/// What an agent is to become where a command shares its runs out among machines: the same command, as a
/// worker.
struct WorkOrder {
  std::string folder;  ///< in which the command runs
  std::vector<std::string> environment;
  std::vector<std::string> arguments;  ///< of `morgana`
};

/// The variable of a worker's environment with the descriptor of its stream.
constexpr const char* worker_variable = "MORGANA_WORKER";

/// Has a child process be the worker, with the stream to the command that has sent the order, and waits for
/// its end. However that is, this process ends as one that was not killed: what started it ends all others
/// with one that was (mpiexec).
/// @return the exit code. @throws Error if it can't be started
int be_worker(const WorkOrder& order, const Stream& stream);

/// A list of runs to which a worker has come.
struct RunList {
  std::uint64_t number = 0;  ///< among all to which it comes, from 1
  std::uint64_t jobs = 0;    ///< how many runs
  std::uint64_t hash = 0;    ///< of their names and what they depend on
  std::uint64_t room = 0;    ///< how many it can make at a time
};

std::vector<std::byte> encode(const WorkOrder& order);
std::vector<std::byte> encode(const RunList& list);
/// @throws MalformedFrame
WorkOrder decode_work_order(std::span<const std::byte> content);
RunList decode_run_list(std::span<const std::byte> content);

}  // namespace morgana
