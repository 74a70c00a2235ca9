#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace morgana {

/// What OTF2's records don't say and a replay needs in order to repeat a run exactly stands in these
/// attributes (their names begin with "morgana."). An attribute is left out where its value follows from the
/// record, the region's name or the rules of collective_sizes.h; so most records have none.
enum class Attribute : std::uint8_t {
  mode,          ///< of a send, where the region's name doesn't say it
  completion,    ///< of a failed test: all, any or some, where the region's name doesn't say it
  room,          ///< of a receive, in bytes; on MpiRecv only where it isn't the message's length
  source,        ///< of a receive or probe: member of the communicator, -1 = any
  tag,           ///< of a receive or probe, -1 = any
  communicator,  ///< of a receive, probe or nonblocking collective, where it isn't MPI_COMM_WORLD
  elapsed,       ///< computing (ps) between two operations of the same call
  duration,      ///< of a sleep, ps
  request,       ///< of a cancel or of waiting for a part
  kind,          ///< of a collective: CollectiveKind's number
  root,          ///< of a collective: member of the communicator
  bytes,         ///< CollectivePart::bytes; of waiting for a part: Operation::bytes
  first_group,   ///< CollectivePart::first_group, where not 0
  element,       ///< CollectivePart::element
  flags,         ///< of a collective: 1 commutative + 2 in place + 4 blocking
  send_sizes,    ///< CollectivePart's lists, as number_list.h writes them
  receive_sizes,
  sources,
  destinations,
  polled,     ///< on entering a call (or beginning an operation in it): Operation::polled, where not 0
  taken,      ///< of a probe or receive: Operation::taken, where there is one
  target,     ///< of an access or (un)lock: the rank whose memory it is; with `request` and `window`
  window,     ///< of an access or (un)lock: the context's number in the program
  reply,      ///< Operation::reply, with `bytes`
  exclusive,  ///< of a lock, where it is
  host,       ///< Operation::host of a spawn; its rank is `target`
  parts,      ///< Operation::parts of a send, where there are any: type, count and end of one after the other
  streamed,   ///< of a receive that got the head of a message, see Operation::streamed
  every_context,  ///< of a receive or probe that asked for messages of any context (morgana::any_context)
  interrupted,  ///< on entering a call: Operation::interrupted of it and of calls without records before it,
                ///< where not 0: part of the time since the last record that was no computing
  outcome,      ///< of a completion: Completed::outcome, where it is not `delivered`; a replay finds its own
  count_
};

struct AttributeDescription {
  const char* name;
  const char* meaning;
  OTF2_Type type;
};

inline constexpr std::array<AttributeDescription, static_cast<std::size_t>(Attribute::count_)> attributes{{
    {"morgana.mode", "send mode: 0 standard, 1 synchronous, 2 buffered, 3 ready", OTF2_TYPE_UINT8},
    {"morgana.completion", "0 all, 1 any, 2 some", OTF2_TYPE_UINT8},
    {"morgana.room", "bytes that a receive has room for", OTF2_TYPE_UINT64},
    {"morgana.source", "source asked for, -1 any", OTF2_TYPE_INT32},
    {"morgana.tag", "tag asked for, -1 any", OTF2_TYPE_INT32},
    {"morgana.communicator", "communicator, where the record has none", OTF2_TYPE_COMM},
    {"morgana.elapsed", "computing inside of a call, ps", OTF2_TYPE_UINT64},
    {"morgana.duration", "of a sleep, ps", OTF2_TYPE_UINT64},
    {"morgana.request", "request to cancel", OTF2_TYPE_UINT64},
    {"morgana.kind", "kind of a collective", OTF2_TYPE_UINT8},
    {"morgana.root", "root of a collective", OTF2_TYPE_INT32},
    {"morgana.bytes", "bytes contributed to a collective", OTF2_TYPE_UINT64},
    {"morgana.first_group", "members of an intercommunicator's first group", OTF2_TYPE_INT32},
    {"morgana.element", "bytes of one element of a reduction", OTF2_TYPE_UINT64},
    {"morgana.flags", "collective: 1 commutative, 2 in place, 4 blocking", OTF2_TYPE_UINT8},
    {"morgana.send_sizes", "bytes to each member", OTF2_TYPE_STRING},
    {"morgana.receive_sizes", "bytes from each member", OTF2_TYPE_STRING},
    {"morgana.sources", "neighbours received from", OTF2_TYPE_STRING},
    {"morgana.destinations", "neighbours sent to", OTF2_TYPE_STRING},
    {"morgana.polled", "part of the computing before that went into polls, ps", OTF2_TYPE_UINT64},
    {"morgana.taken", "name of a message that a probe took", OTF2_TYPE_UINT64},
    {"morgana.target", "rank whose memory is accessed", OTF2_TYPE_INT32},
    {"morgana.window", "window accessed", OTF2_TYPE_UINT64},
    {"morgana.reply", "bytes that an access brings back", OTF2_TYPE_UINT64},
    {"morgana.exclusive", "1: an exclusive lock", OTF2_TYPE_UINT8},
    {"morgana.host", "host on which a rank begins", OTF2_TYPE_INT32},
    {"morgana.parts", "how a message was packed: type, count and end of each part", OTF2_TYPE_STRING},
    {"morgana.streamed", "1: a receive that got the head of a message", OTF2_TYPE_UINT8},
    {"morgana.any_context", "1: asked for messages of any communicator", OTF2_TYPE_UINT8},
    {"morgana.interrupted", "part of the time before that the host's kernel took, ps", OTF2_TYPE_UINT64},
    {"morgana.outcome", "what was sent came back: 1 unreachable, 2 refused, 3 given up, 4 unstable",
     OTF2_TYPE_UINT8},
}};

/// A record of this OTF2 parameter (unsigned) begins an operation that the records of a call alone would not
/// tell (a probe, a sleep; two waits in one call); its value is the OperationKind's number, and the records
/// up to the next one belong to it. A call has either such a record before each of its operations or none.
inline constexpr const char* operation_parameter = "morgana.operation";

/// A record of this OTF2 parameter (unsigned) is the completion of an access or (un)lock: the value is its
/// request.
inline constexpr const char* completed_parameter = "morgana.completed";

/// Names of the archive's properties.
inline constexpr const char* program_property = "MORGANA::PROGRAM";
inline constexpr const char* platform_property = "MORGANA::PLATFORM";
inline constexpr const char* compute_scale_property = "MORGANA::COMPUTE_SCALE";
inline constexpr const char* services_property = "MORGANA::SERVICES";
inline constexpr const char* ranks_at_start_property = "MORGANA::RANKS_AT_START";
inline constexpr const char* endpoints_property = "MORGANA::ENDPOINTS";  ///< "tags"; else there is none
inline constexpr const char* mpi_property = "MORGANA::MPI";            ///< "openmpi"; else MPICH's interface
inline constexpr const char* switches_property = "MORGANA::SWITCHES";  ///< "waits"; else there are none
inline constexpr const char* broken_off_property = "MORGANA::BROKEN_OFF";

/// The name of the communicator of a context that holds every rank, also those that begin later, begins with
/// this; what follows is number_of_open() of the context.
inline constexpr std::string_view open_context_prefix = "morgana.open_context.";

/// What the creator of a trace of ours begins with.
inline constexpr const char* creator_prefix = "Morgana ";

}  // namespace morgana
