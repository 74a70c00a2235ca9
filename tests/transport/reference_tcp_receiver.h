#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/transport/tcp/parameters.h"

namespace morgana::testing::tcp_reference {

using Octet = std::int64_t;  ///< its number in a stream, from 0

/// The octets begin .. end-1.
struct Octets {
  Octet begin = 0, end = 0;
  Octet size() const { return end - begin; }
};

struct Segment {
  std::uint64_t incarnation = 0;
  bool syn = false, ack = false, ece = false, cwr = false, ce = false;
  Octets data;
  Octet acknowledges = 0;
  SimTime value, echo;
  std::vector<Octets> sack;
};

/// Octets with a flag each.
class Flags {
 public:
  bool operator[](Octet octet) const { return octet < top() && flags_[static_cast<std::size_t>(octet)] != 0; }
  void set(Octet octet) {
    if (octet >= top()) flags_.resize(static_cast<std::size_t>(octet) + 1);
    flags_[static_cast<std::size_t>(octet)] = 1;
  }
  Octet top() const { return static_cast<Octet>(flags_.size()); }

 private:
  std::vector<char> flags_;
};

/// The rules of tcp::Receiver's header: every octet that has come has a flag, every segment beyond the gap a
/// line in a list.
class ReferenceReceiver {
 public:
  explicit ReferenceReceiver(const TcpParameters& parameters) : p(parameters) {}

  /// What an acknowledgement says; nothing is owed from now on.
  Segment acknowledge(bool with_blocks) {
    Segment said;
    said.ack = true;
    said.acknowledges = expected;
    said.echo = echo;
    said.ece = echoes_mark;
    if (with_blocks && p.sack) said.sack = blocks();
    last_acknowledged = expected;
    owed = 0;
    return said;
  }

  /// @return whether it is acknowledged at once. @param before  the acknowledgement that goes first
  bool take(const Segment& segment, std::optional<Segment>& before) {
    bool at_once = false;
    if (p.control == TcpParameters::Control::dctcp) {
      if (segment.ce != echoes_mark) {
        if (owed > 0) before = acknowledge(true);
        at_once = true;
      }
      echoes_mark = segment.ce;
    } else if (p.ecn) {
      if (segment.ce)
        echoes_mark = true;
      else if (segment.cwr)
        echoes_mark = false;
    }
    if (segment.data.begin <= last_acknowledged) echo = std::max(echo, segment.value);
    if (++segments <= p.quick_acknowledgements) at_once = true;
    const bool in_order = segment.data.begin <= expected && expected < segment.data.end;
    if (!in_order || beyond_gap()) at_once = true;
    for (Octet octet = segment.data.begin; octet < segment.data.end; ++octet) has.set(octet);
    while (has[expected]) ++expected;
    if (segment.data.end > expected) came_early.push_back(segment.data);
    std::erase_if(came_early, [this](const Octets& early) { return early.end <= expected; });
    ++owed;
    return at_once || owed >= p.acknowledge_every;
  }

  Octet expected = 0;
  std::int64_t owed = 0;
  SimTime echo;

 private:
  bool beyond_gap() const { return has.top() > expected; }
  /// The whole ranges beyond the gap, by the segment of each that came last.
  std::vector<Octets> blocks() const {
    std::vector<std::pair<std::size_t, Octets>> ranges;
    for (Octet octet = expected; octet < has.top(); ++octet) {
      if (!has[octet]) continue;
      if (!has[octet - 1]) ranges.push_back({0, {octet, octet}});
      ranges.back().second.end = octet + 1;
    }
    for (auto& [last, range] : ranges)
      for (std::size_t segment = 0; segment < came_early.size(); ++segment)
        if (came_early[segment].begin < range.end && range.begin < came_early[segment].end) last = segment;
    std::sort(ranges.begin(), ranges.end(),
              [](const auto& one, const auto& other) { return one.first > other.first; });
    std::vector<Octets> all;
    for (const auto& [last, range] : ranges)
      if (all.size() < (p.timestamps ? 3U : 4U)) all.push_back(range);
    return all;
  }

  const TcpParameters& p;
  Flags has;
  std::vector<Octets> came_early;  // in the order of coming
  Octet last_acknowledged = 0;
  std::int64_t segments = 0;
  bool echoes_mark = false;
};

}  // namespace morgana::testing::tcp_reference
