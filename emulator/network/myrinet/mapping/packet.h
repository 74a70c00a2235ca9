#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/network/myrinet/mapping/mapping.h"

namespace morgana {

/// What mapper daemons send each other.
struct MappingPacket {
  enum class Kind : std::uint8_t {
    probe,    ///< wherever it gets; comes back to its mapper or is answered by another host
    answer,   ///< to a probe
    table,    ///< a part of a host's routes
    receipt,  ///< for such a part
  };
  Kind kind = Kind::probe;
  HostName mapper = 0;       ///< whose work it belongs to
  std::uint32_t round = 0;   ///< of that mapper
  std::uint32_t number = 0;  ///< of the probe, or of the part of the table; their answers have the same

  HostName host = 0;                   ///< answer: who answers; table: whom it is for
  bool maps = false;                   ///< answer: the host is mapping, too
  std::uint32_t parts = 0;             ///< table: of how many
  std::vector<RouteByte> reply_along;  ///< probe and table: the way of the answer or receipt
  std::vector<std::uint8_t> routes;    ///< table: as HostTable takes them

  /// As it is written down: kind, two names, round and number; then a flag, a number, or lengths and bytes.
  Bytes size() const {
    constexpr std::size_t common = 1 + 4 * sizeof(std::uint32_t);
    switch (kind) {
      case Kind::probe:
        return bytes(common + 1 + reply_along.size());
      case Kind::answer:
        return bytes(common + 1);
      case Kind::table:
        return bytes(common + sizeof parts + 1 + reply_along.size() + routes.size());
      case Kind::receipt:
        break;
    }
    return bytes(common);
  }

 private:
  static Bytes bytes(std::size_t count) { return Bytes(static_cast<std::int64_t>(count)); }
};

}  // namespace morgana
