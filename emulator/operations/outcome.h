#pragma once

#include <cstdint>
#include <string_view>

namespace morgana {

/// What has become of a message, as reported to its sender. The loss of a message is never reported. All
/// values but the first are reasons for which a reliable transport has returned the message to its sender.
enum class Outcome : std::uint8_t {
  delivered,
  unreachable,  ///< no path leads to the receiving host
  refused,      ///< the receiving host does not take it
  given_up,     ///< it was repeated as often as the protocol does that, and never acknowledged
  unstable,     ///< the load is more than the protocol carries: its repetitions bring no progress any more
};
constexpr Outcome last_outcome = Outcome::unstable;

/// "delivered", "unreachable", "refused", "given up", "unstable".
std::string_view name_of(Outcome outcome);

}  // namespace morgana
