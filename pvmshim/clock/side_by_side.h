#pragma once

#include "pvmshim/channel/rank_channel.h"

namespace morgana {

/// Ranks that poll at each other keep within the least distance of each other, without the emulator: one that
/// is ahead gives the others a while to catch up. It shows first where it has come, computing since its last
/// poll included: otherwise ranks that compute for longer than the least distance between polls would each
/// wait for the other. And it does not wait for what can't come: where the emulator knows of an event before
/// `now`, or another rank has said something to it meanwhile, only the emulator can tell more.
/// @param answer  to the last such poll, which found nothing
/// @param now  when the rank polls again
/// @return whether that finds nothing either
template <typename Channel>
bool others_let_it_go_on(Channel& channel, const Answer& answer, SimTime now) {
  if (answer.computing.empty()) return false;
  constexpr int looks = 100;
  channel.show_reached(now);
  SimTime seen;
  do {
    for (int look = 0; look < looks; ++look) {
      const RankChannel::Quiet quiet = channel.quiet(answer);
      if (now < quiet.until) return true;
      if (now >= quiet.at_most) return false;
      if (quiet.until > seen) look = 0;  // they come
      seen = quiet.until;
    }
  } while (channel.give_way(answer, now));
  return false;
}

}  // namespace morgana
