#include "emulator/platform/placement_checks.h"

namespace morgana {

void refuse_to_place_tasks(const Placement& placement) {
  using Kind = Placement::Kind;
  if (placement.kind == Kind::block || placement.kind == Kind::later) return;
  const std::string map = placement.kind == Kind::listed   ? placement.origin
                          : placement.kind == Kind::cyclic ? "cyclic"
                                                           : "spread";
  throw Error(
      "--map " + map +
      ": a PVM program spawns its tasks itself, and PVM spreads them over the hosts; leave out --map, "
      "and say with -n or hosts.count how many hosts there are");
}

std::string surplus_notice(std::size_t ranks, const Placement& placement) {
  if (placement.kind != Placement::Kind::listed || placement.hosts.size() <= ranks) return {};
  return placement.origin + ": it places " + std::to_string(placement.hosts.size()) + " ranks" +
         ", but there " + (ranks == 1 ? "is " : "are ") + std::to_string(ranks) +
         "; what it says of the others is not used";
}

}  // namespace morgana
