#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "emulator/core/time.h"
#include "emulator/transport/ece/engine.h"
#include "emulator/transport/pcaal/pdu.h"

namespace morgana::ece {

using pcaal::Number;

/// A time on the sender's clock in whole microseconds, modulo 2^32.
using Stamp = std::uint32_t;
constexpr SimTime stamp_unit = SimTime::from_ps(1'000'000);
constexpr Stamp stamp_of(SimTime on_clock) {
  return static_cast<Stamp>(on_clock / stamp_unit);
}
/// From one time to another that is less than 2^31 us away; below zero if `to` lies before.
constexpr std::int32_t microseconds(Stamp from, Stamp to) {
  return static_cast<std::int32_t>(to - from);
}

/// User data in a cell: the stamp takes three of the 35 octets that cells without have.
constexpr std::uint32_t room_for_data = 32;
/// Elements of a status cell's list: T_o has an LSTAT's seventh place.
constexpr std::size_t longest_stat = pcaal::longest_list, longest_lstat = pcaal::longest_list - 1;

/// Sequenced data. An SD carries the low 24 bits of its stamp only.
struct Sd {
  pcaal::Sd data;
  Stamp sent;  ///< below 2^24
  bool operator==(const Sd&) const = default;
};
constexpr Stamp carried_by_sd(Stamp stamp) {
  return stamp & 0xffffff;
}
/// The stamp of which an SD carried these bits, if that is less than 2^23 us, some 8 s, away from `now`.
constexpr Stamp restored_from_sd(Stamp carried, Stamp now) {
  const Stamp back = (now - carried) & 0xffffff;
  return back < 0x800000 ? now - back : now + (0x1000000 - back);
}

struct Poll {
  pcaal::Poll poll;
  Stamp sent;
  bool operator==(const Poll&) const = default;
};
/// A cell of the Latency Monitoring Engine and nothing else.
struct Lme {
  Stamp sent;
  bool operator==(const Lme&) const = default;
};
/// One cell of a STAT. It has the mode in which its sender, the receiver of data, is: should an LSTAT be
/// lost, the next STAT makes up for it.
struct Stat {
  pcaal::Stat status;
  LatencyMode mode;
  bool operator==(const Stat&) const = default;
};
/// Latency-triggered STAT: the mode changes to `mode`, as of the cell sent at T_o.
struct Lstat {
  pcaal::Stat status;
  LatencyMode mode;
  Stamp since;  ///< T_o
  bool operator==(const Lstat&) const = default;
};
using Ustat = pcaal::Ustat;
/// The sender's time, for the receiver's clock.
struct Clock {
  Stamp sent;
  bool operator==(const Clock&) const = default;
};
using Pdu = std::variant<Sd, Poll, Lme, Stat, Lstat, Ustat, Clock>;

/// The cell's payload: PC-AAL's (pcaal::encode, several PC-PDUs), with the stamp in the last octets before
/// the type (figure 6.5): three of an SD, four of POLL, LME and Clock. An LSTAT has T_o before N(PS). New
/// types are 13 (LME), 14 (LSTAT) and 15 (Clock); the type's highest free bit is a status' mode.
/// @param data  the PC-PDUs of an SD, no more than room_for_data
pcaal::Cell encode(const Pdu& pdu, std::span<const std::uint8_t> data = {});
/// Nothing if the check or the type is wrong.
std::optional<Pdu> decode(const pcaal::Cell& cell);

}  // namespace morgana::ece
