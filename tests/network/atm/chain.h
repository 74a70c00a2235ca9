#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/network/atm/atm_network.h"
#include "emulator/topology/cable_plan.h"

namespace morgana::testing {

inline constexpr Link oc3{BitRate(155'520'000), SimTime()};
inline constexpr Link taxi{BitRate(140'000'000), SimTime()};
inline constexpr Link round_link{BitRate(424'000'000), SimTime()};  // a cell lasts 1 us

/// Switches in a line, to which hosts are spread.
inline CablePlan chain_plan(std::uint32_t switches, const Link& link, std::size_t hosts = 2) {
  return CablePlan::uniform(topology::chain(switches), hosts, link);
}
inline AtmParameters over(const CablePlan& plan) {
  AtmParameters parameters;
  parameters.network = plan.graph();
  return parameters;
}
inline AtmParameters chain(std::uint32_t switches, const Link& link, std::size_t hosts = 2) {
  return over(chain_plan(switches, link, hosts));
}
/// Two switches, hosts 0 and 1 on the first and host 2 on the second.
inline AtmParameters two_and_one(const Link& link) {
  CablePlan plan = chain_plan(2, link, 3);
  plan.hosts[1].at = 0;
  return over(plan);
}

}  // namespace morgana::testing
