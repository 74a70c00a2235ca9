#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "pvmshim/channel/robust_mutex.h"
#include "pvmshim/launch/mpi/mpi_program.h"
#include "pvmshim/launch/process/ranks_at_rest.h"

namespace morgana {

/// The ranks of a program that run on this machine, as its agent has them: others decide about them.
class HostedProgram : public MpiProgram {
 public:
  /// What the ranks' environment names the channel by.
  virtual std::string channel_path() const = 0;
  /// How many of the ranks here have begun, of twice as many as there are: started, and in MPI_Init.
  virtual std::size_t begun() const = 0;
  /// Whether the rank has said all that it will say. From any thread.
  virtual bool has_finished(Rank rank) const = 0;
  /// Ends all processes here.
  virtual void end_ranks() = 0;
  /// Whether all processes here have ended, and no other can begin; then finish() returns soon.
  virtual bool has_ended() const = 0;
  /// The process of a rank here, once it has attached; and what is held while its memory is read and changed
  /// in one step. From any thread.
  virtual std::optional<int> pid_of(Rank rank) const = 0;
  virtual RobustMutex& memory_of(Rank rank) = 0;
  virtual RanksAtRest at_rest() = 0;
  // As EmulatorChannel's.
  virtual bool is_unhurried() const = 0;
  virtual void hurry(bool hurried) = 0;
  /// Sleeps until a rank here says something, or sends a message to one elsewhere, wake() is called, or
  /// the time is over. @param heard  the ranks whose words end the sleep. @throws as wait()
  virtual void rest(std::chrono::nanoseconds longest, std::span<const Rank> heard) = 0;
  /// From any thread.
  virtual void wake() = 0;
  // Each time that what ranks have said is taken:
  virtual void begin_hearing() {}
  /// All that the rank has said until then was taken.
  virtual void has_heard_all(Rank) {}
  virtual void end_hearing() {}
};

}  // namespace morgana
