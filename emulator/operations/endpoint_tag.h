#pragma once

#include <cstdint>

namespace morgana {

/// What the tag of an MPI message says about endpoints of Active Messages: libmorgana-am writes it, and the
/// emulator reads it as messages.endpoints says. A rank numbers its endpoints from 0.
struct EndpointTag {
  std::uint8_t to = 0, from = 0;
  bool reply = false;     ///< else it is a request
  bool returned = false;  ///< what could not be delivered, on its way back; `to` is who had sent it

  static constexpr int endpoints = 256;  ///< of a rank
  /// Above the rest, in all that are packed: the program's own messages have other tags.
  static constexpr int mark = endpoints * endpoints * 4;

  constexpr int packed() const {
    return mark + ((to * endpoints + from) * 2 + (reply ? 1 : 0)) * 2 + (returned ? 1 : 0);
  }
  /// @param tag  any of MPI's, or of a collective's messages
  static constexpr bool is_marked(int tag) { return tag / mark == 1; }
  /// @param tag  any of MPI's, which are not negative
  static constexpr EndpointTag unpacked(int tag) {
    const int pair = tag / 4;
    return {static_cast<std::uint8_t>(pair / endpoints % endpoints),
            static_cast<std::uint8_t>(pair % endpoints), tag / 2 % 2 == 1, tag % 2 == 1};
  }
  bool operator==(const EndpointTag&) const = default;
};

}  // namespace morgana
