#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/shared.h"

namespace morgana::rc {

/// What a responder owes: an acknowledgement or a NAK of `first`, or the read responses `first` .. `end`-1.
/// A NAK for a sequence error with selective repeat answers the packet `end`.
struct Response {
  PacketKind kind = PacketKind::acknowledgement;
  Psn first = 0, end = 0;
  Bytes bytes{};           ///< of the responses that are left
  bool has_begun = false;  ///< its first packet has been sent
  SimTime ready{};         ///< for its first packet to leave
};

/// The receives that a queue pair posts: taken, they are posted again some time after the delivery.
class PostedReceives {
 public:
  /// @param receives  that are posted; 0: always enough
  explicit PostedReceives(std::int64_t receives) : receives_(receives) {}
  /// Takes one that is posted. @return false if none is
  bool take(SimTime now);
  /// The one that was taken first of those not named yet is posted again then.
  void post_again(SimTime at) {
    if (receives_ > 0) reposts_.push_back(at);
  }

 private:
  std::int64_t receives_, used_ = 0;
  std::vector<SimTime> reposts_;
};

/// How a queue pair answers the requests of its peer.
class Responder {
 public:
  explicit Responder(QueuePair& pair);

  /// Lines up at the port if it may answer: to be called when that may have changed.
  void proceed();
  /// Its turn at the port has come.
  void take_turn();
  /// Whether the packet whose turn it is has a payload that is fetched.
  bool fetches() const;
  void packet_departed() { in_port_ = false; }
  /// A request has come.
  void gets(const Header& request);
  /// The first PSN that it has not accepted.
  Psn expected() const { return expected_; }
  /// What it owes.
  void forget_responses() { responses_.clear(); }

 private:
  bool wants_to_respond() const;
  bool is_data_next() const { return is_data(responses_.front().kind); }
  void send();
  void take(const Header& request);
  void take_with_kept(const Header& request);
  bool accept(const Header& request);
  void owe(const Response& response);
  void owe_nak(PacketKind kind, Psn end);

  QueuePair& pair_;
  Shared& shared_;
  Psn expected_ = 0;
  Psn answered_ = 0;                 // no read response from here on has been sent
  std::map<Psn, Header> early_;      // ahead of it
  SimTime in_memory_;                // all packets that were accepted are there
  bool silent_ = false;              // it has sent a NAK and says nothing until the expected packet comes
  std::vector<Response> responses_;  // few: what is owed and has not left
  bool in_line_ = false, in_port_ = false;
  PostedReceives receives_;
};

}  // namespace morgana::rc
