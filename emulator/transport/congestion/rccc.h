#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// RCCC, receiver-credit congestion control of Ultra Ethernet (Ultra Ethernet Specification 1.0, CMS): a host
/// gives its senders credit at a pace just below the rate of its cable. Defaults are those of the Ultra
/// Ethernet Consortium's simulator (htsim).
struct RcccParameters {
  double pace = 0.99;    ///< of the cable's rate; more than 0, at most 1
  unsigned packets = 4;  ///< payloads of so many full packets are one credit
};

/// What the sender of a flow may send. Credit and targets are counted from the flow's start, in bytes, so
/// that a lost or repeated credit does no harm.
///
/// A flow begins with `most` bytes of credit, on speculation; what is left of them is gone when the flow
/// hears from its receiver first. It may send a packet if its credit is more than 0, whatever the packet's
/// size. It never has more than `most`.
///
/// Each packet asks for credit up to a target: what was granted and, for the n flows that wait for the host's
/// port (1 at least), ceil(q / n), q = min(most, what the flow has to send) - credit. While the flow
/// speculates and has something to send, q is at least a packet.
class CreditedFlow {
 public:
  explicit CreditedFlow(Bytes most) : most_(most.count()), credit_(most_) {}

  bool may_send() const { return credit_ > 0; }
  void sent(Bytes packet) { credit_ -= packet.count(); }
  /// It hears from its receiver.
  void heard();
  /// A credit: in all `granted` bytes so far.
  void grant(std::int64_t granted);
  /// @param left  bytes that the flow has to send @param packet  a full one @param flows  n
  std::int64_t target(Bytes left, Bytes packet, std::size_t flows) const;
  std::int64_t credit() const { return credit_; }

 private:
  std::int64_t most_, credit_, granted_ = 0;
  bool speculates_ = true;
};

/// Whom a host gives credit, one after the other.
///
/// A flow asks with a target that is beyond those before it, or because a packet of it was trimmed or credit
/// does not come (remind); it joins the end of the line unless it is there. The first of the line gets one
/// credit, up to its target: also of no bytes, which repeats what it has got in all. If its target is still
/// beyond that it joins the end of the line, otherwise the end of the line of idle flows if it has got less
/// than `most` bytes beyond its target. Where no flow waits, the first idle one gets one credit beyond its
/// target, and joins the end of that line on the same condition: the credit with which it may begin to send
/// again.
///
/// After a credit of n bytes no sender gets one until n bytes (n = 0: 1,024) at `pace` of the cable's rate
/// have passed.
class CreditGiver {
 public:
  using Flow = std::uint32_t;
  struct Credit {
    Flow flow = 0;
    std::int64_t granted = 0;  ///< to the flow, in all
    SimTime until_next;
  };

  /// @param parameters  must outlive it @param rate  of the cable @param payload  of a full packet
  CreditGiver(const RcccParameters& parameters, BitRate rate, Bytes payload, Bytes most);

  void ask(Flow flow, std::int64_t target);
  /// A packet of it was trimmed, or credit may have been lost.
  void remind(Flow flow);
  /// Nothing: no sender is to get credit.
  std::optional<Credit> next();
  /// It gets none any more.
  void forget(Flow flow);

 private:
  struct Asked {
    std::int64_t target = 0, granted = 0;
    bool waits = false, idles = false;
  };
  void wait(Flow flow);

  double bits_per_picosecond_;
  std::int64_t credit_, most_;
  std::map<Flow, Asked> flows_;
  std::deque<Flow> line_, idle_;
};

}  // namespace morgana
