#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

/// What a sender and a receiver of Ultra Ethernet's transport keep of a connection, plainly: every packet
/// for ever.
namespace morgana::testing::uet_reference {

using Psn = std::int64_t;

/// What a receiver says.
struct Report {
  Psn expected = 0;         ///< all before it have come
  std::vector<Psn> others;  ///< that have come, as far as the bitmap reaches
  Psn packet = 0;
  bool marked = false, repeated = false;
  std::int64_t bytes = 0;
};

/// What goes over the network.
enum class Kind : std::uint8_t { data, acknowledgement, nack, credit, request };
struct Packet {
  Kind kind;
  std::size_t connection;  ///< of the data
  std::uint32_t entropy = 0;
  Psn psn = 0;
  bool asks = false, departs = false;
  unsigned times = 0;
  bool at_last_switch = false;  ///< where it was trimmed
  std::int64_t credit = 0;      ///< the target of data and requests, the bytes granted of credit
  Report report{};
};

struct Arrival {
  Psn psn = 0;
  std::int64_t size = 0;  ///< on the sender's link
  bool marked = false, asks = false, repeated = false;
};

class ReferenceInbound {
 public:
  std::int64_t early = 0;

  bool has(Psn psn) const { return came_.contains(psn); }

  /// @return whether an acknowledgement is to go
  bool take(const Arrival& packet, std::int64_t acknowledge_bytes) {
    bool goes = has(packet.psn) || came_.empty() || packet.marked || packet.asks;
    if (!has(packet.psn)) {
      wanted_ |= packet.asks;
      early += packet.psn > expected() ? 1 : 0;
      came_.insert(packet.psn);
      bytes_ += packet.size;
      unreported_ += packet.size;
    }
    const bool misses_none = *came_.rbegin() < expected();
    if (wanted_ && misses_none) {
      goes = true;
      wanted_ = false;
    }
    return goes || unreported_ >= acknowledge_bytes;
  }

  Report report(const Arrival& packet) {
    unreported_ = 0;
    Report all{expected(), {}, packet.psn, packet.marked, packet.repeated, bytes_};
    constexpr Psn bits = 64;
    const Psn first = std::max(expected() + 1, packet.psn - bits + 1);
    for (Psn psn = first; psn < first + bits; ++psn)
      if (has(psn)) all.others.push_back(psn);
    return all;
  }

 private:
  Psn expected() const {
    Psn psn = 0;
    while (has(psn)) ++psn;
    return psn;
  }
  std::set<Psn> came_;
  std::int64_t bytes_ = 0, unreported_ = 0;
  bool wanted_ = false;
};

/// A packet of a sender.
struct Outgoing {
  enum class State : std::uint8_t { new_one, under_way, to_repeat, acknowledged };
  std::int64_t payload = 0, size = 0;
  std::size_t message = 0;
  State state = State::new_one;
  std::int64_t sent_at = 0;
  std::uint32_t entropy = 0;
  unsigned times = 0, timeouts = 0;
};

class ReferenceOutbound {
 public:
  using State = Outgoing::State;
  std::vector<Outgoing> packets;
  std::int64_t under_way = 0;  ///< bytes

  bool any(State state) const {
    return std::any_of(packets.begin(), packets.end(),
                       [state](const Outgoing& packet) { return packet.state == state; });
  }
  /// The lowest one; -1: none.
  Psn first(State state) const {
    for (std::size_t psn = 0; psn < packets.size(); ++psn)
      if (packets[psn].state == state) return static_cast<Psn>(psn);
    return -1;
  }
  /// That are still to be sent, for the first time or again.
  std::int64_t left() const {
    std::int64_t bytes = 0;
    for (const Outgoing& packet : packets)
      if (packet.state == State::new_one || packet.state == State::to_repeat) bytes += packet.size;
    return bytes;
  }
  Outgoing& operator[](Psn psn) { return packets[static_cast<std::size_t>(psn)]; }

  void sends(Psn psn, std::int64_t now) {
    Outgoing& packet = (*this)[psn];
    packet.state = State::under_way;
    packet.sent_at = now;
    ++packet.times;
    under_way += packet.size;
  }
  void give_up(Psn psn) {
    Outgoing& packet = (*this)[psn];
    packet.state = State::to_repeat;
    under_way -= packet.size;
  }
  /// The round trip that the report measures; 0: none.
  std::int64_t round_trip(const Report& report, std::int64_t now) {
    const Outgoing& packet = (*this)[report.packet];
    const bool knows = packet.times == 1 || (packet.times == 2 && report.repeated);
    return packet.state == State::under_way && knows ? now - packet.sent_at : 0;
  }
  /// @param newly  gets the packets that were not acknowledged before @return the bytes that have come since
  std::int64_t take(const Report& report, std::vector<Psn>& newly) {
    const std::int64_t more = std::max<std::int64_t>(0, report.bytes - came_);
    came_ += more;
    under_way -= more;
    std::vector<Psn> named = report.others;
    for (Psn psn = 0; psn < report.expected; ++psn) named.push_back(psn);
    for (const Psn psn : named) {
      if ((*this)[psn].state == State::acknowledged) continue;
      if ((*this)[psn].state == State::to_repeat) under_way += (*this)[psn].size;
      (*this)[psn].state = State::acknowledged;
      newly.push_back(psn);
    }
    if (!any(State::under_way) && !any(State::to_repeat)) under_way = 0;
    return more;
  }

 private:
  std::int64_t came_ = 0;
};

}  // namespace morgana::testing::uet_reference
