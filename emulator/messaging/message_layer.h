#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// What the message-passing library costs and when it waits: the layer between a rank and its host's
/// transport. The overheads are processor time of the rank, spent inside its calls.
struct MessageLayer {
  SimTime send_overhead;      ///< o_s: of each message sent, before it reaches the interface
  SimTime receive_overhead;   ///< o_r: of each message received, when the receive completes
  ByteCost send_per_byte;     ///< copying out of the program's buffer
  ByteCost receive_per_byte;  ///< copying into the program's buffer
  /// Longer messages are pushed in part and pulled for the rest: a request that brings the first bytes, more
  /// bytes right behind it, the clearance, the rest. With nothing pushed that is a rendezvous.
  Bytes eager_limit = Bytes(65536);
  Bytes push;         ///< first bytes, which come with the request
  Bytes second_push;  ///< those that follow the request without waiting for the clearance
  /// Of each receiver, for pushed bytes of other hosts whose receive is not posted. Bytes that find no room
  /// are dropped and pulled once the receive is there.
  Bytes unexpected_buffer = Bytes(std::int64_t{1} << 40);
  Bytes envelope;     ///< added to every message on the wire
  Bytes control{64};  ///< size of a request without what it brings, and of a clearance
  SimTime poll_cost = SimTime::from_ps(100'000);  ///< of a test or probe that finds nothing, > 0
  ByteCost reduce_per_byte;                       ///< combining operands in a reduction
  // Between ranks of the same host, through its memory:
  SimTime local_overhead;  ///< replaces send_overhead and receive_overhead
  SimTime local_latency;   ///< until the receiver can see what was copied in
  ByteCost copy_per_byte;  ///< of each of the two copies (in by the sender, out by the receiver)
  Bytes local_eager_limit = Bytes(65536);
  Bytes local_push;  ///< first bytes of a longer message, which are copied twice
};

}  // namespace morgana
