#pragma once

#include <cstdint>

namespace morgana {

/// What a message layer says about endpoints of Active Messages (network/endpoints.h).
struct EndpointSettings {
  /// What an endpoint is.
  enum class Named : std::uint8_t {
    automatic,  ///< marked for programs and traces of libmorgana-am, else ranks (Machine::name_endpoints)
    ranks,      ///< a rank, whose library takes messages out of its queues at once
    tags,       ///< what messages' tags name (EndpointTag); a message is in its queue until it is received
    marked,     ///< the same for messages with marked tags; others are between the ranks' endpoints 0, whose
                ///< queues they leave at once. No value of the key
  };
  Named named = Named::automatic;
  /// What a page fault suspends: a write to an endpoint for which its NIC holds no frame.
  enum class Suspends : std::uint8_t {
    process,  ///< the rank, within the call of the send
    thread,   ///< only who waits for the send's request: the rank's other threads go on
  };
  Suspends page_fault = Suspends::process;
};

}  // namespace morgana
