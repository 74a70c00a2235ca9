#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/statistics.h"
#include "emulator/traffic/idle_times.h"
#include "emulator/traffic/message_sizes.h"
#include "emulator/traffic/network_traffic.h"
#include "emulator/traffic/pattern.h"

namespace morgana {

/// Messages of many sizes, which hosts cut into packets: flows. A host hands its NIC packets of all messages
/// that it sends one after the other (round robin), up to packets_ahead in advance. What a network loses is
/// not repeated.
struct MessageLoopSettings {
  MessageSizes sizes{Bytes(512)};
  /// Open loop: bytes of messages that are generated a nanosecond and host, without replies, > 0.
  double load = 0;
  TrafficSettings::Process process = TrafficSettings::Process::exponential;
  /// More than 0: a closed loop, in which each host has so many messages under way, and starts the next one
  /// when one is done; when one is lost, after what it takes alone, and least_wait at least. The first ones
  /// start at random within what a message takes alone.
  unsigned outstanding = 0;
  /// More than 0: a message's receiver answers with one of so many bytes, and the message is done when that
  /// has come.
  Bytes reply{0};
  Bytes packet{4'096};  ///< payload of a full packet, that the network carries
  /// In the order of generation: the first ones are not measured, the next ones are, until all are done.
  std::uint64_t warm_up = 1'000, messages = 10'000;
  std::uint64_t seed = 1;
};

inline constexpr unsigned packets_ahead = 16;
inline constexpr SimTime least_wait = SimTime::from_ps(1'000'000);

/// Of messages up to a size: how long they took, and how many times as long as alone in the network.
struct MessageTimes {
  Bytes up_to;             ///< the class before ends where this one begins
  Distribution ns;         ///< from generation until done
  Distribution slowdowns;  ///< these over IdleTimes; fewer if one is not known
  std::uint64_t lost = 0, unfinished = 0;
  std::uint64_t without_slowdown() const { return ns.summary().count() - slowdowns.summary().count(); }
};

struct MessageLoopResult {
  std::vector<MessageTimes> classes;  ///< by size, a factor of ten each; without empty ones
  MessageTimes all;
  std::uint64_t measured = 0;    ///< messages
  std::uint64_t lost = 0;        ///< of these: a packet of theirs was lost
  std::size_t lost_hosts = 0;    ///< that have sent these
  std::uint64_t unfinished = 0;  ///< of these, when the measurement was given up
  bool overloaded = false;       ///< given up: ever more messages were under way in an open loop
  /// Of requests and replies, bytes a nanosecond and host, from the first measured message's generation on.
  double delivered = 0;
  std::string standstill;  ///< Network::standstill, if it was given up
};

/// @throws Error if no host sends, and as the network
MessageLoopResult run_messages(const NetworkUnderTest& network, const Destinations& destinations,
                               const MessageLoopSettings& settings);

}  // namespace morgana
