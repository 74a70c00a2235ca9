#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/timer_wait.h"
#include "emulator/transport/transport.h"

namespace morgana::rc {

/// A message in the send queue, or a part of a very long one: packets (of a read: responses) `first` ..
/// `end`-1.
struct WorkRequest {
  MessageId id;
  Verb verb = Verb::send;
  bool reports = false;  ///< the last part of its message
  bool completes = false;
  Bytes bytes;
  Psn first = 0, end = 0;
  SimTime ready;      ///< for its first packet to leave
  SimTime delivered;  ///< once the responder has accepted all of it
  TimerWait timer_wait{};
};

/// The work requests of a queue pair that are not complete, and how far they have got: oldest() is the first
/// PSN that is not acknowledged, next() the one that is to be sent, which goes back where all is repeated.
class SendQueue {
 public:
  /// Appends a work request of so many packets; its PSNs and when it is ready are set here: not before the
  /// one in front of it.
  void add(WorkRequest request, std::uint64_t packets);
  const std::deque<WorkRequest>& requests() const { return requests_; }
  /// When the last one that was added is.
  SimTime ready() const { return ready_; }

  Psn oldest() const { return oldest_; }
  Psn next() const { return next_; }
  /// PSNs from the oldest one to the next one.
  std::int64_t under_way() const { return static_cast<std::int64_t>(next_ - oldest_); }
  bool is_anything_under_way() const { return oldest_ != next_; }

  /// The work request that holds next(); null if all are sent.
  const WorkRequest* to_send() const { return sending_ == requests_.size() ? nullptr : &requests_[sending_]; }
  /// The work requests before that one, and the reads among them.
  std::int64_t messages_before() const { return static_cast<std::int64_t>(sending_); }
  std::int64_t reads_before() const { return reads_; }
  /// The one with that PSN, at most next().
  const WorkRequest& request_of(Psn psn) const;
  /// The first response that a read among the requests up to that PSN lacks; a later PSN if there is none.
  Psn missing_response(Psn up_to) const;

  /// All before `after` is sent, from next() on: a packet, or a read request for all those.
  /// @return whether it is sent for the first time
  bool send_up_to(Psn after);
  /// All before `up_to`, which lies beyond oldest(), is acknowledged.
  void acknowledge(Psn up_to);
  /// Of the work requests of which all is acknowledged the first, which is removed.
  std::optional<WorkRequest> take_done();
  /// All that is not acknowledged is sent again.
  void go_back();
  void clear();

  /// The responder has all before `expected`, and what that completes in memory at `delivered`.
  /// @return for how much of the time the message that ends there has waited for timers
  SimTime accepted(Psn expected, SimTime delivered);
  /// All waited for a timer, from `since` until now.
  void note_timer_wait(SimTime since, SimTime now);

 private:
  void pass_request();

  std::deque<WorkRequest> requests_;  // oldest first
  std::size_t sending_ = 0;           // place of the one that holds next_
  std::int64_t reads_ = 0;            // before that place
  Psn oldest_ = 0;                    // not acknowledged
  Psn next_ = 0;                      // oldest_ <= next_ <= end_
  Psn never_sent_ = 0;                // the first that was never sent
  Psn end_ = 0;                       // one past the last
  SimTime ready_;
};

}  // namespace morgana::rc
