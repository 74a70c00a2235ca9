#pragma once

#include <span>
#include <vector>

#include "emulator/engine/collective_runner.h"
#include "emulator/engine/rank_processors.h"
#include "emulator/engine/releases.h"

namespace morgana {

/// What comes into ranks' sockets, where kernels copy (Transport::copies_in_kernels), and when ranks'
/// libraries read it. Reading takes the rank's processor, which the steps of its collectives share
/// (RankProgress); pieces are read in the order in which they came.
///
/// A library reads while its rank is in a call that makes progress: each piece as soon as the processor is
/// free, be it what the rank waits for or not. What has come since the last such call is read when the next
/// begins, and a call does not end while its processor reads. A test reads only what was there when it began.
/// A rank that shares its processor reads when it is its turn and something is done. A wait that ends at its
/// limit is time that passes in a call, as it is in a replay (RankState::asleep_in_call): it ends at once,
/// and what its processor was at delays the next call.
class SocketReads {
 public:
  /// All of them must outlive this object.
  SocketReads(EventQueue& events, std::vector<RankState>& ranks, CollectiveRunner& collectives,
              const RankProcessors& processors, const Releases& releases)
      : events_(events),
        ranks_(ranks),
        collectives_(collectives),
        processors_(processors),
        releases_(releases) {}

  /// A piece has come, which takes `cost` to be read. @param origin  of its message, as of a whole one
  void came(Rank rank, SimTime cost, const Origin& origin);
  /// The rank's operation begins, which makes progress.
  void begin_call(Rank rank) {
    if (are_any_) begin_reading(rank);
  }
  /// Its operation goes on, on its processor: what has come is read.
  void catch_up(Rank rank);
  /// What has been read in the rank's operation: wanted from when it came on.
  std::span<const RankProgress::Work> of_call(Rank rank) const { return collectives_.progress(rank).reads; }
  /// The rank's operation ends at `at`. @return then, or when its processor has read what it is at
  SimTime end_call(Rank rank, SimTime at) { return are_any_ ? end_reading(rank, at) : at; }
  /// The same of one that was a sleep, or a wait whose limit was reached.
  void end_at_limit(Rank rank);

 private:
  bool reads_now(Rank rank) const;
  void begin_reading(Rank rank);
  SimTime end_reading(Rank rank, SimTime at);
  void read(RankProgress& progress, SimTime cost);

  EventQueue& events_;
  std::vector<RankState>& ranks_;
  CollectiveRunner& collectives_;
  const RankProcessors& processors_;
  const Releases& releases_;
  bool are_any_ = false;  ///< something has come, of any rank
};

}  // namespace morgana
