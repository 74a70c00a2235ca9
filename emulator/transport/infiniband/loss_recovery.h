#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "emulator/transport/infiniband/early_answers.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/send_queue.h"

namespace morgana::rc {

/// What a requester with selective repeat knows of its packets from the oldest unacknowledged one on, and
/// which of them it is to repeat. Loss recovery lasts from a NAK, a hole in read responses or a timeout until
/// all that was sent before is acknowledged.
class LossRecovery {
 public:
  bool lasts() const { return lasts_; }
  /// Whether a packet is to be repeated.
  bool repeats() const { return !lost_.empty(); }
  /// The one whose turn it is: a request, or of a hole in read responses the first.
  Psn first_lost() const { return *lost_.begin(); }
  Psn take_lost() { return lost_.extract(lost_.begin()).value(); }
  /// Requests that are not acknowledged and have come.
  std::int64_t kept() const { return static_cast<std::int64_t>(kept_.size()); }

  /// What an answer other than an RNR NAK says. It has not been dealt with yet: the queue is that before it.
  /// @param psn     of the answer
  /// @param answers of a NAK for a sequence error the PSN that it answers; nothing: it isn't to count as one
  void learn(const SendQueue& queue, const EarlyAnswers& early, PacketKind kind, Psn psn,
             std::optional<Psn> answers);
  /// After a timeout: the oldest packet is lost, and so are those that were known to be lost, as their
  /// repetition was not answered.
  void find_all_lost(const SendQueue& queue, const EarlyAnswers& early);
  void acknowledge(Psn up_to);
  /// All requests before `up_to` are acknowledged, not by a read response. The first packet that was
  /// repeated has come, so that what was sent before it has come or is lost.
  void partly_acknowledged(Psn up_to);
  /// But for what the responder has accepted.
  void forget();

 private:
  void find_lost_requests(const SendQueue& queue, Psn from, Psn to);
  void find_lost_responses(const SendQueue& queue, const EarlyAnswers& early, Psn from, Psn to);
  void enter(Psn next);

  bool lasts_ = false;
  bool by_request_ = false;  // begun, or joined, by a NAK or a timeout
  Psn until_ = 0;            // what had been sent when it began (IRN: recovery sequence, and 1)
  Psn cumulative_ = 0;       // the acknowledgement with which it began; with by_request_
  Psn accepted_ = 0;         // the responder has accepted all requests before this
  std::set<Psn> kept_;       // requests beyond the one that it keeps
  std::set<Psn> lost_;       // to be repeated
  // What is lost before these is known.
  Psn requests_ = 0, responses_ = 0;
};

}  // namespace morgana::rc
