#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "pvmshim/agent/payload_mirror.h"
#include "pvmshim/agent/peers.h"
#include "pvmshim/agent/rank_places.h"

namespace morgana {

/// Which other agents have members of a context.
class ContextMachines {
 public:
  /// @param places  outlives this. @param own  this agent's number. @param agents  all of the run
  ContextMachines(const RankPlaces& places, std::size_t own, std::size_t agents);
  /// @param members  of the context; what is no rank is passed over
  void note(Context context, const std::vector<Rank>& members);
  /// None of a context that was not noted.
  const std::vector<std::size_t>& others_of(Context context) const;

 private:
  const RankPlaces& places_;
  std::size_t own_;
  std::map<Context, std::vector<std::size_t>> others_of_;
};

/// Sends a payload of this machine's with the stream's next flush(), or, if it is long, as it goes.
/// @throws Error if it is not there any more
void send_block(const PayloadMirror& mirror, std::uint64_t marked, Stream& to);

/// What ranks of this machine send, on its way to the agents whose ranks read it.
class PayloadSender {
 public:
  /// All of them outlive this.
  PayloadSender(const RankPlaces& places, std::size_t own, std::size_t agents, PayloadMirror& mirror,
                Peers& peers);

  /// Marks the operation's payload if it may leave the machine. One whose reader is known, and elsewhere,
  /// goes there, if it is no long one or the reader is the emulator (PVM's daemon); what a rank gives to a
  /// collective goes to all its members' machines.
  /// @return whether the rank has sent, or will send, the payload to the operation's peer itself
  /// @throws Error if a rank cannot have sent this
  bool pass_on(Rank rank, Operation& operation);
  void note_context(const Operation& created) { contexts_.note(created.context, created.members); }
  /// As send_block(), to that agent.
  void push(std::uint64_t marked, std::size_t agent);

 private:
  void push_deposit(const Operation& collective);

  const RankPlaces& places_;
  PayloadMirror& mirror_;
  Peers& peers_;
  std::size_t emulator_;  ///< its number as a machine
  ContextMachines contexts_;
};

}  // namespace morgana
