#pragma once

#include <cstddef>
#include <optional>

#include "emulator/core/error.h"
#include "emulator/platform/resolve.h"
#include "emulator/schema/complaint.h"
#include "emulator/schema/schema.h"

namespace morgana {

/// Networks that hosts of several NICs are on (hosts.nics, hosts.rails): 1 where all NICs are on one.
std::size_t rails_of(const Settings& settings);

/// Ports that a host has on each of them.
std::size_t nics_on_rail(const Settings& settings);

/// network.faults names a rail that there is not, or names it wrong.
class NoSuchRail : public Error {
 public:
  using Error::Error;
};

/// The settings of one of several rails: of network.faults what is about it ("rail 1: cable 0-2 at 1 ms"), or
/// about all of them. @throws NoSuchRail
Settings settings_of_rail(const Settings& settings, std::size_t rail);

/// What does not go together with hosts of several NICs.
std::optional<Complaint> check_rails(const Resolved& platform);

}  // namespace morgana
