#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/operations/call.h"
#include "emulator/operations/context.h"
#include "emulator/operations/outcome.h"

namespace morgana {

/// A process of the parallel program: its number in the whole run (in MPI, in MPI_COMM_WORLD), from 0.
enum class Rank : std::int32_t {};
enum class Tag : std::int32_t {};
/// A pending send, receive or collective, chosen by the rank that starts it; unique while it is pending.
enum class RequestId : std::uint64_t {};

constexpr Rank any_rank{-1};
constexpr Tag any_tag{-1};
constexpr RequestId no_request{0};
constexpr std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

enum class OperationKind : std::uint8_t {
  nothing,  ///< only lets time pass (`elapsed`) and ends a call that moved no data
  send,     ///< starts a send: request, context, peer, tag, bytes, mode, payload
  receive,  ///< starts a receive: request, context, peer|any_rank, tag|any_tag, bytes (capacity), streamed
  wait,     ///< until `requests` have completed: all, any (the first) or some (those of the first instant);
            ///< or, if `duration` > 0, until that has passed: then none has
  test,     ///< which of `requests` have completed: all (all or none), any, some
  probe,    ///< until a message matches context, peer, tag; it stays where it is, or is taken as `taken`; or
            ///< until one of `requests`, if it names some, has completed, or `duration`, if > 0, has passed:
            ///< then it has been a wait (for some) to all who watch
  test_probe,       ///< whether one matches now
  cancel,           ///< takes back the receive or send `request` if it has not matched
  collective,       ///< starts this rank's part of a collective: request, context and `collective`
  context_created,  ///< `context` holds exactly the ranks `members`, in that order; takes no time
  read_clock,       ///< answered with the rank's clock
  sleep,            ///< lets `duration` pass
  access,           ///< starts reading or writing memory of `peer`: request, bytes (there), reply (back)
  lock,             ///< starts locking the window `context` of `peer`: request, exclusive
  unlock,           ///< starts giving that lock back: request
  exit,             ///< the rank's last operation
  // Only for sources that start and end processes:
  spawn,  ///< the rank `peer`, which did not run so far, begins to, on `host`
  kill,   ///< ends the rank `peer`, whatever it is doing; nothing if it has ended
  // For any rank; at the end, because traces hold the numbers:
  wait_part,  ///< until the first `bytes` of the message that the streamed receive `request` got are there;
              ///< nothing if all of it is; with 0 bytes: its rest is not waited for any more
};

enum class SendMode : std::uint8_t { standard, synchronous, buffered, ready };
enum class Completion : std::uint8_t { all, any, some };

/// Where in the program's call an operation stands: a blocking MPI_Send is a send (`first`) and a wait
/// (`last`); MPI_Isend is a send (`whole`).
enum class CallPart : std::uint8_t { whole, first, middle, last };
constexpr bool begins_call(CallPart part) {
  return part == CallPart::whole || part == CallPart::first;
}
constexpr bool ends_call(CallPart part) {
  return part == CallPart::whole || part == CallPart::last;
}

enum class CollectiveKind : std::uint8_t {
  barrier,
  broadcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  create_context,  ///< agreeing on a new communicator: no member leaves before all have entered
};

/// One rank's part of a collective, as that rank knows it (what is significant only at the root is empty or 0
/// elsewhere). Sizes are in bytes of packed data.
struct CollectivePart {
  CollectiveKind kind = CollectiveKind::barrier;
  /// Index in the context's members, on every rank. Intercommunicators: those of the root's group who are not
  /// the root take part too, and do nothing; as they need not know the root, any other member of their own
  /// group will do.
  std::int32_t root = 0;
  /// Intercommunicators: how many of the context's members, from the first on, are one of the two groups
  /// (what MPICH calls the low one); the others are the other. 0: an ordinary communicator. Which group is
  /// this rank's own follows from its index. All data move between the groups: with a root between it and the
  /// members of the other group, else each group gets what the other gives. Not for scans and neighbourhoods,
  /// never in place.
  std::int32_t first_group = 0;
  bool commutative = true;  ///< of the reduction
  bool in_place = false;
  bool blocking = true;
  Bytes element{1};  ///< size of one element of a reduction, > 0
  /// What this rank contributes, in one piece: broadcast: the message, on every rank; gather, allgather,
  /// reduce, allreduce, scan: its whole contribution; scatter, alltoall: the block for each peer;
  /// reduce_scatter_block: the block each peer gets; gatherv and scatterv: what a member that is not the root
  /// sends or gets. Other v- and w-forms: unused.
  /// Intercommunicators: rooted kinds other than the v-forms: alike at the root and in the other group,
  /// unused in the rest of the root's group; allgather, alltoall: the two groups may differ, see
  /// receive_sizes; allgatherv: what this rank contributes; allreduce: alike in both groups;
  /// reduce_scatter_block: times the size of the rank's group it is alike in both groups.
  Bytes bytes;
  /// Per member (or per neighbour): what this rank sends to each (scatterv at the root, alltoallv/w), or what
  /// each gets (reduce_scatter, on every rank). Intercommunicators: per member of the other group, in its
  /// order; reduce_scatter: per member of this rank's group, with the same sum in both groups.
  std::vector<Bytes> send_sizes;
  /// Per member (or per neighbour): what this rank gets from each (gatherv at the root, allgatherv on every
  /// rank, alltoallv/w). Intercommunicators: per member of the other group, in its order. There allgather and
  /// alltoall may have one entry: the block that each member of the other group gives, if it is not `bytes`.
  std::vector<Bytes> receive_sizes;
  /// Neighbourhood collectives: indices in the context's members, in the topology's order.
  std::vector<std::int32_t> sources, destinations;

  bool operator==(const CollectivePart&) const = default;
};

/// What one packing call has put into a message: `count` elements of `type`, which end `end` bytes behind the
/// message's first byte. The types are PVM's (pvm_psend): PVM_STR 0, PVM_BYTE 1, PVM_SHORT 2, PVM_INT 3,
/// PVM_FLOAT 4, PVM_CPLX 5, PVM_DOUBLE 6, PVM_DCPLX 7, PVM_LONG 8, PVM_USHORT 9, PVM_UINT 10, PVM_ULONG 11.
/// An MPI message is one part, of its datatype's elements: the type is that of PVM's of the same length, or
/// bytes. An element takes its share of the part's bytes, whatever its type.
struct MessagePart {
  std::int32_t type = 0;
  std::int32_t count = 0;  ///< >= 0
  std::int64_t end = 0;    ///< >= the end of the part before
  bool operator==(const MessagePart&) const = default;
};
constexpr std::int32_t last_part_type = 11;
/// A message of more parts is recorded without them.
constexpr std::size_t most_message_parts = std::size_t{1} << 20;

/// One thing that a rank asks of the machine it runs on: the one language that shims, traces and the replayer
/// speak. Plain data; fields that a kind does not name are ignored.
/// Ranks post operations in their program's order and wait only for those that they need an answer to;
/// the emulator executes them one after the other on the rank's own clock.
struct Operation {
  OperationKind kind = OperationKind::nothing;
  SendMode mode = SendMode::standard;
  Completion completion = Completion::all;
  CallPart part = CallPart::whole;
  Call call = Call::unknown;  ///< the program's call that this is (part of)
  bool wants_answer = false;  ///< the rank waits for the Answer
  Rank peer = any_rank;
  Tag tag = any_tag;
  Context context = world_context;
  RequestId request = no_request;
  Bytes bytes;
  SimTime elapsed;               ///< computed since the end of the rank's previous operation, >= 0
  SimTime polled;                ///< part of `elapsed` that went into polls that the rank answered itself
  SimTime interrupted;           ///< what the host's kernel took from the rank since then, in addition to
                                 ///< `elapsed`, which delayed the operation. Set by the emulator alone
  SimTime duration;              ///< of a sleep, >= 0; of a wait or probe: its limit, 0 for none
  RequestId taken = no_request;  ///< probes: the name under which the message is set aside; receive: the name
                                 ///< of the message that it gets, which a probe has set aside
  Bytes reply;                   ///< of an access
  bool exclusive = false;        ///< of a lock
  bool streamed = false;         ///< of a receive: it completes when the head of a streamed message is there
  std::int32_t host = 0;         ///< of a spawn: the host's number, from 0
  std::uint64_t payload = 0;  ///< where a send's or collective's data lie; opaque to the emulator, 0 = none
  boost::container::small_vector<RequestId, 4> requests;
  std::vector<Rank> members;
  /// Of a send: how the message was packed, in order; none where unknown. A message with parts is streamed
  /// where the transport streams, unless it is MPI's.
  std::vector<MessagePart> parts;
  CollectivePart collective;

  bool operator==(const Operation&) const = default;
};

/// A completed request (or, for probes, the message found).
struct Completed {
  RequestId request = no_request;
  Rank source = any_rank;  ///< of a receive
  Tag tag = any_tag;       ///< of a receive
  Bytes bytes;             ///< of the message (may be more than the capacity of the receive)
  std::uint64_t payload =
      0;  ///< of a receive: what the send carried; of a returned message: its own, now this rank's
  bool cancelled = false;
  /// The outcome of the message that the request sent: a send's message, a receive's CTS of a rendezvous
  /// (without it no data come), a collective's messages, an access's message to its target. Defaults to
  /// `delivered`.
  Outcome outcome = Outcome::delivered;
  Bytes coming;  ///< of a streamed receive or a wait_part: bytes of the message that are not there yet
  /// Of a collective: each member's payload, by index, 0 where a member has not entered yet (its data are
  /// then not part of this rank's result).
  std::vector<std::uint64_t> deposits;

  bool operator==(const Completed&) const = default;
};

/// A rank whose next operation the emulator did not know when it answered another.
struct ComputingRank {
  Rank rank{};
  std::uint64_t said = 0;  ///< how much it had said until then: the channel's count, opaque to all others
  bool operator==(const ComputingRank&) const = default;
};

/// The emulator's answer to an operation that wants one.
struct Answer {
  SimTime clock;                     ///< the rank's clock when the operation has ended
  std::vector<Completed> completed;  ///< wait, test, probe, test_probe: what completed (test: maybe nothing)
  /// Of a test or probe that found nothing: the same finds nothing before this time either, as long as the
  /// rank starts nothing else.
  SimTime quiet_until;
  /// Of the same: it finds nothing before this time either, except for what the ranks in `computing` will do.
  SimTime quiet_but_for_computing;
  /// All of them but the rank itself; empty if they are too many for an answer.
  std::vector<ComputingRank> computing;
  /// How much had come for the rank when the operation was last looked at: of one that found nothing, when
  /// that was found. As long as this is the same number (it wraps around) nothing has come that another wait,
  /// test or probe of the rank's could find. With `quiet_until` it stays the same until then.
  std::uint32_t news = 0;

  bool operator==(const Answer&) const = default;
};

}  // namespace morgana
