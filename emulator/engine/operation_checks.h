#pragma once

#include <cstddef>

#include "emulator/operations/operation.h"

namespace morgana {

/// Whether operations make sense on a machine of so many ranks. Each function throws Error, naming the rank
/// and its call, for one that does not.
class OperationChecks {
 public:
  explicit OperationChecks(std::size_t ranks);

  /// What all ranks together may name is still a number of bytes.
  void size(Rank rank, const Operation& operation, Bytes size) const {
    if (size < Bytes(0) || size > largest_size_) refuse_size(rank, operation, size);
  }
  /// Of the whole operation, with its parts of a collective.
  void sizes(Rank rank, const Operation& operation) const;
  /// @param wildcard  whether it may name any rank (receives and probes)
  void peer(Rank rank, const Operation& operation, bool wildcard) const;
  /// Peer, context and tag.
  void envelope(Rank rank, const Operation& operation, bool wildcard) const;

 private:
  [[noreturn, gnu::cold]] void refuse_size(Rank rank, const Operation& operation, Bytes size) const;

  std::size_t ranks_;
  Bytes largest_size_;  ///< in one operation of one rank
};

}  // namespace morgana
