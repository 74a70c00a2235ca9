#pragma once

#include <utility>

#include "emulator/core/lazy_timer.h"
#include "emulator/transport/infiniband/shared.h"

namespace morgana::rc {

/// For how long a requester stands still: until an answer is overdue, or until it repeats what has met no
/// receive. One of the two at a time.
class RetryTimer {
 public:
  RetryTimer(Shared& shared, QueuePairId owner) : shared_(shared), owner_(owner) {}

  bool awaits_answer() const { return timeout_.set(); }
  /// The timeout runs, from now on if it does not yet.
  void await_answer() {
    if (shared_.rules.low_patience() == SimTime() || timeout_.set()) return;
    timeout_.set(shared_.now() + shared_.rules.low_patience(), shared_.events, shared_.handler, owner_,
                 acknowledgement_timeout);
    is_low_ = shared_.rules.low_patience() != shared_.rules.patience();
    since_ = shared_.now();
  }
  void clear() { timeout_.clear(); }
  void await_receiver() {
    receiver_wait_.set(shared_.now() + shared_.rules->rnr_timer, shared_.events, shared_.handler, owner_,
                       rnr_wait);
    since_ = shared_.now();
  }

  /// An event of one of the two has come. @return whether it has run out
  bool run_out(const TimerEvent& event) {
    LazyTimer& timer = event.kind == rnr_wait ? receiver_wait_ : timeout_;
    return timer.run_out(event, shared_.events, shared_.handler);
  }
  /// The timeout has run out: whether it was RTO_low. Only once.
  bool was_low() { return std::exchange(is_low_, false); }
  /// RTO_low does not hold: it runs on, up to RTO_high.
  void run_on() {
    if (shared_.rules.patience() == SimTime()) return;
    timeout_.set(since_ + shared_.rules.patience(), shared_.events, shared_.handler, owner_,
                 acknowledgement_timeout);
  }
  /// Since when the requester has stood still.
  SimTime since() const { return since_; }

 private:
  Shared& shared_;
  QueuePairId owner_;
  LazyTimer timeout_, receiver_wait_;
  bool is_low_ = false;  // the timeout that is set runs to RTO_low
  SimTime since_;
};

}  // namespace morgana::rc
