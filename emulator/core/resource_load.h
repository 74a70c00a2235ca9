#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/time.h"

namespace morgana {

/// What messages pass other than links, and wait for: a host's bus or memory, a medium that all hosts share.
struct ResourceLoad {
  /// Where they pass it: on their way out of a host, between hosts, or on their way into one; or that
  /// processors wait for it, which copy or add up.
  enum class Place : std::uint8_t { sending, shared, receiving, memory } place = Place::shared;
  std::string name;          ///< of all of its kind, with the key that says how fast they are
  std::uint32_t number = 0;  ///< of the host (of its NIC, where a host has several); 0 of what is shared
  double utilisation = 0;    ///< share of the time in which it was in use, 0 to 1
  bool operator==(const ResourceLoad&) const = default;
};

/// A table of resources of one kind, without rows: a row is a host's number (0 of what is shared) and the
/// share of the time in which its resource was in use. It is titled by `name`. @param place  not memory
CounterTable share_in_use(ResourceLoad::Place place, const std::string& name);
/// Likewise, but rows have the time of use.
CounterTable time_in_use(ResourceLoad::Place place, const std::string& name);
/// The second value of a row of time_in_use().
double use_of(SimTime time);

/// What such tables among others say, those of rails ("rail 1: ...") as of all; likewise "I/O buses" and
/// "memories". @param end  what times are shares of, > 0
std::vector<ResourceLoad> resources_in(std::span<const CounterTable> tables, SimTime end);

}  // namespace morgana
