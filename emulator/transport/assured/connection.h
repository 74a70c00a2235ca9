#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "emulator/core/event_queue.h"
#include "emulator/core/lazy_timer.h"
#include "emulator/host/host_id.h"
#include "emulator/network/cells.h"
#include "emulator/transport/assured/counters.h"
#include "emulator/transport/assured/undelivered.h"
#include "emulator/transport/latency_classes.h"

namespace morgana::assured {

/// One direction between two hosts, at both ends, of whatever protocol.
/// @tparam SenderHalf, ReceiverHalf  the protocol's rules, which know neither time nor network
/// @tparam MessageCutting  cuts a message: `next()` returns the next piece, `done()` whether it was the last
/// @tparam path_count   channels, numbered as the protocol says
/// @tparam timer_count  timers, numbered as the protocol says, at most 4
template <class SenderHalf, class ReceiverHalf, class MessageCutting, std::size_t path_count,
          std::size_t timer_count>
struct Connection {
  using Sender = SenderHalf;
  using Receiver = ReceiverHalf;
  using Cutting = MessageCutting;
  static constexpr std::size_t paths = path_count;

  HostId from, to;
  std::array<ChannelId, path_count> channels;
  Sender sender;
  Receiver receiver;
  std::array<LazyTimer, timer_count> timers = all_of_upkeep();
  std::uint32_t incarnation = 0;  ///< frames of an earlier one, before a release, count for nothing
  std::array<std::uint32_t, path_count> in_interface = {};  ///< SDs handed to it that haven't left it
  bool holds = false;                                       ///< the event queue, as data are unacknowledged
  Undelivered undelivered = {};
  std::deque<Cutting> uncut = {};  ///< what the sender has not got yet, in order
  Counters counters = {};          ///< what neither half counts, and both of earlier incarnations
  std::array<PathCounters, path_count> carried = {};
  LatencyClasses latency = {};  ///< of messages that have been delivered
  std::string last_loss = {};   ///< how a frame was lost, where parts of the network die

  /// The sender has a piece that waits, as long as there is one: a message is cut as it goes, and takes no
  /// memory for what is far from going.
  void cut_next() {
    if (sender.waits() || uncut.empty()) return;
    sender.append(uncut.front().next());
    if (uncut.front().done()) uncut.pop_front();
  }
  /// Holds the events from when the sender has something unacknowledged until it has not.
  void hold_while_active(EventQueue& events) {
    if (sender.active() == holds) return;
    holds = !holds;
    if (holds)
      events.hold();
    else
      events.release();
  }
  PathCounters over_all_paths() const {
    PathCounters sum;
    for (const PathCounters& path : carried) sum += path;
    return sum;
  }

 private:
  static std::array<LazyTimer, timer_count> all_of_upkeep() {
    std::array<LazyTimer, timer_count> timers;
    timers.fill(LazyTimer::of_upkeep());
    return timers;
  }
};

}  // namespace morgana::assured
