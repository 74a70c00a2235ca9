#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/time.h"

namespace morgana {

/// Where a link begins or ends: at a port of a switch, or at a host's NIC, which is the host's port 0.
struct LinkEnd {
  enum class Kind : std::uint8_t { switch_port, host } kind = Kind::host;
  std::uint32_t number = 0;  ///< of the switch or the host
  std::uint32_t port = 0;
  /// Of a network of several rails: which of them, and the number of the switch or the host there. `number`
  /// differs for all rails: host h's NIC on rail r of n is h * n + r.
  struct OnRail {
    std::uint32_t rail = 0, number = 0;
    auto operator<=>(const OnRail&) const = default;
  };
  std::optional<OnRail> on_rail = {};
  bool is_host() const { return kind == Kind::host; }
  auto operator<=>(const LinkEnd&) const = default;
};

/// One direction of a link, and what has gone along it.
struct LinkLoad {
  LinkEnd from, to;
  std::int64_t carried = 0;         ///< the program's, in the network's units
  double utilisation = 0;           ///< share of the time in which something was sent, others' traffic too
  std::optional<double> stopped{};  ///< share of the time in which the receiver had stopped the sender
  /// How long it will take to send what is queued for the link at this moment, that in transmission counted;
  /// others' traffic too. Nothing where links have no queues, as where receivers stop senders.
  std::optional<SimTime> queued{};
  /// Whether units between the program's own ports went along it, or may have: false where it is known that
  /// only others' did (NetworkDiagnostics::follow_ports).
  bool of_program = true;
};

/// A network's links, each direction by itself; none for networks that have no switches and cables.
struct NetworkLinks {
  std::string unit;  ///< what is carried, in words: "flits", "cells", "frames"
  std::vector<LinkLoad> loads;
  /// Others use the network, too, and it is not known which links only they used: the program's tasks were
  /// not placed when it began.
  bool others_unknown = false;
};

}  // namespace morgana
