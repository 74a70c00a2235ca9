#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <functional>
#include <string>

#include "traces/otf2/network_metrics.h"

namespace morgana {

/// The location at which metrics of the network stand, and its location group: what their names are.
inline constexpr const char* metric_location_name = "network";

/// The events of all series, in order of time. @param writer  of their location
void write_metric_events(OTF2_EvtWriter* writer, const NetworkMetrics& metrics);

/// A metric class of one member for each series, recorded at `location`. Their texts are defined by then.
/// @param reference_of  a text's reference
void write_metric_definitions(OTF2_GlobalDefWriter* writer, const NetworkMetrics& metrics,
                              OTF2_LocationRef location,
                              const std::function<OTF2_StringRef(const std::string&)>& reference_of);

}  // namespace morgana
