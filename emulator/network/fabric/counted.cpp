// What the fabric reports: counters, links and losses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "emulator/core/resource_load.h"
#include "emulator/network/fabric/fabric_network.h"

namespace morgana {
namespace {

LinkEnd end_of(const SwitchPort& port) {
  return {LinkEnd::Kind::switch_port, port.at, port.port};
}

LinkEnd from_of(const SwitchGraph& graph, CableChannel channel) {
  return graph.sent_by_host(channel) ? LinkEnd{LinkEnd::Kind::host, graph.sending_host(channel), 0}
                                     : end_of(graph.sending_port(channel));
}

LinkEnd to_of(const fabric::Links& links, CableChannel channel) {
  const Neighbour& to = links.to(channel);
  return to.is_host() ? LinkEnd{LinkEnd::Kind::host, to.id, 0} : end_of(to.switch_port());
}

std::string node_text(const LinkEnd& end) {
  return fmt::format("{} {}", end.is_host() ? "host" : "switch", end.number);
}

/// What a link, or a virtual channel of it, has counted.
struct ChannelCount {
  std::int64_t packets = 0, bytes = 0, dropped = 0, trimmed = 0, marked = 0;
  ChannelCount& operator+=(const ChannelCount& other) {
    packets += other.packets;
    bytes += other.bytes;
    dropped += other.dropped;
    trimmed += other.trimmed;
    marked += other.marked;
    return *this;
  }
  bool is_zero() const { return packets == 0 && dropped == 0 && trimmed == 0; }
  void add_to(std::vector<CounterTable::Value>& row) const { row.insert(row.end(), {packets, bytes}); }
};

double share(SimTime part, SimTime whole) {
  return whole > SimTime() ? part.seconds() / whole.seconds() : 0;
}

}  // namespace

bool FabricNetwork::is_shown(CableChannel channel) const {
  const auto hidden = [this](const LinkEnd& end) { return end.is_host() && end.number >= first_hidden_; };
  return !links_.to(channel).is_nothing() && !hidden(from_of(network_.graph, channel)) &&
         !hidden(to_of(links_, channel));
}

bool FabricNetwork::is_idle(CableChannel channel) const {
  for (unsigned one = 0; one < channels_.count(); ++one)
    if (links_.counts().carried(channel, one).packets > 0 ||
        dropped_[channel * channels_.count() + one] > 0 || links_.counts().trimmed(channel, one) > 0)
      return false;
  return !links_.can_pause() || links_.counts().pause_frames(channel) == 0;
}

NetworkLinks FabricNetwork::links(SimTime until) {
  NetworkLinks all{"packets", {}};
  for (CableChannel channel = 0; channel < links_.size(); ++channel) {
    if (!is_shown(channel)) continue;
    const LinkEnd from = from_of(network_.graph, channel), end = to_of(links_, channel);
    LinkLoad load{
        from, end, links_.counts().carried(channel).packets, share(links_.busy(channel, until), until),
        {},   {}};
    if (links_.has_credits() || links_.can_pause())
      load.stopped = share(links_.stalled(channel, until), until);
    load.of_program = links_.counts().followed(channel);
    all.loads.push_back(load);
  }
  return all;
}

std::vector<CounterTable> FabricNetwork::counted(SimTime until) {
  return count(until, true);
}

std::vector<TroubleCount> FabricNetwork::troubles(SimTime until) {
  return troubles_in(count(until, false));
}

/// @param idle  whether links that nothing has happened on have rows
std::vector<CounterTable> FabricNetwork::count(SimTime until, bool idle) {
  const bool pauses = links_.can_pause();
  const bool drops = !links_.has_credits(), trims = parameters_.trim.size > Bytes(0),
             marks = parameters_.marks.to > Bytes(0);
  CounterTable all{"Fabric links", {{"from"}, {"to"}}, {}};
  if (channels_.count() > 1) all.columns.push_back({"virtual channels"});
  all.columns.insert(all.columns.end(), {{"packets"}, {"bytes"}});
  CounterTable apart{
      "Fabric virtual channels", {{"from"}, {"to"}, {"virtual channel"}, {"packets"}, {"bytes"}}, {}};
  // What has a queue or a pause of its own for each channel stands in both, and is trouble once.
  if (links_.has_credits()) all.columns.push_back({"lacked credits", true});
  if (pauses)
    all.columns.insert(all.columns.end(), {{"paused", true}, {.name = "pause frames sent", .trouble = true}});
  if (drops) {
    all.columns.push_back({.name = "packets dropped", .trouble = true});
    apart.columns.push_back({"packets dropped"});
  }
  if (trims) {
    all.columns.push_back({.name = "packets trimmed", .trouble = true});
    apart.columns.push_back({"packets trimmed"});
  }
  if (marks) {
    all.columns.push_back({"packets marked"});
    apart.columns.push_back({"packets marked"});
  }
  all.columns.push_back({"utilisation", true});
  for (CableChannel channel = 0; channel < links_.size(); ++channel) {
    if (!is_shown(channel)) continue;
    if (!idle && is_idle(channel)) continue;
    const std::string from = node_text(from_of(network_.graph, channel)),
                      to = node_text(to_of(links_, channel));
    ChannelCount sum;
    std::string used;
    std::vector<std::pair<unsigned, ChannelCount>> by_channel;
    for (unsigned one = 0; one < channels_.count(); ++one) {
      const fabric::LinkCount& count = links_.counts().carried(channel, one);
      const ChannelCount counts{count.packets, count.bytes, dropped_[channel * channels_.count() + one],
                                links_.counts().trimmed(channel, one), links_.counts().marked(channel, one)};
      sum += counts;
      if (counts.is_zero()) continue;
      by_channel.emplace_back(one, counts);
      used += fmt::format("{}{}", used.empty() ? "" : ", ", one);
    }
    for (const auto& [one, counts] : by_channel) {
      if (by_channel.size() == 1) break;  // the link's own row says it all
      std::vector<CounterTable::Value> row{from, to, std::int64_t{one}};
      counts.add_to(row);
      if (drops) row.emplace_back(counts.dropped);
      if (trims) row.emplace_back(counts.trimmed);
      if (marks) row.emplace_back(counts.marked);
      apart.rows.push_back(std::move(row));
    }
    std::vector<CounterTable::Value> row{from, to};
    if (channels_.count() > 1) row.emplace_back(used);
    sum.add_to(row);
    if (links_.has_credits() || pauses) row.emplace_back(share(links_.stalled(channel, until), until));
    if (pauses) row.emplace_back(static_cast<std::int64_t>(links_.counts().pause_frames(channel)));
    if (drops) row.emplace_back(sum.dropped);
    if (trims) row.emplace_back(sum.trimmed);
    if (marks) row.emplace_back(sum.marked);
    row.emplace_back(share(links_.busy(channel, until), until));
    all.rows.push_back(std::move(row));
  }
  std::vector<CounterTable> tables{std::move(all)};
  if (idle && parameters_.ejection > BitRate(0)) tables.push_back(ejected(until));
  if (!apart.rows.empty()) tables.push_back(std::move(apart));
  if (pauses)
    for (CounterTable& table : pause_tables(pauses_until(until))) tables.push_back(std::move(table));
  const bool has_watchdogs = parameters_.watches();
  if (outages_.any() || parameters_.bit_error_rate > 0 || has_watchdogs) {
    const auto count = [](std::uint64_t packets) { return static_cast<std::int64_t>(packets); };
    tables.push_back({"Fabric losses",
                      {{"cause"}, {"packets"}},
                      {{"lost: cable down", count(before_dead_cables_)},
                       {"lost: no path", count(without_way_)},
                       {"lost: corrupt", count(corrupt_)}},
                      {0, 1, 2}});
    if (has_watchdogs) {
      tables.back().rows.push_back({"lost: given up by a watchdog", count(given_up_)});
      tables.back().trouble_rows.push_back(tables.back().rows.size() - 1);
      tables.push_back(given_up());
    }
  }
  return tables;
}

/// By host that something has come to.
CounterTable FabricNetwork::ejected(SimTime until) const {
  CounterTable table =
      share_in_use(ResourceLoad::Place::receiving, "buses into hosts (network.ejection-rate)");
  for (std::size_t host = 0; host < std::min(hosts_.size(), first_hidden_); ++host)
    if (const SimTime used = hosts_[host].emptying(until); used > SimTime())
      table.rows.push_back({static_cast<std::int64_t>(host), share(used, until)});
  return table;
}

/// By output: how often its watchdogs gave up a queue.
CounterTable FabricNetwork::given_up() const {
  CounterTable table{
      "Pause watchdogs",
      {{"switch"}, {"port"}, {"to"}, {.name = "queues given up", .share = false, .trouble = true}},
      {}};
  const SwitchGraph& graph = network_.graph;
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const SwitchPort output{at, static_cast<PortNumber>(port)};
      const std::int64_t times = switches_[at].given_up(output.port);
      if (times == 0) continue;
      const Neighbour& to = graph.neighbour(output);
      table.rows.push_back({std::int64_t{at}, std::int64_t{port},
                            fmt::format("{} {}", to.is_host() ? "host" : "switch", to.id), times});
    }
  }
  return table;
}

PauseReport FabricNetwork::pauses_until(SimTime until) {
  const auto link = [this](CableChannel channel) {
    return PauseReport::Link{from_of(network_.graph, channel), to_of(links_, channel)};
  };
  const fabric::PauseCauses& causes = links_.causes();
  PauseReport report;
  std::map<std::pair<CableChannel, unsigned>, SimTime> open;  // pauses that have not ended, by their cause
  for (CableChannel channel = 0; channel < links_.size(); ++channel) {
    std::map<unsigned, PauseReport::Paused> by_class;  // groups of a class are paused apart: the longest
    for (unsigned group = 0; group < causes.groups(); ++group) {
      const fabric::PauseCauses::Total total = causes.total(channel, group, until);
      if (total.pauses == 0) continue;
      if (total.open > SimTime()) open[{total.cause, total.traffic_class}] += total.open;
      PauseReport::Paused& one = by_class[total.traffic_class];
      one.link = link(channel);
      one.traffic_class = total.traffic_class;
      one.pauses += total.pauses;
      if (one.share > share(total.paused, until)) continue;
      one.share = share(total.paused, until);
      one.cause = link(total.cause);
    }
    for (const auto& [number, one] : by_class) report.paused.push_back(one);
  }
  for (const auto& [named, root] : causes.roots()) {
    PauseReport::Congested one{link(named.first), named.second, root.pauses,
                               static_cast<std::int64_t>(root.links.size()),
                               share(root.paused + open[named], until)};
    std::int64_t bytes = 0;
    for (const auto& [host, queued] : root.queued) bytes += queued;
    for (const auto& [host, queued] : root.queued)
      one.senders.emplace_back(host, static_cast<double>(queued) / static_cast<double>(bytes));
    std::ranges::stable_sort(one.senders, std::greater<>(), &std::pair<std::int64_t, double>::second);
    report.congested.push_back(std::move(one));
  }
  std::ranges::stable_sort(report.paused, std::greater<>(), &PauseReport::Paused::share);
  std::ranges::stable_sort(report.congested, std::greater<>(), &PauseReport::Congested::paused_links);
  return report;
}

std::string FabricNetwork::how_lost() const {
  if (!lost_) return {};
  if (lost_->why == fabric::Loss::cable_down)
    return fmt::format("its packet waited at {:.9f} s for a cable that was down: {}", lost_->at.seconds(),
                       network_.graph.describe(lost_->output));
  if (lost_->why == fabric::Loss::corrupt)
    return fmt::format("its packet was corrupt, and discarded at {:.9f} s", lost_->at.seconds());
  if (lost_->why == fabric::Loss::given_up) {
    return fmt::format("a watchdog had given up the paused queue {} at {:.9f} s",
                       network_.graph.describe(lost_->output), lost_->at.seconds());
  }
  const SwitchPort output = network_.graph.sending_port(lost_->output);
  if (lost_->why == fabric::Loss::queue_full) {
    return fmt::format("its packet was dropped at {:.9f} s at switch {} port {}, whose {} was full",
                       lost_->at.seconds(), output.at, output.port,
                       parameters_.shared.size > Bytes(0) ? "part of the shared buffer" : "output queue");
  }
  return fmt::format("its packet was at switch {} at {:.9f} s, from where no path leads to host {}",
                     output.at, lost_->at.seconds(), lost_->to);
}

/// Because of hosts that pause without end.
std::string FabricNetwork::standing_before_pauses() const {
  std::vector<HostNumber> pausing;
  for (HostNumber host = 0; host < hosts_.size(); ++host)
    if (hosts_[host].pauses()) pausing.push_back(host);
  if (pausing.empty()) return {};
  const std::size_t packets = packets_.in_use();
  return fmt::format(
      "{} {} in the network, and {} without end: give {} a duration in network.faults, or set "
      "network.pause-watchdog so that switches drop the paused packets",
      packets, packets == 1 ? "packet stands" : "packets stand",
      pausing.size() == 1 ? fmt::format("host {} pauses its switch port", pausing.front())
                          : fmt::format("hosts {} pause their switch ports", fmt::join(pausing, ", ")),
      pausing.size() == 1 ? "the pause" : "the pauses");
}

std::string FabricNetwork::remedy() const {
  if (!lost_) {
    return parameters_.storms.empty() ? ""
                                      : "give the pauses in network.faults a duration, or set "
                                        "network.pause-watchdog so that switches "
                                        "drop the paused packets";
  }
  if (lost_->why == fabric::Loss::queue_full)
    return parameters_.shared.size > Bytes(0)
               ? "a larger network.shared-buffer or network.headroom drops fewer, and network.flow-control = "
                 "\"pause\" with network.headroom = \"0 B\" none"
               : "a larger network.output-queue drops fewer, and network.flow-control = \"credits\" none";
  if (lost_->why == fabric::Loss::given_up)
    return "a longer network.pause-watchdog, or shorter pauses in network.faults, give up fewer queues";
  if (lost_->why == fabric::Loss::corrupt)
    return "a smaller network.bit-error-rate and fewer network.faults spoil fewer packets";
  if (lost_->why == fabric::Loss::cable_down)
    return "network.convergence says how long switches send to what has failed, network.faults what fails";
  return "join the switches by more cables";
}

}  // namespace morgana
