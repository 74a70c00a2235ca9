#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/operations/operation.h"
#include "traces/otf2/network_metrics.h"

namespace morgana {

/// What the ranks of a trace did when, for programs that draw it. Times since the trace's begin.
struct Timeline {
  /// The outermost calls of the message-passing library; what lies between them is the program's computing.
  struct Call {
    Rank rank;
    std::uint32_t name;  ///< in `names`
    SimTime begin, end;
    Bytes bytes;  ///< as RunStatistics has it of the run itself (CallUse::bytes)
  };
  /// Polls of a rank that it answered itself, of one kind of call (OwnPolls). Where they lie between two of
  /// its calls is not known: they have taken `time` of that.
  struct Polls {
    Rank rank;
    std::uint32_t name;   ///< in `names`
    SimTime begin, end;   ///< from one call's end to the next one's begin
    SimTime time;         ///< > 0, and no more than that
    std::uint64_t count;  ///< 0 where it is not known how long one takes
  };
  /// From one program's call to the other's: point to point, matched as MPI does, each sender's in order.
  struct Message {
    Rank from, to;
    Tag tag;
    Bytes bytes;
    SimTime sent, received;  ///< in the calls that began to send it, and that completed its receive
  };
  /// What one rank does of a collective: from the call that begins it to its being complete there.
  struct Part {
    std::uint32_t collective;
    Rank rank;
    SimTime begin, end;
  };
  std::string program, platform;
  std::size_t ranks = 0, services = 0;  ///< ranks 0 to services - 1 only serve the others
  SimTime end;
  std::vector<SimTime> begins;  ///< of each rank: 0 but for those that others have started
  std::vector<SimTime> ends;    ///< of each rank, with what it computes behind its last call
  std::vector<std::string> names;
  std::vector<Call> calls;  ///< rank by rank, in order
  /// Numbers in `calls` of those in which a broken-off run left its ranks: they end with the rank.
  std::vector<std::size_t> unfinished;
  std::vector<Polls> polls;                ///< rank by rank, in order
  std::vector<Message> messages;           ///< by the time of sending, then by sender
  std::vector<std::uint32_t> collectives;  ///< of two ranks or more, by their first begin: in `names`
  std::vector<Part> parts;                 ///< collective by collective, then by rank
  NetworkMetrics metrics;                  ///< of the emulated network, if the trace has some
  std::vector<std::string> notices;
};

/// The calls in `unfinished` last until the trace's end, as do their ranks: none of them has ended before.
void wait_until_end(Timeline& timeline);

/// Memory: 40 bytes a call, 48 a message, 48 for polls between two calls, and 24 a rank of each collective.
/// @param trace  an OTF2 trace: its folder or its .otf2 file
/// @throws Error for what is missing, truncated or contradicts itself
Timeline read_timeline(const std::filesystem::path& trace, const std::function<void(double)>& progress = {});

/// Chrome's trace event format, which Perfetto and chrome://tracing open: a thread for each rank, calls as
/// complete events, messages as flows, each rank's end as an instant. (Google: Trace Event Format, 2016.)
/// Times in microseconds, exact to the picosecond.
std::string chrome_json(const Timeline& timeline);
/// Perfetto's protocol buffers: a track for each rank, calls as slices, messages as flows between two
/// instants, each rank's end as one, and the network's metrics as counters, which Chrome's format is not
/// given. (Google: Perfetto, trace packets and track events.) Times in nanoseconds, rounded down: the format
/// has no smaller unit.
std::string perfetto_trace(const Timeline& timeline);
/// Paje's trace format, which ViTE opens: a container for each rank, its calls as states, messages as links;
/// in order of time. (L. M. Schnorr: Paje Trace File Format, 2016.) Times in seconds.
std::string paje_text(const Timeline& timeline);
/// A line for each call, each message and each rank's end; times in picoseconds.
std::string timeline_csv(const Timeline& timeline);

}  // namespace morgana
