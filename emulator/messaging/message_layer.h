#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// How the library moves eager messages on a transport with remote memory (Transport::remote_memory).
enum class EagerBy : std::uint8_t {
  send,   ///< into a receive that the other host has posted
  write,  ///< into a ring buffer in its memory that it polls
};
/// How the library moves the data of a rendezvous: after the request to send (RTS), mostly with a clear to
/// send (CTS).
enum class RendezvousBy : std::uint8_t {
  send,   ///< RTS, CTS, data as a send; on every transport
  read,   ///< RGET: RTS, the receiver reads the data, a message that it has finished
  write,  ///< RPUT: RTS, CTS, the sender writes the data, a message that it has finished
};

/// When a receiver copies an eager message of another host out of the library's buffer.
enum class ReceiveCopies : std::uint8_t {
  at_completion,  ///< when its receive completes
  in_progress,    ///< as soon as it has come and matched, in whatever call makes progress then
};

/// By which of its host's NICs a message leaves (Machine::nics); it comes to the other host's of that number.
enum class NicChoice : std::uint8_t {
  by_rank,      ///< always the same of a rank: its number among the ranks of its host, modulo the NICs
  round_robin,  ///< the next one for each message of a rank
};

/// What the message-passing library costs and when it waits: the layer between a rank and its host's
/// transport. The overheads are CPU time of the rank, spent inside its calls.
struct MessageLayer {
  SimTime send_overhead;      ///< o_s: of each message sent, before it reaches the NIC
  SimTime receive_overhead;   ///< o_r: of each message received, when the receive completes
  ByteCost send_per_byte;     ///< copying out of the program's buffer
  ByteCost receive_per_byte;  ///< copying into the program's buffer
  ReceiveCopies receive_copies = ReceiveCopies::at_completion;
  // Where NICs fetch what they send from registered memory (Transport::remote_memory), an eager message to
  // another host that is not inline (Transport::inline_limit) is copied into a buffer that is registered, or
  // fetched from the sender's own:
  SimTime buffer_overhead;     ///< of a copied one, in addition: taking the buffer
  Bytes zero_copy_from;        ///< from this size on it is fetched from the sender's buffer; 0: never
  SimTime zero_copy_overhead;  ///< of such a one, in place of the copy: finding its buffer's registration
  /// Longer messages are pushed in part and pulled for the rest: an RTS that brings the first bytes, more
  /// bytes right behind it, the CTS, the rest. With nothing pushed that is a rendezvous.
  Bytes eager_limit = Bytes(65536);
  Bytes push;         ///< first bytes, which come with the RTS
  Bytes second_push;  ///< those that follow the RTS without waiting for the CTS
  /// Of each receiver, for pushed bytes of other hosts whose receive is not posted. Bytes that find no space
  /// are dropped and pulled once the receive is there.
  Bytes unexpected_buffer = Bytes(std::int64_t{1} << 40);
  EagerBy eager = EagerBy::send;
  RendezvousBy rendezvous = RendezvousBy::send;
  /// Of a rendezvous over the network, on each side: registering memory, exchanging keys. The sender spends
  /// it before the RTS; the receiver's answer to an RTS that has matched leaves so much later.
  SimTime rendezvous_overhead;
  Bytes envelope;     ///< added to every message on the wire, except data that a rendezvous reads or writes
  Bytes control{64};  ///< size of an RTS without the bytes that it brings, and of a CTS
  SimTime poll_cost = SimTime::from_ps(100'000);  ///< of a test or probe that finds nothing, > 0
  ByteCost reduce_per_byte;                       ///< combining operands in a reduction
  // Between ranks of the same host, through its memory:
  SimTime local_overhead;      ///< replaces send_overhead and receive_overhead
  SimTime local_latency;       ///< until the receiver can see what was copied in
  ByteCost copy_per_byte;      ///< of each of the two copies (in by the sender, out by the receiver)
  ByteCost own_copy_per_byte;  ///< of copies within a rank's memory (collectives); 0: copy_per_byte
  Bytes local_eager_limit = Bytes(65536);
  Bytes local_push;  ///< first bytes of a longer message, which are copied twice
  // Where hosts have several NICs:
  NicChoice nic = NicChoice::by_rank;
  Bytes stripe_from;  ///< the data of a rendezvous of at least so many bytes go by all NICs; 0: never

  ByteCost own_copy() const { return own_copy_per_byte == ByteCost() ? copy_per_byte : own_copy_per_byte; }
};

}  // namespace morgana
