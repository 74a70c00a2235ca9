#pragma once

#include "emulator/routing/routing.h"

namespace morgana {

/// A routing over the fewest cables that is the same whatever the loads, and knows how many they are.
class MinimalRouting : public Routing {
 public:
  /// Cables between two switches, on the way that packets take.
  virtual unsigned hops(SwitchId from, SwitchId to) const = 0;
  /// Whether all of them may be used.
  virtual bool leads(SwitchId /*from*/, SwitchId /*to*/) const { return true; }
};

}  // namespace morgana
