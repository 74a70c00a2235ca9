#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/messaging/matcher.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// A send, receive or collective that a rank has started and not yet completed by a wait or test.
/// There may be millions: what only few need stands elsewhere.
struct Request {
  RequestId id{};
  Rank owner{};
  Matcher::Place place = Matcher::no_place;  ///< of a receive that has not matched
  /// Of a send that is not ready: Messenger::recall(). Of a collective: its part (CollectiveRunner).
  std::uint32_t under_way = 0;
  Call call{};
  OperationKind kind{};
  bool ready = false;
  bool awaited = false;  ///< the owner is in a wait that names it
  bool cancelled = false;
  bool writing = false;      ///< of a send: its thread is suspended, and it completes when that ends
  bool streamed = false;     ///< of a receive: it takes the head of a message
  bool synchronous = false;  ///< of a send: it waits for its receive whatever its size
  Outcome outcome = Outcome::delivered;  ///< of what it has sent
  SimTime ready_at;                      ///< when ready
  SimTime early;                         ///< before `ready_at`: from then on `cost` may have been spent
  SimTime partner_at;  ///< when its receive began; then its partner's send or receive, once that is known
  SimTime cost;        ///< CPU time that completing it takes
  Envelope envelope;   ///< of a receive: what it asks for, then what it got; of a send: its receiver and tag
  Bytes bytes;         ///< of a receive: its capacity, then the message's size
  std::uint64_t payload = 0;  ///< of a receive that has its message, or of a send that has it back
};

/// Whether an operation of this kind lets the library make progress while it lasts, at whatever there is.
constexpr bool makes_progress(OperationKind kind) {
  return kind == OperationKind::wait || kind == OperationKind::test || kind == OperationKind::probe ||
         kind == OperationKind::test_probe || kind == OperationKind::wait_part;
}

/// The message of a streamed receive, from when its head is there: what else a request has to know of it.
struct ComingMessage {
  Bytes coming;            ///< bytes that are not there yet
  ByteCost copy;           ///< of each byte
  Bytes copied;            ///< to the receiver
  bool forgotten = false;  ///< the rest is not waited for any more
};

/// Shims count their requests in the upper bits of the numbers, which a table of a power of two ignores.
struct RequestIdHash {
  std::size_t operator()(RequestId id) const {
    const std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15;
    return mixed ^ mixed >> 32;
  }
};
using RequestSlots = tsl::robin_map<RequestId, std::uint32_t, RequestIdHash>;

/// A rank as the engine sees it.
struct RankState {
  enum class Phase : std::uint8_t {
    computing,  ///< its next operation is not known yet
    scheduled,  ///< its next operation is known and will start
    waiting,    ///< in an operation that something else must end
    ended,
    absent,  ///< it does not run yet
  };
  Phase phase = Phase::computing;
  SimTime clock;                ///< end of its last operation
  SimTime bound;                ///< computing: it is certain to compute until here
  SimTime begin;                ///< of the operation that it is in
  SimTime asleep_until;         ///< its processor is not needed before
  bool asleep_in_call = false;  ///< that is a wait in its library, whose limit was reached
  SimTime posts_at;             ///< waiting in a receive: when it is posted; else 0
  SimTime interrupted;  ///< computing, scheduled: what kernel work and the turns of others have taken from it
                        ///< since `clock`
  Operation operation;
  std::vector<std::uint32_t> awaited;  ///< slots of the requests that its wait or test names, in order
  std::size_t missing = 0;             ///< waiting: requests that are not ready
  bool start_is_due = false;           ///< scheduled: its turn on the processor had not come at its time
  bool in_call = false;                ///< its library goes on with nonblocking collectives in this operation
  bool working = false;             ///< waiting: until its processor has done what there is to do for those
  std::uint64_t limited_waits = 0;  ///< waits with a limit so far
  std::uint32_t news = 0;  ///< requests that became ready, and messages that no receive was posted for
  RequestSlots requests;
  RequestSlots taken;  ///< messages that probes have set aside
  RequestSlots heads;  ///< completed receives of messages that are not whole yet, or were not asked for since

  /// When the next operation, whose `elapsed` is known, begins, if nothing more is taken from it.
  SimTime begin_of_next() const { return clock + operation.elapsed + interrupted; }
  /// Whether what a wait needs, of the requests that it names, is ready.
  bool is_satisfied() const {
    return operation.completion == Completion::all ? missing == 0 : missing < awaited.size();
  }
};

}  // namespace morgana
