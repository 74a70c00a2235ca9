#pragma once

#include <deque>
#include <string>
#include <vector>

#include "emulator/core/lazy_timer.h"
#include "emulator/interface/gm/packet.h"
#include "emulator/interface/gm/parameters.h"

namespace morgana::gm {

/// One direction between two NICs at the sending one: messages cut into numbered packets, of which at
/// most a window's are unacknowledged. What is sent again is fetched from the host's memory again.
class SendingEnd {
 public:
  void post(UnitId message, Bytes bytes, Bytes largest_payload);
  bool may_fetch(std::uint32_t window) const { return next_ < end_ && next_ < oldest_ + window; }
  /// The next packet to be fetched; from and to are left open. Only if it may fetch.
  Packet fetch(Bytes largest_payload);
  bool has_unacknowledged() const { return oldest_ < next_; }
  bool is_current(Session session) const { return session == session_; }
  Number oldest() const { return oldest_; }

  /// All packets before this one have come. @return whether that is new
  bool acknowledge(Number before);
  /// What is unacknowledged is fetched again, from the oldest on.
  void go_back();
  /// Begins a new session, with nothing to send.
  /// @param accepted  how many packets of the session the other end has accepted
  /// @return the messages that it has not accepted wholly
  std::vector<UnitId> give_up(Number accepted);

 private:
  /// A message cut into the packets `first` .. `end`-1.
  struct CutMessage {
    UnitId id;
    Bytes bytes;
    Number first, end;
  };
  std::deque<CutMessage> messages_;  // those not wholly acknowledged, oldest first
  std::size_t fetching_ = 0;         // at or before the index in messages_ of the one that holds next_
  Number oldest_ = 0;                // unacknowledged
  Number next_ = 0;                  // to be fetched, oldest_ <= next_ <= end_
  Number never_sent_ = 0;            // the first that was never fetched
  Number end_ = 0;                   // one past the last that was cut
  Session session_ = 0;
};

/// The same direction at the receiving NIC, which accepts packets in their order only.
class ReceivingEnd {
 public:
  enum class Verdict : std::uint8_t { accepted, repeated, early, stale };
  Verdict receive(const Packet& packet);
  /// An early packet has come, and none before since the missing one is missing.
  bool to_be_refused();
  Number expected() const { return expected_; }
  Session session() const { return session_; }
  /// The sender has given up: what is still under way is stale from now on.
  void end_session();

 private:
  Number expected_ = 0;
  Session session_ = 0;
  bool refused_ = false;  // the sender has been asked for packet expected_
};

/// All that a control program knows of another interface.
struct Connection {
  PortId peer{};
  std::uint32_t number = 0;  ///< of this connection, at its program

  SendingEnd sending;
  bool in_line = false;          ///< waits for SDMA
  std::uint32_t on_its_way = 0;  ///< packets that were fetched and have not left yet
  std::uint32_t futile = 0;      ///< time-outs since something new was acknowledged last
  bool overdue = false;          ///< its time is up, and the program has not seen to it
  std::string last_loss;         ///< how the network lost a packet since a time-out, as far as it is known
  LazyTimer timer;

  ReceivingEnd receiving;
  bool acknowledgement_due = false;
  bool refusal_due = false;  ///< with that acknowledgement
};

}  // namespace morgana::gm
