// What the fabric reports: counters, links and losses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/network/fabric/fabric_network.h"

namespace morgana {
namespace {

LinkEnd end_of(const SwitchPort& port) {
  return {LinkEnd::Kind::switch_port, port.at, port.port};
}

double share(SimTime part, SimTime whole) {
  return whole > SimTime() ? part.seconds() / whole.seconds() : 0;
}

}  // namespace

NetworkLinks FabricNetwork::links(SimTime until) {
  const SwitchGraph& graph = network_.graph;
  NetworkLinks all{"packets", {}};
  for (CableChannel channel = 0; channel < links_.size(); ++channel) {
    const Neighbour& to = links_.to(channel);
    if (to.is_nothing()) continue;
    const LinkEnd from = graph.sent_by_host(channel)
                             ? LinkEnd{LinkEnd::Kind::host, graph.sending_host(channel), 0}
                             : end_of(graph.sending_port(channel));
    const LinkEnd end = to.is_host() ? LinkEnd{LinkEnd::Kind::host, to.id, 0} : end_of(to.switch_port());
    std::int64_t packets = 0;
    for (unsigned one = 0; one < channels_.count(); ++one) packets += links_.counted(channel, one).packets;
    LinkLoad load{from, end, packets, share(links_.busy(channel, until), until), {}, {}};
    if (links_.has_credits() || links_.can_pause())
      load.stopped = share(links_.stalled(channel, until), until);
    load.of_program = links_.followed(channel);
    all.loads.push_back(load);
  }
  return all;
}

std::vector<CounterTable> FabricNetwork::counted(SimTime until) {
  const bool credits = links_.has_credits(), pauses = links_.can_pause();
  const bool drops = !credits, trims = parameters_.trim.size > Bytes(0),
             marks = parameters_.marks.to > Bytes(0);
  CounterTable table{"Fabric links", {{"from"}, {"to"}, {"virtual channel"}, {"packets"}, {"bytes"}}, {}};
  if (credits) table.columns.push_back({"lacked credits", true});
  if (pauses)
    table.columns.insert(table.columns.end(),
                         {{"paused", true}, {.name = "pause frames sent", .trouble = true}});
  if (drops) table.columns.push_back({.name = "packets dropped", .trouble = true});
  if (trims) table.columns.push_back({.name = "packets trimmed", .trouble = true});
  if (marks) table.columns.push_back({"packets marked"});
  table.columns.push_back({"utilisation", true});
  const SwitchGraph& graph = network_.graph;
  const auto name = [](bool host, std::uint32_t number) {
    return fmt::format("{} {}", host ? "host" : "switch", number);
  };
  for (CableChannel channel = 0; channel < links_.size(); ++channel) {
    const Neighbour& to = links_.to(channel);
    if (to.is_nothing()) continue;
    const bool by_host = graph.sent_by_host(channel);
    const std::string from =
        name(by_host, by_host ? graph.sending_host(channel) : graph.sending_port(channel).at);
    for (unsigned one = 0; one < channels_.count(); ++one) {
      const fabric::LinkCount& count = links_.counted(channel, one);
      const std::int64_t dropped = dropped_[channel * channels_.count() + one];
      if (count.packets == 0 && dropped == 0 && links_.trimmed(channel, one) == 0 && one > 0) continue;
      std::vector<CounterTable::Value> row{from, name(to.is_host(), to.id), std::int64_t{one}, count.packets,
                                           count.bytes};
      if (credits || pauses) row.emplace_back(share(links_.stalled(channel, until), until));
      if (pauses) row.emplace_back(one == 0 ? static_cast<std::int64_t>(links_.pause_frames(channel)) : 0);
      if (drops) row.emplace_back(dropped);
      if (trims) row.emplace_back(links_.trimmed(channel, one));
      if (marks) row.emplace_back(links_.marked(channel, one));
      row.emplace_back(share(links_.busy(channel, until), until));
      table.rows.push_back(std::move(row));
    }
  }
  std::vector<CounterTable> tables{std::move(table)};
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

std::string FabricNetwork::standstill() const {
  std::vector<HostNumber> pausing;
  for (HostNumber host = 0; host < hosts_.size(); ++host)
    if (hosts_[host].pauses()) pausing.push_back(host);
  if (pausing.empty() || packets_.in_use() == 0) return {};
  return fmt::format(
      "{} packets stand in the network, and host{} {} pause{} the port of its switch (network.faults): "
      "network.pause-watchdog says after which time a switch drops what is paused",
      packets_.in_use(), pausing.size() == 1 ? "" : "s", fmt::join(pausing, ", "),
      pausing.size() == 1 ? "s" : "");
}

std::string FabricNetwork::remedy() const {
  if (!lost_) {
    return parameters_.storms.empty()
               ? ""
               : "network.faults says which hosts pause for how long, and network.pause-watchdog after which "
                 "time a switch drops what is paused";
  }
  if (lost_->why == fabric::Loss::queue_full)
    return parameters_.shared.size > Bytes(0)
               ? "a larger network.shared-buffer or network.headroom drops fewer, and network.flow-control = "
                 "\"pause\" with network.headroom = \"0 B\" none"
               : "a larger network.output-queue drops fewer, and network.flow-control = \"credits\" none";
  if (lost_->why == fabric::Loss::given_up)
    return "network.pause-watchdog says after which time a paused queue is given up, network.faults which "
           "hosts pause for how long";
  if (lost_->why == fabric::Loss::corrupt)
    return "a smaller network.bit-error-rate and fewer network.faults spoil fewer packets";
  if (lost_->why == fabric::Loss::cable_down)
    return "network.convergence says how long switches send to what has failed, network.faults what fails";
  return "join the switches by more cables";
}

}  // namespace morgana
