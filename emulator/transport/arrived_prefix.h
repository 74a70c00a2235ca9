#pragma once

#include <algorithm>
#include <map>

#include "emulator/core/units.h"

namespace morgana {

/// Which bytes of a message have come, in whatever order: how far it is there without gaps. Costs no more
/// than a comparison while frames come in order.
class ArrivedPrefix {
 public:
  /// The bytes from `begin` up to before `end` have come, maybe again.
  /// @return whether the prefix has grown
  bool add(Bytes begin, Bytes end) {
    if (end <= prefix_ || end <= begin) return false;
    if (begin > prefix_) {
      Bytes& island = islands_[begin];
      island = std::max(island, end);
      return false;
    }
    prefix_ = end;
    for (auto next = islands_.begin(); next != islands_.end() && next->first <= prefix_;
         next = islands_.erase(next))
      prefix_ = std::max(prefix_, next->second);
    return true;
  }
  Bytes prefix() const { return prefix_; }

 private:
  Bytes prefix_;
  std::map<Bytes, Bytes> islands_;  ///< behind a gap: end by begin
};

}  // namespace morgana
