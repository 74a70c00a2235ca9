#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/agent/frame.h"

namespace morgana {

/// How much ranks have said to the emulator, and how much of that it has taken: a rank may be ahead of it by
/// `most_untaken` operations.
class SaidOperations {
 public:
  explicit SaidOperations(std::size_t ranks) : of_(ranks) {}

  bool may_say_more(Rank rank) const {
    const Counts& counts = of_[index(rank)];
    return counts.said < counts.taken + most_untaken;
  }
  void note_said(Rank rank, OperationKind kind) {
    Counts& counts = of_[index(rank)];
    ++counts.said;
    counts.has_exited = counts.has_exited || kind == OperationKind::exit;
  }
  bool has_exited(Rank rank) const { return of_[index(rank)].has_exited; }
  /// @param taken  so far. @throws MalformedFrame if it is more than was said
  void note_taken(Rank rank, std::uint64_t taken) {
    Counts& counts = of_[index(rank)];
    if (taken > counts.said) throw MalformedFrame("more was taken than was said");
    counts.taken = taken;
  }

 private:
  struct Counts {
    std::uint64_t said = 0, taken = 0;
    bool has_exited = false;
  };
  std::vector<Counts> of_;
};

}  // namespace morgana
