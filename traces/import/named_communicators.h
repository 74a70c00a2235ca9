#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/import/operation_queue.h"

namespace morgana {

/// Communicators that a trace defines by a number and its members, as those of Paraver and Dimemas do.
class NamedCommunicators {
 public:
  struct Defined {
    Context context = world_context;
    std::vector<Rank> members;  ///< none: the definition names ranks that there are not
    std::optional<std::int32_t> place_of(Rank rank) const {
      const auto found = places.find(static_cast<std::int32_t>(rank));
      return found == places.end() ? std::nullopt : std::optional(found->second);
    }
    std::unordered_map<std::int32_t, std::int32_t> places;  ///< by rank
  };

  /// @param ranks  how many the trace has
  /// @param members  ranks, from 0; may be out of range: then using the communicator is an error
  /// @return why it can't be defined: it is already; empty if it can
  std::string define(std::int64_t number, const std::vector<std::int64_t>& members, std::size_t ranks);
  /// Null if there is none that can be used.
  const Defined* find(std::int64_t number) const;
  std::size_t size() const { return all_.size(); }

 private:
  std::unordered_map<std::int64_t, Defined> all_;
};

/// The communicators that a rank has used: the first use of each announces it.
class UsedCommunicators {
 public:
  void use(const NamedCommunicators::Defined& communicator, OperationQueue& queue);

 private:
  std::unordered_map<std::uint64_t, bool> announced_;
};

/// What each member gives and gets in the collectives whose sizes differ by member: Paraver and Dimemas have
/// two sums of each member only.
class CollectiveSums {
 public:
  struct Sums {
    std::int64_t given = 0, received = 0;  ///< bytes
  };

  static bool needs_all(CollectiveKind kind);
  /// The next one of such a kind that a member takes part in.
  void add(std::int64_t communicator, std::int32_t member, std::size_t members, Sums sums);
  /// A member's part in the collective. `part` has its kind and root. What is in place is not counted as
  /// given (scatter and scatterv: as received): it follows from the other sums.
  /// @param number  how many of the kinds of needs_all() the member has had on this communicator before
  /// @return whether the sums say too little, so that members get equal parts of them
  bool fill(CollectivePart& part, std::int64_t communicator, std::int32_t member, std::size_t members,
            Sums own, std::size_t number) const;

 private:
  using Sizes = std::vector<std::int64_t>;
  Sizes of_all(std::int64_t communicator, std::size_t number, std::int64_t Sums::*which) const;

  /// By communicator and member: of each of its calls.
  std::unordered_map<std::int64_t, std::vector<std::vector<Sums>>> all_;
};

/// The call of a collective, "MPI_Allreduce". @param kind  a plain one, no neighbourhood
Call blocking_call(CollectiveKind kind);
/// "MPI_Iallreduce"
Call nonblocking_call(CollectiveKind kind);
bool has_a_root(CollectiveKind kind);

}  // namespace morgana
