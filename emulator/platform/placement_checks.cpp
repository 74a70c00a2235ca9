#include "emulator/platform/placement_checks.h"

namespace morgana {

void refuse_to_place_tasks(const Placement& placement) {
  using Kind = Placement::Kind;
  if (placement.kind == Kind::later || (placement.kind == Kind::block && placement.per_host == 0)) return;
  const std::string option = placement.per_host > 0 ? "--ranks-per-host " + std::to_string(placement.per_host)
                                                    : "--map " + name_of(placement);
  throw Error(
      option + ": a PVM program spawns its tasks itself, and PVM spreads them over the hosts; leave out " +
      option.substr(0, option.find(' ')) +
      ", and say with --set hosts.count=N how many hosts there are (-n N of `morgana run` does so, too)");
}

std::string surplus_notice(std::size_t ranks, const Placement& placement) {
  if (placement.kind != Placement::Kind::listed || placement.hosts.size() <= ranks) return {};
  return placement.origin + ": it places " + std::to_string(placement.hosts.size()) + " ranks" +
         ", but there " + (ranks == 1 ? "is " : "are ") + std::to_string(ranks) +
         "; what it says of the others is not used";
}

}  // namespace morgana
