#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// The communication contexts of a run and the ranks that each holds, in order.
class ContextTable {
 public:
  /// @param world  so many ranks, the first ones, are members of world_context
  /// @param given_name  that the program has given to a context, empty if none; may be null
  ContextTable(std::size_t ranks, std::size_t world, std::function<std::string(Context)> given_name);

  /// Each member announces the context; all must name the same members.
  /// @param maker  the call by which the program made it, if that is known
  /// @throws Error naming `announcer`
  void announce(Context context, const std::vector<Rank>& members, Rank announcer,
                Call maker = Call::unknown);

  /// For the user: "MPI_COMM_WORLD"; "a communicator of 2 ranks (1, 3) made by MPI_Comm_split"; or, if it has
  /// a name, "communicator "halo" of 2 ranks (1, 3) made by MPI_Comm_split".
  std::string describe(Context context) const;

  bool knows(Context context) const { return contexts_.contains(context); }

  /// @throws Error naming `asker` if the context was never announced
  const std::vector<Rank>& members(Context context, Rank asker) const;
  /// The member's place among the members. @throws Error if it is none
  std::int32_t place_of(Rank rank, Context context) const;

 private:
  struct Members {
    std::vector<Rank> ranks;
    tsl::robin_map<Rank, std::int32_t> place;
    Call maker = Call::unknown;
  };
  const Members& find(Context context, Rank asker) const;

  tsl::robin_map<Context, Members> contexts_;
  std::size_t ranks_;
  std::function<std::string(Context)> given_name_;
};

}  // namespace morgana
