#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/network/atm/atm_network.h"

namespace morgana::testing {

inline constexpr atm::Link oc3{BitRate(155'520'000), SimTime()};
inline constexpr atm::Link taxi{BitRate(140'000'000), SimTime()};
inline constexpr atm::Link round_link{BitRate(424'000'000), SimTime()};  // a cell lasts 1 us

/// Switches in a line, to which hosts are spread.
inline AtmParameters chain(std::uint32_t switches, const atm::Link& link, std::size_t hosts = 2) {
  AtmParameters parameters;
  parameters.topology = atm::Topology::chain(switches, hosts, link);
  return parameters;
}

}  // namespace morgana::testing
