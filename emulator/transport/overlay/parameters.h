#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// How parallel computing servers join stations, and what relaying takes.
struct OverlayParameters {
  enum class Shape : std::uint8_t { ring, tree };
  Shape shape = Shape::ring;
  std::uint32_t stations = 4;    ///< hosts at each server, one server after the other, >= 1
  std::uint32_t arity = 2;       ///< of a tree: servers below each server, >= 1
  Bytes packet{9168};            ///< data of a relayed packet, > 0; longer messages take several
  std::uint32_t processors = 1;  ///< of each server, >= 1
  SimTime relay;                 ///< a server's CPU time for each packet, >= 0
  ByteCost relay_per_byte;       ///< the same of each byte of it, header included

  /// Between which stations there may be direct channels.
  enum class Direct : std::uint8_t { never, same_server, any };
  Direct direct = Direct::never;
  enum class SetUp : std::uint8_t {
    before_run,  ///< those between near numbers first, as long as identifiers last
    on_demand,   ///< with the first message; until then, and if identifiers have run out, servers relay
  };
  SetUp set_up = SetUp::before_run;
  /// VPI/VCI that a station has, that of the channel to its server included; 0: any number.
  std::uint32_t identifiers = 0;
  /// The same of a server, those of its stations and neighbours included; 0: any number.
  std::uint32_t server_identifiers = 0;
  /// Servers use what they have left for channels to others than their neighbours, from the start.
  bool servers_direct = false;
  SimTime signalling = SimTime::from_ps(10'000'000'000);  ///< of a direct channel, once servers agree, >= 0
  /// So long a channel must have been idle to be released for another, and a station waits after a refusal
  /// before it asks again; > 0.
  SimTime idle = SimTime::from_ps(100'000'000'000);

  /// How packets go round a ring.
  enum class Routing : std::uint8_t {
    shortest,
    alternative,  ///< the other way, where the shorter one has failed
    replicated,   ///< both ways: the copy that comes first counts
  };
  Routing routing = Routing::shortest;

  /// Identifiers that a server's permanent channels take at most.
  std::uint32_t permanent() const { return stations + (shape == Shape::ring ? 2 : arity + 1); }
  /// Servers for so many hosts.
  std::uint32_t servers(std::size_t hosts) const {
    return static_cast<std::uint32_t>((hosts + stations - 1) / stations);
  }
  /// @throws Error naming what is out of range
  void check() const;
};

}  // namespace morgana
