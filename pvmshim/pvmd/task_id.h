#pragma once

#include <cstdint>

#include "emulator/operations/operation.h"

namespace morgana::pvm {

/// A PVM task id as programs see it: the host's number, from 1, above bit 18, the task's number on it below.
/// Ours is the task's rank in the run, so that ids and ranks follow from each other. The daemon is rank 0 and
/// has the number 0 (of host 1), like a real pvmd. Source: PVM 3.4, lib/tidtohost.c and pvmtev.h's layout.
using TaskId = std::int32_t;

constexpr int host_shift = 18;
constexpr TaskId number_mask = (1 << host_shift) - 1;
constexpr Rank daemon_rank{0};

/// @param host  from 0
constexpr TaskId task_id(std::uint32_t host, Rank rank) {
  return static_cast<TaskId>((host + 1) << host_shift) | static_cast<TaskId>(rank);
}
/// The id of a host's daemon: names the host.
constexpr TaskId host_id(std::uint32_t host) {
  return task_id(host, Rank{0});
}
constexpr Rank rank_of(TaskId task) {
  return Rank{task & number_mask};
}
/// From 0. @param task  > 0
constexpr std::uint32_t host_of(TaskId task) {
  return static_cast<std::uint32_t>(task >> host_shift) - 1;
}

}  // namespace morgana::pvm
