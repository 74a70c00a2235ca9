#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/time.h"
#include "emulator/host/host_id.h"

namespace morgana::overlay {

/// A direct channel between two stations, in both directions. An ATM connection has the same identifier
/// (VPI/VCI) for both at each of its ends.
struct DirectChannel {
  enum class State : std::uint8_t { closed, asked_for, open, closing };
  HostId lower, higher;
  State state = State::closed;
  /// Whether that station may send over it: of a channel that closes, until the station knows.
  bool lower_may_send = false, higher_may_send = false;
  SimTime used_last;
  SimTime ask_from;  ///< after a refusal
  std::int64_t set_up = 0, released = 0, refused = 0;

  bool may_send(HostId from) const { return from == lower ? lower_may_send : higher_may_send; }
  void stop(HostId from) { (from == lower ? lower_may_send : higher_may_send) = false; }
  void open(SimTime now);
};

/// Which stations have a direct channel, and how many identifiers each has left for more.
class DirectChannels {
 public:
  /// @param identifiers  that each station has, without that of its permanent channel; nothing: any number
  DirectChannels(std::size_t stations, std::optional<std::uint32_t> identifiers);

  bool has_free(HostId station) const { return !limited_ || free_[index(station)] > 0; }
  /// @return whether it had one
  bool take(HostId station);
  void give_back(HostId station);
  /// Of each station, for tests; nothing where their number is not limited.
  const std::vector<std::uint32_t>& free() const { return free_; }

  DirectChannel& between(HostId a, HostId b);
  const DirectChannel* find(HostId a, HostId b) const;
  /// The channel of a station's open ones that has been unused for the longest time, if that is not
  /// since `until`; of several such, that with the lowest peer.
  DirectChannel* longest_idle(HostId station, SimTime until);
  void opened(DirectChannel& channel, SimTime now);
  void closed(DirectChannel& channel);

  const std::vector<DirectChannel>& all() const { return channels_; }
  CounterTable counted() const;

 private:
  std::uint64_t key(HostId a, HostId b) const;

  bool limited_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<HostId>> peers_;  // of each station, over channels that are open or close
  std::vector<DirectChannel> channels_;     // that were ever asked for
  std::unordered_map<std::uint64_t, std::size_t> place_;  // in channels_, by both stations; never iterated
};

}  // namespace morgana::overlay
