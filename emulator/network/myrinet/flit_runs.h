#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/myrinet/agenda.h"
#include "emulator/network/myrinet/worms.h"

namespace morgana::myrinet {

/// Which flits the channels' senders have started, and which have arrived: no event for a flit, but *runs* of
/// flits that start one flit time apart. Of each channel the runs are remembered that still have flits on the
/// cable, and the last one; each continues with the flit at which the one before ended, no earlier than a
/// flit time after its last one.
class FlitRuns {
 public:
  /// @param channels  how many have a cable. @param flit, cable  in picoseconds, >= 1
  FlitRuns(Agenda agenda, std::size_t channels, Time flit, Time cable);

  Time flit() const { return flit_; }
  /// Flits that the sender has started until now, now included.
  Count started(const Channel& channel) const;
  Count started_before_now(const Channel& channel) const;
  /// When the sender's present run is over.
  Time end_of_run(const Channel& channel) const {
    return channel.run_start + (channel.run_end - channel.run_first) * flit_;
  }
  /// When a flit arrives at the channel's receiver, as far as is known: `never` if its start is not planned,
  /// some time in the past if it has been there for long.
  Time arrival(Index channel, Count flit) const;
  /// Flits that have arrived at the receiver until now, now included.
  Count arrived(Index channel) const;
  /// How far flits could be taken from the channel's receiver, one each flit time from now on, beginning with
  /// `from`: the first one that isn't there in time, or is at or behind `all` (then perhaps some more).
  Count there_in_time(Index channel, Count from, Count all) const;

  /// A run has been started or planned, from `start` on. The flits are those behind the last run's.
  void remember(Index channel, Time start, Count first, Count end);
  /// The last run ends elsewhere; it is forgotten if nothing is left of it.
  void end_last(Index channel, Count end);

 private:
  struct OnCable {
    std::uint32_t runs = 0;  // that are remembered: those with flits on the cable and the last one
    Count before = 0;        // flits that have arrived, where none is remembered
  };

  Agenda agenda_;
  Time flit_, cable_;
  std::size_t room_;  // runs that are remembered of a channel, at most
  std::vector<OnCable> on_cable_;
  std::vector<Run> runs_;  // room_ for each channel
};

}  // namespace morgana::myrinet
