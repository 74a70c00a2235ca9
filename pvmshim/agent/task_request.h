#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/agent/frame.h"
#include "pvmshim/pvmd/daemon.h"

namespace morgana {

/// What the emulator asks the agent of a PVM task's machine to do with its process (RunningTasks).
struct TaskRequest {
  enum class What : std::uint32_t {
    start_first,   ///< task.arguments are the command. Replied to
    start,         ///< task. Replied to
    signal,        ///< number: the signal. Replied to
    await_effect,  ///< process, number: ends_it, slept. Replied to
    catch_output,  ///< number: the task's file descriptor
    go_on_as,      ///< number: the rank as which it goes on
    end            ///< number: 1 politely
  };
  // Of await_effect.
  static constexpr std::int32_t ends_it = 1;  ///< the signal ends the process
  static constexpr std::int32_t slept = 2;    ///< the task waited for an answer

  What what{};
  Rank rank{};               ///< the task
  std::int32_t number = 0;   ///< as `what` says
  std::int32_t process = 0;  ///< the same
  pvm::TaskStart task = {};
};

/// What came of it.
struct TaskReply {
  std::int32_t result = 0;  ///< start: the process, or PVM's error code; signal: the process, or 0
  bool ends_it = false;     ///< signal
  std::string why;          ///< start: why it can't be started, for people
};

/// The reply of the one agent that was asked; what agents say comes on a thread of each.
class AwaitedReply {
 public:
  void ask(std::size_t agent) {
    const std::lock_guard lock(mutex_);
    asked_ = agent;
    reply_.reset();
  }
  /// @throws MalformedFrame if the agent was not asked, or has replied
  void take(std::size_t agent, const TaskReply& reply) {
    const std::lock_guard lock(mutex_);
    if (asked_ != agent) throw MalformedFrame("it replies to what it was not asked");
    asked_.reset();
    reply_ = reply;
  }
  /// Nothing as long as it has not come.
  std::optional<TaskReply> reply() const {
    const std::lock_guard lock(mutex_);
    return reply_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::size_t> asked_;
  std::optional<TaskReply> reply_;
};

std::vector<std::byte> encode(const TaskRequest& request);
std::vector<std::byte> encode(const TaskReply& reply);
/// @throws MalformedFrame
TaskRequest decode_task_request(std::span<const std::byte> content);
TaskReply decode_task_reply(std::span<const std::byte> content);

}  // namespace morgana
