#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/messaging/machine.h"
#include "emulator/platform/resolve.h"
#include "emulator/schema/complaint.h"
#include "emulator/schema/schema.h"

namespace morgana {

/// [background], as it is written.
struct BackgroundSettings {
  BackgroundParameters parameters;
  std::string pattern = "uniform";
  std::vector<std::string> hosts;
  std::int64_t traffic_class = 0;  ///< 0: the transport's choice; else one more than the class
  std::int64_t seed = 0;           ///< 0: the run's
};
const Table<BackgroundSettings>& background_table();

/// What is wrong with [background], or does not fit the rest of the platform. Without a load nothing needs to
/// fit.
std::optional<Complaint> check_background(const Resolved& platform);

bool has_background(const Settings& settings);

/// Gives the machine the platform's background traffic, which begins at once.
/// @param ports  of the network, to all of which the machine's transport sends
/// @param seed  of the run
/// @throws Error for hosts that there are not, and patterns that do not fit their number
void add_background(Machine& machine, const Settings& settings, const NetworkTopology& topology,
                    std::size_t ports, std::uint64_t seed);

}  // namespace morgana
