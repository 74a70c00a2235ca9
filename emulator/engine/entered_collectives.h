#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

#include "emulator/collectives/agreed_sizes.h"
#include "emulator/core/pool.h"
#include "emulator/engine/context_table.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// Which collectives ranks have entered: each from the first member that enters until the last has left. The
/// members of a context enter its collectives in one order (MPI 4.0, 6.12), so that the context and a number
/// name a collective; programs whose members differ are refused.
class EnteredCollectives {
 public:
  EnteredCollectives(const ContextTable& contexts, std::size_t ranks) : contexts_(contexts), turns_(ranks) {}

  struct Entry {
    std::uint32_t collective = 0;            ///< its number, as long as it is under way
    std::uint64_t sequence = 0;              ///< how many of the context the rank has entered before
    const std::vector<Rank>* all = nullptr;  ///< the members
    std::int32_t place = 0;                  ///< the rank's among them
  };
  /// The rank enters `operation`, a collective, at `now`; ranks enter in the order of time.
  /// @throws Error if that does not fit what other members have entered
  Entry enter(Rank rank, const Operation& operation, SimTime now);
  /// One of the members has done its part.
  void leave(std::uint32_t collective);

  // Of one that is under way.
  Context context_of(std::uint32_t collective) const { return entered_[collective].context; }
  bool all_have_entered(std::uint32_t collective) const {
    return entered_[collective].entered == entered_[collective].members;
  }
  /// The members that have not entered it yet, by place. @param asker  a member
  std::vector<Rank> missing(std::uint32_t collective, Rank asker) const;
  /// What the first to enter has said.
  const collectives::AgreedSizes& sizes(std::uint32_t collective) const { return entered_[collective].sizes; }
  /// What the members have given so far, by place; empty if none has given anything.
  const std::vector<std::uint64_t>& deposits(std::uint32_t collective) const {
    return entered_[collective].deposits;
  }
  /// When the member had entered without which this one could not continue; 0: it needs none. (Scalasca's
  /// Wait at Barrier, Wait at NxN, Late Broadcast and Early Reduce. Where members need only some of the
  /// others, as in scans, neighbourhoods and intercommunicators, nothing is said.)
  SimTime partner_at(std::uint32_t collective, Rank member) const;

 private:
  struct Entered {
    Context context{};
    CollectiveKind kind{};
    Call call{};
    std::int32_t root = 0, first_group = 0;
    Rank first_to_enter{};
    std::uint64_t sequence = 0;
    std::size_t members = 0, entered = 0, left = 0;
    std::vector<std::uint64_t> deposits;
    collectives::AgreedSizes sizes;
    // When members entered: the last, the root, and the first of the others.
    SimTime last_entry = {}, root_entry = {}, first_other_entry = SimTime::max();
  };
  struct Turn {  // one collective of a context, by its number in the order of calls
    Context context{};
    std::uint64_t sequence = 0;
    bool operator==(const Turn&) const = default;
  };
  struct TurnHash {
    std::size_t operator()(const Turn& turn) const;
  };

  std::uint32_t find_or_open(Rank rank, const Operation& operation, std::size_t members,
                             std::uint64_t sequence);
  static bool same_root(const Entered& entered, const CollectivePart& part);

  const ContextTable& contexts_;
  std::vector<tsl::robin_map<Context, std::uint64_t>> turns_;  // by rank: collectives entered
  tsl::robin_map<Turn, std::uint32_t, TurnHash> open_;
  Pool<Entered> entered_;
};

}  // namespace morgana
