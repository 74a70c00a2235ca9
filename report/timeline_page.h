#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/link_history.h"
#include "emulator/report/execution_timeline.h"
#include "emulator/report/limits/bottleneck.h"
#include "emulator/report/limits/critical_path.h"
#include "traces/export/timeline.h"

namespace morgana {

/// What a rank does, as the page colours it; names of CSS variables in report/web/style.css.
enum class ActivityKind : std::uint8_t { computing, point_to_point, waiting, collective, one_sided, other };
inline constexpr std::size_t activity_kinds = 6;
/// The kind of a call by its name: "MPI_Waitall" waits, "pvm_send" is point to point.
ActivityKind kind_of_call(std::string_view name);

/// The kind that takes most of the time in each of `columns` equal parts of 0 to the timeline's end, rank by
/// rank; what lies between calls, and behind the last one, is computing, but for polls there.
/// @param columns  > 0
std::vector<ActivityKind> overview_of(const Timeline& timeline, std::size_t columns);

/// A rank of a deadlock's cycle, as the trace numbers it, and the call in which it waits for the next one's.
struct CycleMember {
  std::size_t rank = 0;
  std::string call;
};

/// What carried the ranks' calls, collectives among them: who has sent how much to whom, and how many
/// messages had which size (a histogram as `sizes`). Ranks count from the page's first.
struct CarriedMessages {
  struct Pair {
    std::size_t from = 0, to = 0;
    double bytes = 0;
  };
  std::vector<Pair> pairs;
  std::vector<std::int64_t> sizes;
};

/// For the page as `carried`: {matrix, sizes}, as those of page_data(); without one of `ranks` in a pair,
/// that is left out.
nlohmann::json carried_data(const CarriedMessages& carried, std::size_t ranks);

/// What report/web/report.js draws. Arrays are base64 of little-endian numbers; times are picoseconds since
/// the trace's begin, as doubles (exact to 2.5 hours).
///
///     program, platform, ranks, end_ps, notices, message_count
///     kinds        names of ActivityKind
///     names        [{name, kind}], of calls
///     first_rank   the number of the first rank in `ranks`, whose place is 0 in all lists and matrices
///     totals       [{name, kind, calls, time_ps, bytes}], the longest first
///     per_rank     [{begin_ps, end_ps, computing_ps, calls_ps, messages, bytes}]; messages and bytes that
///                  it sends
///     overview     {columns, kinds}: bytes, rank by rank
///     calls        {first, begin_ps, end_ps, name, bytes, polls, polling_ps}: rank by rank; first: where
///                  each rank's begin; where polling_ps is not 0 it is no call, but between two of them that
///                  many polls (0: not known how many) have taken that of the time; both only if there are
///                  any
///     messages     {from, to, tag, bytes, sent_ps, received_ps}, by the time of sending
///     collectives  {names, first, rank, begin_ps, end_ps}: those of two ranks or more, by their first begin;
///                  first: where each one's parts begin, and where the last one's end; a part is what a rank
///                  does of it
///     collective_totals  [{name, collectives, parts, gathering_ps, finishing_ps}]; gathering: until the last
///                  rank has come, finishing: from then on
///     unfinished   [{rank, begin_ps}]: calls without an end, if there are any
///     cycle        [{rank, call}], of a deadlock: each waits for the next, the last for the first
///     matrix       {side, ranks_per_cell, bytes}: row by row, rows send
///     carried      {matrix, sizes} of all messages that carried the ranks' calls, if that is known
///                  (carried_data()); matrix and sizes beside it are of those point to point
///     sizes, latencies_ps  histograms: bin 0 holds what is 0, bin b what is at least 2^(b-1), less than 2^b
///     trouble      [{name, times_ps, counts}], if the trace counts what was lost, refused or sent again: how
///                  often since the begin, wherever that has changed
///     critical_path  {kinds, times_ps, messages, pairs, steps}, if it is known; kinds: shown_name of
///                  PathKind, times_ps: by kind; steps: {from, to, begin_ps, end_ps, kind}, with `kind` what
///                  takes most of it; a rank's own step has from = to; pairs: [{from, to, wire_ps,
///                  messages}], between which ranks the network takes most. Without `steps` if there are
///                  more than most_events.
///
///     links        {count, names, utilisation, windows, window_ps, end_ps, busy, stopped, queued,
///     longest_queue_ps}, if something went along any: the busiest ones of `count`, as texts and shares of
///     the run; busy and stopped: shares of each window, link by link, bytes of 0 to 255; `stopped` only
///     where networks stop senders; queued: how long it takes to send what is queued at the end of each
///     window, 16 bits of 0 to 65,535, which are longest_queue_ps; only where something is queued
///
///     execution    {kinds, names, rank, first, begin_ps, end_ps, kind, step_ps}, of an execution trace:
///     rows, each with its name and rank: the rank's streams that compute, then its communication; first:
///     where each one's spans begin, and where the last one's end; kind: of each span, in `kinds`; step_ps:
///     spans are drawn in steps of it (coarsened()); 0: they are exact
///
/// @param most_events  without more of them there are `calls`, `messages` and `collectives`
/// @param path  the critical one; null: not known
/// @param cycle  of a deadlock; may be empty
/// @param execution  of an execution trace; else null
/// @param bottleneck  lines at the top of the page: `bottleneck` is [{label, text}], if there are any
nlohmann::json page_data(const Timeline& timeline, std::size_t most_events,
                         const CriticalPath* path = nullptr, const LinkHistory& links = {},
                         std::span<const BottleneckLine> bottleneck = {},
                         std::span<const CycleMember> cycle = {},
                         const ExecutionTimeline* execution = nullptr);

/// A web page that shows a timeline: one file, which loads nothing from anywhere. @throws Error unless
/// can_make_pages()
/// @param carried  null: not known
std::string timeline_page(const Timeline& timeline, std::size_t most_events,
                          const CriticalPath* path = nullptr, const LinkHistory& links = {},
                          std::span<const BottleneckLine> bottleneck = {},
                          std::span<const CycleMember> cycle = {},
                          const ExecutionTimeline* execution = nullptr,
                          const CarriedMessages* carried = nullptr);

}  // namespace morgana
