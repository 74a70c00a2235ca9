#pragma once

#include <cstdint>

namespace morgana {

/// An endpoint of Active Messages, unique among all hosts; numbered by the caller that sends messages.
enum class EndpointId : std::uint32_t {};

/// Between which endpoints a message travels, for NICs that keep some of them in their memory (B. N. Chun,
/// A. M. Mainwaring, D. E. Culler, Virtual Network Transport Protocols for Myrinet, 1997, section 3.2).
struct Ends {
  EndpointId from{}, to{};
  bool reply = false;  ///< goes into the queue of replies at the receiving endpoint, not of requests
  bool held =
      false;  ///< has its entry there until EndpointNetwork::consumed, not only until its bytes are there

  bool operator==(const Ends&) const = default;
};

}  // namespace morgana
