#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/agent/machines.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/launch/process/guardian.h"
#include "pvmshim/launch/process/stopped_helpers.h"

namespace morgana {

/// An agent that has come: it knows the run's secret and is of this build.
struct ArrivedAgent {
  std::unique_ptr<Stream> stream;
  AgentHello hello;
};

/// The start of an agent on each of several machines, and their greetings. What starts them runs as long as
/// they do, and ends with this object.
class AgentStart {
 public:
  /// Starts what starts them (mpiexec, srun). @param input  what becomes of this process's standard input
  /// @throws Error if it is not there
  AgentStart(const Machines& machines, Guardian::Input input);

  /// How long it is waited for the first agent, and from each to the next. Time in which this process does
  /// not run does not count.
  struct Patience {
    std::optional<std::chrono::seconds> first;  ///< nothing: without end
    std::chrono::seconds between;
  };
  /// Of a run: mpiexec starts agents at once or not at all; srun may wait in a queue.
  static Patience patience_of(MachineEngine engine);

  /// Waits until all agents have come. A stranger who connects without the secret is dropped, and reported.
  /// Where it throws, those that have come end.
  /// @param waiting  called several times a second, with those that have come so far
  /// @return by their numbers. @throws Error if what starts them ends first, if one is of another build or
  /// has lost its connection, or if one does not come in time; Interrupted; what `waiting` throws
  std::vector<ArrivedAgent> gather(
      const Patience& patience,
      const std::function<void(std::span<const ArrivedAgent>)>& waiting = [](auto) {});

  /// The program that starts them, as it was called.
  const std::string& starter() const { return command_.front(); }
  /// Says once of each process that starts them, and is stopped, that it is.
  void look_at_starters();
  /// After the agents have been asked to end: waits a little for what has started them to see that, and ends
  /// whatever still runs. (Slurm's daemons wait long for an srun that was killed.)
  /// @param all_have_left  if not, what has started them would wait for the others
  void end(bool all_have_left = true);

 private:
  void await_all(std::vector<ArrivedAgent>& agents, const Patience& patience,
                 const std::function<void(std::span<const ArrivedAgent>)>& waiting);
  std::optional<ArrivedAgent> greet(int socket) const;
  std::string come_text(std::span<const ArrivedAgent> come) const;
  void throw_if_one_left(std::span<const ArrivedAgent> come);
  void throw_if_engine_ended(std::span<const ArrivedAgent> come);
  void throw_if_one_was_not_started(std::span<const ArrivedAgent> come);

  MachineEngine started_by_;
  std::string secret_;
  Listener listener_;
  std::vector<std::string> command_;
  std::vector<std::string> named_;  ///< machines, by the agents' numbers, where they are known
  std::optional<Guardian> engine_;
  StoppedHelpers stopped_;
};

/// Why an agent is gone of which nothing else is known.
inline constexpr const char* connection_has_closed = "its connection has closed before all agents had come";

/// This process's variables, "NAME=VALUE".
std::vector<std::string> environment_here();

}  // namespace morgana
