#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "emulator/report/limits/critical_path_report.h"
#include "emulator/report/link_report.h"
#include "report/collective_data.h"
#include "report/execution_data.h"
#include "report/packed.h"
#include "report/timeline_page.h"

namespace morgana {
namespace {

using nlohmann::json;

constexpr std::array<const char*, activity_kinds> names_of_kinds{"computing",  "point-to-point", "waiting",
                                                                 "collective", "one-sided",      "other"};
constexpr std::size_t most_columns = 2048, most_overview_bytes = 8'000'000, widest_matrix = 256;

using Histogram = std::vector<std::int64_t>;

void count_in(Histogram& histogram, std::int64_t value) {
  const auto bin =
      static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(0, value))));
  if (histogram.size() <= bin) histogram.resize(bin + 1);
  ++histogram[bin];
}

struct Total {
  std::int64_t calls = 0, ps = 0, bytes = 0;
};
struct RankTotal {
  std::int64_t begin_ps = 0, end_ps = 0, calls_ps = 0, messages = 0, bytes = 0;
};

std::size_t rank_of(Rank rank, const Timeline& timeline) {
  return index(rank) - timeline.services;
}
/// Between services and ranks, or among services, is not what the program sends.
bool is_between_ranks(const Timeline::Message& message, const Timeline& timeline) {
  return index(message.from) >= timeline.services && index(message.to) >= timeline.services;
}

json totals_of(const Timeline& timeline) {
  std::vector<Total> totals(timeline.names.size());
  for (const Timeline::Call& call : timeline.calls) {
    if (index(call.rank) < timeline.services) continue;
    Total& total = totals[call.name];
    ++total.calls;
    total.ps += (call.end - call.begin).ps();
    total.bytes += call.bytes.count();
  }
  for (const Timeline::Polls& polls : timeline.polls) {
    totals[polls.name].calls += static_cast<std::int64_t>(polls.count);
    totals[polls.name].ps += polls.time.ps();
  }
  std::vector<std::size_t> order;
  for (std::size_t name = 0; name < totals.size(); ++name)
    if (totals[name].calls > 0 || totals[name].ps > 0) order.push_back(name);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return totals[a].ps > totals[b].ps; });
  json rows = json::array();
  for (const std::size_t name : order)
    rows.push_back({{"name", timeline.names[name]},
                    {"kind", names_of_kinds.at(static_cast<std::size_t>(kind_of_call(timeline.names[name])))},
                    {"calls", totals[name].calls},
                    {"time_ps", totals[name].ps},
                    {"bytes", totals[name].bytes}});
  return rows;
}

json ranks_of(const Timeline& timeline) {
  std::vector<RankTotal> ranks(timeline.ranks - timeline.services);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].begin_ps = timeline.begins[timeline.services + rank].ps();
    ranks[rank].end_ps = timeline.ends[timeline.services + rank].ps();
  }
  for (const Timeline::Call& call : timeline.calls) {
    if (index(call.rank) < timeline.services) continue;
    RankTotal& rank = ranks[rank_of(call.rank, timeline)];
    rank.calls_ps += (call.end - call.begin).ps();
  }
  for (const Timeline::Polls& polls : timeline.polls)
    ranks[rank_of(polls.rank, timeline)].calls_ps += polls.time.ps();
  for (const Timeline::Message& message : timeline.messages) {
    if (!is_between_ranks(message, timeline)) continue;
    RankTotal& rank = ranks[rank_of(message.from, timeline)];
    ++rank.messages;
    rank.bytes += message.bytes.count();
  }
  json rows = json::array();
  for (const RankTotal& rank : ranks)
    rows.push_back({{"begin_ps", rank.begin_ps},
                    {"end_ps", rank.end_ps},
                    {"computing_ps", rank.end_ps - rank.begin_ps - rank.calls_ps},
                    {"calls_ps", rank.calls_ps},
                    {"messages", rank.messages},
                    {"bytes", rank.bytes}});
  return rows;
}

json matrix_of(const std::vector<CarriedMessages::Pair>& pairs, std::size_t ranks) {
  const std::size_t group = std::max<std::size_t>(1, (ranks + widest_matrix - 1) / widest_matrix);
  const std::size_t side = (ranks + group - 1) / group;
  std::vector<double> bytes(side * side);
  for (const CarriedMessages::Pair& pair : pairs)
    if (std::max(pair.from, pair.to) < ranks) bytes[pair.from / group * side + pair.to / group] += pair.bytes;
  return {{"side", side}, {"ranks_per_cell", group}, {"bytes", base64(bytes)}};
}

/// Of what the trace has: messages point to point.
json matrix_of(const Timeline& timeline) {
  std::vector<CarriedMessages::Pair> pairs;
  for (const Timeline::Message& message : timeline.messages)
    if (is_between_ranks(message, timeline))
      pairs.push_back({rank_of(message.from, timeline), rank_of(message.to, timeline),
                       static_cast<double>(message.bytes.count())});
  return matrix_of(pairs, timeline.ranks - timeline.services);
}

/// A call, or the polls between two of them, which have taken a part of that.
struct ShownCall {
  Timeline::Call call;
  std::uint64_t polls = 0;
  SimTime polling;  ///< 0: a call
};

/// Rank by rank, in order.
std::vector<ShownCall> shown_calls(const Timeline& timeline) {
  std::vector<ShownCall> shown;
  shown.reserve(timeline.calls.size() + timeline.polls.size());
  auto polls = timeline.polls.begin();
  const auto take_polls_before = [&](Rank rank, SimTime time) {
    for (; polls != timeline.polls.end() && std::pair(polls->rank, polls->end) <= std::pair(rank, time);
         ++polls)
      shown.push_back(
          {{polls->rank, polls->name, polls->begin, polls->end, Bytes()}, polls->count, polls->time});
  };
  for (const Timeline::Call& call : timeline.calls) {
    take_polls_before(call.rank, call.begin);
    shown.push_back({call, 0, SimTime()});
  }
  take_polls_before(Rank(static_cast<std::int32_t>(timeline.ranks)), SimTime());
  std::erase_if(shown, [&](const ShownCall& one) { return index(one.call.rank) < timeline.services; });
  return shown;
}

json calls_of(const Timeline& timeline) {
  const std::vector<ShownCall> calls = shown_calls(timeline);
  std::vector<std::uint32_t> first(timeline.ranks - timeline.services + 1);
  for (const ShownCall& one : calls) ++first[rank_of(one.call.rank, timeline) + 1];
  for (std::size_t rank = 1; rank < first.size(); ++rank) first[rank] += first[rank - 1];
  using Shown = ShownCall;
  json of{{"first", base64(first)},
          {"begin_ps", packed<double>(calls, [](const Shown& one) { return one.call.begin.ps(); })},
          {"end_ps", packed<double>(calls, [](const Shown& one) { return one.call.end.ps(); })},
          {"name", packed<std::uint16_t>(calls, [](const Shown& one) { return one.call.name; })},
          {"bytes", packed<double>(calls, [](const Shown& one) { return one.call.bytes.count(); })}};
  if (timeline.polls.empty()) return of;
  of["polls"] = packed<double>(calls, [](const Shown& one) { return one.polls; });
  of["polling_ps"] = packed<double>(calls, [](const Shown& one) { return one.polling.ps(); });
  return of;
}

json messages_of(const std::vector<Timeline::Message>& messages, const Timeline& timeline) {
  using Message = Timeline::Message;
  const auto of = [&](Rank rank) { return rank_of(rank, timeline); };
  return {
      {"from", packed<std::uint32_t>(messages, [&](const Message& one) { return of(one.from); })},
      {"to", packed<std::uint32_t>(messages, [&](const Message& one) { return of(one.to); })},
      {"tag", packed<std::int32_t>(messages, [](const Message& one) { return static_cast<int>(one.tag); })},
      {"bytes", packed<double>(messages, [](const Message& one) { return one.bytes.count(); })},
      {"sent_ps", packed<double>(messages, [](const Message& one) { return one.sent.ps(); })},
      {"received_ps", packed<double>(messages, [](const Message& one) { return one.received.ps(); })}};
}

/// The pairs of ranks between which the wire takes most of the path, the longest first.
json wire_by_pair(const std::vector<CriticalPath::Step>& steps, const Timeline& timeline) {
  constexpr std::size_t most_pairs = 20;
  struct Wire {
    std::size_t from = 0, to = 0;
    std::int64_t ps = 0, messages = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Wire> sums;
  for (const CriticalPath::Step& step : steps) {
    if (!step.message) continue;
    const std::size_t from = rank_of(step.from.rank, timeline), to = rank_of(step.who.rank, timeline);
    Wire& wire = sums.try_emplace({from, to}, Wire{from, to}).first->second;
    wire.ps += step.times[static_cast<std::size_t>(PathKind::wire)].ps();
    ++wire.messages;
  }
  std::vector<Wire> pairs;
  for (const auto& [ends, wire] : sums)
    if (wire.ps > 0) pairs.push_back(wire);
  std::ranges::stable_sort(pairs, std::ranges::greater(), &Wire::ps);
  if (pairs.size() > most_pairs) pairs.resize(most_pairs);
  json rows = json::array();
  for (const Wire& wire : pairs)
    rows.push_back({{"from", wire.from}, {"to", wire.to}, {"wire_ps", wire.ps}, {"messages", wire.messages}});
  return rows;
}

/// Steps of services, which the page does not show, are left out.
json path_of(const CriticalPath& path, const Timeline& timeline, std::size_t most_steps) {
  json of{{"kinds", json::array()}, {"times_ps", json::array()}, {"messages", path.messages()}};
  for (std::size_t kind = 0; kind < path_kinds; ++kind) {
    of["kinds"].push_back(shown_name(static_cast<PathKind>(kind)));
    of["times_ps"].push_back(path.times[kind].ps());
  }
  using Step = CriticalPath::Step;
  std::vector<Step> steps;
  std::ranges::copy_if(path.steps, std::back_inserter(steps), [&](const Step& step) {
    return step.end > step.begin &&
           std::min(index(step.who.rank), index(step.from.rank)) >= timeline.services;
  });
  of["pairs"] = wire_by_pair(steps, timeline);
  if (steps.size() > most_steps) return of;
  const auto rank = [&](const Actor& actor) { return rank_of(actor.rank, timeline); };
  of["steps"] = {{"from", packed<std::uint32_t>(steps, [&](const Step& step) { return rank(step.from); })},
                 {"to", packed<std::uint32_t>(steps, [&](const Step& step) { return rank(step.who); })},
                 {"begin_ps", packed<double>(steps, [](const Step& step) { return step.begin.ps(); })},
                 {"end_ps", packed<double>(steps, [](const Step& step) { return step.end.ps(); })},
                 {"kind", packed<std::uint8_t>(steps, [](const Step& step) {
                    return std::ranges::max_element(step.times) - step.times.begin();
                  })}};
  return of;
}

/// The busiest links, the busiest first.
json links_of(const LinkHistory& history) {
  constexpr std::size_t most_links = 96;
  const std::size_t windows = history.windows();
  std::vector<std::size_t> order;
  for (std::size_t link = 0; link < history.links.size(); ++link)
    if (history.links[link].utilisation > 0) order.push_back(link);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t link) { return history.links[link].utilisation; });
  if (order.size() > most_links) order.resize(most_links);
  const auto shares = [&](const std::vector<float>& all) {
    std::vector<std::uint8_t> bytes;
    for (const std::size_t link : order)
      for (std::size_t i = 0; i < windows; ++i)
        bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * all[link * windows + i])));
    return base64(bytes);
  };
  json of{{"count", history.links.size()},    {"names", json::array()},
          {"utilisation", json::array()},     {"windows", windows},
          {"window_ps", history.window.ps()}, {"end_ps", history.end.ps()},
          {"busy", shares(history.busy)}};
  if (!history.stopped.empty()) of["stopped"] = shares(history.stopped);
  std::vector<SimTime> queues;
  if (!history.queued.empty())
    for (const std::size_t link : order)
      for (std::size_t i = 0; i < windows; ++i) queues.push_back(history.queued[link * windows + i]);
  const SimTime longest = queues.empty() ? SimTime() : std::ranges::max(queues);
  if (longest > SimTime()) {
    constexpr double most = std::numeric_limits<std::uint16_t>::max();
    const auto share = [&](SimTime queued) { return queued.seconds() / longest.seconds(); };
    of["longest_queue_ps"] = longest.ps();
    of["queued"] =
        packed<std::uint16_t>(queues, [&](SimTime queued) { return std::lround(most * share(queued)); });
  }
  for (const std::size_t link : order) {
    of["names"].push_back(text_of(history.links[link]));
    of["utilisation"].push_back(history.links[link].utilisation);
  }
  return of;
}

/// What was lost, refused or sent again, as the trace has it.
json trouble_of(const NetworkMetrics& metrics) {
  json rows = json::array();
  for (const NetworkMetrics::Series& series : metrics.series) {
    if (!series.accumulated) continue;
    const auto& points = series.points;
    rows.push_back({{"name", series.name},
                    {"times_ps", packed<double>(points, [](const auto& point) { return point.first.ps(); })},
                    {"counts", packed<double>(points, [](const auto& point) { return point.second; })}});
  }
  return rows;
}

/// Time that each kind takes in the columns of one rank.
class Columns {
 public:
  Columns(std::size_t count, SimTime end)
      : width_(static_cast<double>(std::max<std::int64_t>(1, end.ps())) / static_cast<double>(count)),
        times_(count) {}

  /// @param share  of the time from begin to end that goes into it, wherever
  void add(ActivityKind kind, SimTime begin, SimTime end, double share) {
    const auto from = static_cast<double>(begin.ps()), to = static_cast<double>(end.ps());
    for (std::size_t column = column_at(from); column < times_.size() && start(column) < to; ++column)
      times_[column][static_cast<std::size_t>(kind)] +=
          share * std::max(0.0, std::min(to, start(column + 1)) - std::max(from, start(column)));
  }
  ActivityKind longest(std::size_t column) const {
    auto times = times_[column];
    double in_calls = 0;
    for (std::size_t kind = 1; kind < times.size(); ++kind) in_calls += times[kind];
    times[0] = width_ - in_calls;
    return static_cast<ActivityKind>(std::ranges::max_element(times) - times.begin());
  }

 private:
  double start(std::size_t column) const { return static_cast<double>(column) * width_; }
  std::size_t column_at(double ps) const {
    return std::min(times_.size() - 1, static_cast<std::size_t>(ps / width_));
  }

  double width_;
  std::vector<std::array<double, activity_kinds>> times_;
};

}  // namespace

ActivityKind kind_of_call(std::string_view name) {
  const auto holds = [name](auto... words) { return ((name.find(words) != std::string_view::npos) || ...); };
  if (name.starts_with("pvm_")) {
    if (holds("barrier", "reduce", "gather", "scatter", "bcast")) return ActivityKind::collective;
    if (holds("send", "recv", "mcast", "upk", "pk")) return ActivityKind::point_to_point;
    return holds("probe") ? ActivityKind::waiting : ActivityKind::other;
  }
  if (name.starts_with("MPI_Win_") ||
      holds("Put", "Get_accumulate", "Fetch_and", "Compare_and", "Accumulate", "accumulate") ||
      name == "MPI_Get" || name == "MPI_Rget")
    return ActivityKind::one_sided;
  if (holds("MPI_Wait", "MPI_Test", "robe", "MPI_Parrived")) return ActivityKind::waiting;
  if (holds("File_", "Comm_", "Init", "Finalize", "Cart_", "Graph_", "Group_", "Intercomm", "Dist_graph",
            "Session"))
    return ActivityKind::other;
  if (holds("arrier", "cast", "educe", "ather", "catter", "lltoall", "can") && !holds("Cancel"))
    return ActivityKind::collective;
  if (holds("end", "ecv", "MPI_Start", "MPI_Pready")) return ActivityKind::point_to_point;
  return ActivityKind::other;
}

std::vector<ActivityKind> overview_of(const Timeline& timeline, std::size_t columns) {
  const std::size_t ranks = timeline.ranks - timeline.services;
  std::vector<ActivityKind> kinds;
  for (const std::string& name : timeline.names) kinds.push_back(kind_of_call(name));
  std::vector<ActivityKind> overview(ranks * columns, ActivityKind::computing);
  const std::vector<ShownCall> calls = shown_calls(timeline);
  for (std::size_t i = 0; i < calls.size();) {
    const Rank rank = calls[i].call.rank;
    Columns times(columns, timeline.end);
    for (; i < calls.size() && calls[i].call.rank == rank; ++i) {
      const auto& [call, polls, polling] = calls[i];
      const double share = polling > SimTime() ? polling.seconds() / (call.end - call.begin).seconds() : 1;
      times.add(kinds[call.name], call.begin, call.end, share);
    }
    for (std::size_t column = 0; column < columns; ++column)
      overview[rank_of(rank, timeline) * columns + column] = times.longest(column);
  }
  return overview;
}

json carried_data(const CarriedMessages& carried, std::size_t ranks) {
  Histogram sizes = carried.sizes;
  while (!sizes.empty() && sizes.back() == 0) sizes.pop_back();
  return {{"matrix", matrix_of(carried.pairs, ranks)}, {"sizes", std::move(sizes)}};
}

json page_data(const Timeline& timeline, std::size_t most_events, const CriticalPath* path,
               const LinkHistory& links, std::span<const BottleneckLine> bottleneck,
               std::span<const CycleMember> cycle, const ExecutionTimeline* execution) {
  const std::size_t ranks = timeline.ranks - timeline.services;
  std::vector<Timeline::Message> messages;
  Histogram sizes, latencies;
  for (const Timeline::Message& message : timeline.messages) {
    if (!is_between_ranks(message, timeline)) continue;
    messages.push_back(message);
    count_in(sizes, message.bytes.count());
    count_in(latencies, (message.received - message.sent).ps());
  }
  const std::size_t columns =
      std::clamp<std::size_t>(most_overview_bytes / std::max<std::size_t>(1, ranks), 64, most_columns);
  json data{{"program", timeline.program},
            {"platform", timeline.platform},
            {"ranks", ranks},
            {"first_rank", timeline.services},
            {"end_ps", timeline.end.ps()},
            {"notices", timeline.notices},
            {"message_count", messages.size()},
            {"kinds", names_of_kinds},
            {"names", json::array()},
            {"totals", totals_of(timeline)},
            {"per_rank", ranks_of(timeline)},
            {"matrix", matrix_of(timeline)},
            {"collective_totals", collective_totals_of(timeline)},
            {"sizes", sizes},
            {"latencies_ps", latencies},
            {"overview",
             {{"columns", columns},
              {"kinds", packed<std::uint8_t>(overview_of(timeline, columns),
                                             [](ActivityKind kind) { return kind; })}}}};
  for (const std::string& name : timeline.names)
    data["names"].push_back({{"name", name}, {"kind", kind_of_call(name)}});
  const std::size_t calls = timeline.calls.size() + timeline.polls.size();
  if (calls <= most_events) data["calls"] = calls_of(timeline);
  if (calls + messages.size() <= most_events) data["messages"] = messages_of(messages, timeline);
  if (!timeline.parts.empty() && calls + messages.size() + timeline.parts.size() <= most_events)
    data["collectives"] = collectives_of(timeline);
  if (std::ranges::any_of(links.busy, [](float share) { return share > 0; })) data["links"] = links_of(links);
  if (json trouble = trouble_of(timeline.metrics); !trouble.empty()) data["trouble"] = std::move(trouble);
  for (const BottleneckLine& line : bottleneck)
    data["bottleneck"].push_back({{"label", line.label}, {"text", line.text}});
  for (const std::size_t call : timeline.unfinished)
    data["unfinished"].push_back({{"rank", rank_of(timeline.calls[call].rank, timeline)},
                                  {"begin_ps", timeline.calls[call].begin.ps()}});
  for (const CycleMember& member : cycle)
    data["cycle"].push_back(
        {{"rank", rank_of(Rank{static_cast<std::int32_t>(member.rank)}, timeline)}, {"call", member.call}});
  if (path != nullptr) data["critical_path"] = path_of(*path, timeline, most_events);
  if (execution != nullptr) data["execution"] = execution_data(*execution, most_events);
  if (!data.contains("messages"))
    data["notices"].push_back(
        "the trace has more events than this page holds: it shows what takes most of the time at each place" +
        std::string(data.contains("calls") ? ", and calls, but no messages" : ""));
  return data;
}

}  // namespace morgana
