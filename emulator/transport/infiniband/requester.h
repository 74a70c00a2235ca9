#pragma once

#include <memory>
#include <string>

#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/infiniband/early_answers.h"
#include "emulator/transport/infiniband/loss_recovery.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/retry_timer.h"
#include "emulator/transport/infiniband/send_queue.h"
#include "emulator/transport/infiniband/shared.h"

namespace morgana::rc {

/// What a queue pair asks of its peer: it sends the requests of its send queue, takes the answers, and
/// repeats what is lost until it is answered or the queue pair fails.
class Requester {
 public:
  explicit Requester(QueuePair& pair);

  /// A work request is posted. @param last  of its message, which has departed with it
  void post(const Shipment& shipment, Bytes bytes, bool last);
  bool has_failed() const { return failed_; }
  /// Lines up at the port if it may send, and sees to the timeout: to be called when either may have changed.
  void proceed();
  /// Its turn at the port has come.
  void take_turn();
  /// Whether the packet whose turn it is has a payload that is fetched.
  bool fetches() const;
  void packet_departed() { in_port_ = false; }
  /// An answer has come; the queue pair has not failed.
  void gets(const Header& answer);

  /// Of the timeout and the wait after an RNR NAK.
  void handle_timer(const TimerEvent& event);
  /// Something of its flow keeps it from sending: the timeout runs unless something else does, too.
  void await_report();
  /// A report of the flow has come.
  void report_came();
  /// As SendQueue::accepted.
  SimTime accepted(Psn expected, SimTime delivered) { return queue_.accepted(expected, delivered); }
  /// The network has lost a packet of the connection, either way.
  void note_loss();

 private:
  using Repetition = CongestionControl::Repetition;

  bool wants_to_send() const;
  bool repeats() const { return recovery_ != nullptr && recovery_->repeats(); }
  Psn psn_to_send() const { return repeats() ? recovery_->first_lost() : queue_.next(); }
  void send();
  bool asks(const Header& header, Psn number, bool again) const;
  void take_answers(const Header& header);
  bool take_answer(const Header& header);
  void learn(const Header& header);
  void acknowledge(Psn up_to);
  void tell_done(const WorkRequest& done);
  void implied_nak(Psn missing);
  void take_nak(PacketKind kind);
  void retry(Repetition why = Repetition::by_receiver);
  void wait_for_receiver();
  void go_back();
  void fail(const std::string& how);
  void answer_is_overdue();
  bool has_few_under_way() const;

  QueuePair& pair_;
  Shared& shared_;
  SendQueue queue_;
  EarlyAnswers early_;
  std::unique_ptr<LossRecovery> recovery_;  // with selective repeat
  RetryTimer timer_;
  bool in_line_ = false, in_port_ = false;
  bool waits_ = false;                    // after an RNR NAK
  bool failed_ = false;                   // the queue pair is in the error state
  unsigned futile_ = 0, futile_rnr_ = 0;  // retries since something new was acknowledged last
  SimTime in_memory_;                     // all read responses that have come are there
  Psn implied_ = ~Psn{0};                 // read response whose absence was acted on last
  std::string last_loss_;                 // how the network lost a packet since then, as far as it is known
};

}  // namespace morgana::rc
