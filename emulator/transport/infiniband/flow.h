#pragma once

#include <cstdint>
#include <memory>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/shared.h"

namespace morgana::rc {

/// The data that a queue pair sends, requests and read responses: at what pace, and how much of them is under
/// way. Without congestion control it keeps nothing back.
class Flow {
 public:
  explicit Flow(QueuePair& pair);

  /// Whether it may send now; what waits is looked at again when it may.
  bool keeps_pace();
  /// With a window: a report has to come before it may send.
  bool is_window_closed() const;
  /// With a window: whether it has kept a packet since the last report.
  bool has_held() const { return window_->is_held; }
  /// Whether the data that were sent last were a request; read responses have their turn then.
  bool requested_last() const { return requested_last_; }

  /// A packet of the data goes to the network. Only with congestion control.
  void sent(PacketKind kind, Bytes unit);
  /// Of a packet that counts in the window and goes to the network. @return Header::echo
  std::uint32_t take_echo(Bytes unit);
  /// A report has come.
  void take_report(const Header& report);
  /// The peer has seen marked packets (CNP).
  void notified() { control_->notified(shared_.now()); }
  /// The requester sends again.
  void repeats(CongestionControl::Repetition why);
  /// A read was requested again: its responses are sent again.
  void repeats_responses();
  /// Nothing that was sent so far is under way.
  void forget_under_way();

 private:
  struct Window {
    std::int64_t sent = 0;      // bytes on the link
    std::int64_t reported = 0;  // Echo::place of the newest packet that was reported
    std::int64_t returned = 0;  // of the bytes sent those that are not under way any more
    std::int64_t marked = 0;    // Echo::marked of the newest report
    bool is_held = false;
  };

  bool window_holds();

  QueuePair& pair_;
  Shared& shared_;
  std::unique_ptr<CongestionControl> control_;  // null: none
  std::unique_ptr<Window> window_;              // null: the control has none
  bool requested_last_ = false;
  SimTime awaited_;  // when the next packet may go, if that was asked for
};

}  // namespace morgana::rc
