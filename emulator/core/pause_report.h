#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"

namespace morgana {

/// The links that pause frames stopped, and the congested links behind that: a switch pauses an input whose
/// packets wait for an output; if that output is paused itself, what pauses it is the cause.
struct PauseReport {
  struct Link {
    LinkEnd from, to;
    bool operator==(const Link&) const = default;
    auto operator<=>(const Link&) const = default;
  };
  struct Paused {
    Link link;
    std::int64_t traffic_class = 0;
    std::int64_t pauses = 0;  ///< how often it was paused
    double share = 0;         ///< of the time in which the class was paused on the link, 0 to 1
    Link cause;               ///< of its last pause
    bool operator==(const Paused&) const = default;
  };
  /// A link that is not paused, for which packets queue.
  struct Congested {
    Link link;
    std::int64_t traffic_class = 0;
    std::int64_t pauses = 0;        ///< that it has caused, on all links
    std::int64_t links_paused = 0;  ///< by them
    double paused_links = 0;        ///< how many links it held, in the mean over the time
    /// Hosts whose packets queued for it when a pause began, and their share of these bytes; the largest
    /// share first.
    std::vector<std::pair<std::int64_t, double>> senders = {};
    bool operator==(const Congested&) const = default;
  };
  std::vector<Paused> paused = {};        ///< the longest paused first
  std::vector<Congested> congested = {};  ///< the one that held most links for longest first
  bool operator==(const PauseReport&) const = default;
};

/// As tables "Paused links", "Congested links behind pauses" and "Senders behind pauses"; none where nothing
/// was paused.
std::vector<CounterTable> pause_tables(const PauseReport& pauses);
/// What such tables among others say, also those of several rails ("rail 1: Paused links"), whose links are
/// then on them (LinkEnd::on_rail); empty without them.
PauseReport pauses_in(std::span<const CounterTable> tables);

}  // namespace morgana
