#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>

#include "pvmshim/agent/payload_mirror.h"
#include "pvmshim/agent/peers.h"
#include "pvmshim/agent/setup.h"

namespace morgana {

/// Whether this agent still reaches the other agents. The emulator learns sooner of one that has gone, and
/// ends the run; what it does not see within some seconds is reported from here.
class LostPeer {
 public:
  LostPeer(const AgentSetup& setup, Peers& peers) : setup_(setup), peers_(peers) {}

  /// The connection to that agent has ended. From any thread.
  void note(std::size_t agent) { lost_ = static_cast<int>(agent); }
  /// @throws Error if an agent is lost: at once if it confirms nothing, else after 5 s
  void throw_if_lost();
  /// Half a frame has left, so that the other agent can't go on either. @throws Error if that is so
  void throw_if_line_is_broken(const PayloadMirror& mirror) const;

 private:
  const AgentSetup& setup_;
  Peers& peers_;
  std::atomic<int> lost_{-1};
  std::optional<std::chrono::steady_clock::time_point> since_;
};

}  // namespace morgana
