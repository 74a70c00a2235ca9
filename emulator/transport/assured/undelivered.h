#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "emulator/core/statistics.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/latency_classes.h"
#include "emulator/transport/transport.h"

namespace morgana::assured {

/// A connection's messages from when they are handed over until they are delivered or given back. It tells
/// their listeners what becomes of them, which may hand over more from within.
class Undelivered {
 public:
  /// @param streamed  its listener gets reports of how much has come
  void add(MessageId message, bool streamed, SimTime now) { messages_.push_back({message, streamed, now}); }

  /// An SD with the end of this message has left the host. Of copies and repetitions the first that leaves
  /// tells; of messages that are not here any more, none.
  void departed(MessageId message);
  /// Bytes of the oldest message have come, in order. If they are its last, it is delivered.
  /// @param latency  gets how long it took
  void came(MessageId message, Bytes bytes, bool ends, SimTime now, LatencyClasses& latency);
  /// Of the SDs that have come in order, in seconds: from when their message was handed over.
  const RunningStatistics& latency_of_data() const { return latency_of_data_; }
  /// All that are here, the oldest first; then there are none.
  std::vector<MessageId> give_back();

 private:
  struct Message {
    MessageId id;
    bool streamed;
    SimTime since;          ///< when it was handed over
    bool departed = false;  ///< and reported to its listener
    Bytes prefix{0};        ///< that has come in order
  };
  std::deque<Message> messages_;
  RunningStatistics latency_of_data_;
  std::size_t all_departed_ = 0;  ///< before this place: where it is worth while to begin a search
};

}  // namespace morgana::assured
