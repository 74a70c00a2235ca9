#pragma once

#include <cstdint>
#include <span>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// What an output port of a switch records in a unit that it sends (in-band telemetry, INT): Li et al.,
/// "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 3. The values are exact: they are not
/// rounded to the header's fields.
struct PortTelemetry {
  std::uint32_t port = 0;  ///< different from every other port of the network
  SimTime at{};            ///< when the unit's first bit leaves the port
  Bytes queue{};           ///< waiting for the port then, without the unit: on the link, gaps included
  Bytes sent{};            ///< by the port until then, without the unit: likewise
  BitRate rate{};          ///< of the port's link
};

/// A network whose switches record telemetry in the units that have space for it (Unit::telemetry_ports).
class TelemetryNetwork {
 public:
  /// Within UnitListener::unit_delivered: the records of the first ports that the unit passed, in their
  /// order, at most as many as the unit had space for.
  virtual std::span<const PortTelemetry> delivered_telemetry() const = 0;
  /// Within UnitListener::unit_delivered: the switches that the unit passed (what a TTL counts).
  virtual unsigned delivered_hops() const = 0;

 protected:
  ~TelemetryNetwork() = default;
};

}  // namespace morgana
