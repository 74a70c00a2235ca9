#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "emulator/network/atm/atm_network.h"

namespace morgana {
namespace {
using namespace atm;

std::int64_t count(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}
double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Of so many cells, headers included, in kb/s.
double bandwidth(std::uint64_t cells, SimTime time) {
  return time > SimTime() ? bits_per_second(static_cast<double>(cells) / time.seconds()) * 1e-3 : 0;
}

constexpr const char* categories[] = {"cbr", "vbr", "abr", "ubr", "abt"};

std::string text_of(const ChannelName& name) {
  return fmt::format("{}/{}", name.vpi, name.vci);
}

}  // namespace

std::vector<CounterTable> AtmNetwork::counted(SimTime until) {
  work_out(until.ps());
  std::vector<CounterTable> tables{count_outputs(until), count_connections(until), count_categories(until)};
  if (rates_.feedback || rates_.contracts != Contracts::none ||
      rates_.blocks.transmission != BlockTransmission::none)
    tables.push_back(count_rates());
  if (rates_.blocks.transmission != BlockTransmission::none) tables.push_back(count_blocks());
  if (estimates_) tables.push_back(count_estimates());
  return tables;
}

NetworkLinks AtmNetwork::links(SimTime until) {
  work_out(until.ps());
  NetworkLinks links{"cells", {}};
  std::vector<std::uint64_t> sent(fabric_.hosts.size());
  for (const Connection& connection : fabric_.connections)
    sent[connection.from] += connection.counters.cells_in;
  for (std::uint32_t number = 0; number < sent.size(); ++number) {
    const Host& host = fabric_.hosts[number];
    const double busy = static_cast<double>(sent[number]) * static_cast<double>(host.cell_time);
    const double utilisation = until > SimTime() ? busy / static_cast<double>(until.ps()) : 0;
    links.loads.push_back({{LinkEnd::Kind::host, number, 0},
                           {LinkEnd::Kind::switch_port, host.at, host.input},
                           count(sent[number]),
                           std::min(1.0, utilisation),
                           {},
                           SimTime::from_ps(std::max<std::int64_t>(host.link_free - until.ps(), 0))});
  }
  for (std::uint32_t number = 0; number < fabric_.switches.size(); ++number) {
    const std::vector<OutputCounters> outputs = fabric_.switches[number]->counters(until);
    for (std::uint32_t output = 0; output < outputs.size(); ++output) {
      const Downstream& next = fabric_.downstream[number][output];
      const LinkEnd::Kind kind = next.host ? LinkEnd::Kind::host : LinkEnd::Kind::switch_port;
      links.loads.push_back({{LinkEnd::Kind::switch_port, number, output},
                             {kind, next.number, next.input},
                             count(outputs[output].cells_in - outputs[output].cells_lost),
                             outputs[output].utilisation(),
                             {},
                             outputs[output].queued});
    }
  }
  return links;
}

CounterTable AtmNetwork::count_outputs(SimTime until) {
  CounterTable table{"ATM outputs",
                     {{"output"},
                      {"cells in"},
                      {"cells out"},
                      {.name = "cells lost", .trouble = true},
                      {"background in"},
                      {.name = "background lost", .trouble = true},
                      {"mean queue"},
                      {"longest queue"},
                      {"utilisation", true}},
                     {}};
  for (std::uint32_t number = 0; number < fabric_.switches.size(); ++number) {
    const std::vector<OutputCounters> outputs = fabric_.switches[number]->counters(until);
    for (std::uint32_t output = 0; output < outputs.size(); ++output) {
      const OutputCounters& counters = outputs[output];
      table.rows.push_back({output_name(number, output), count(counters.cells_in),
                            count(counters.cells_in - counters.cells_lost), count(counters.cells_lost),
                            count(counters.background_in), count(counters.background_lost),
                            counters.mean_queue(), counters.longest_queue, counters.utilisation()});
    }
  }
  return table;
}

CounterTable AtmNetwork::count_connections(SimTime until) const {
  CounterTable table{"ATM connections",
                     {{"connection"},
                      {"category"},
                      {"first VPI/VCI"},
                      {"last VPI/VCI"},
                      {"cells in"},
                      {"cells out"},
                      {"cells lost"},
                      {"loss", true},
                      {"packets joined"},
                      {"sent (kb/s)"},
                      {"carried (kb/s)"}},
                     {}};
  for (const Connection& connection : fabric_.connections) {
    const ConnectionCounters& counters = connection.counters;
    const char* what = connection.returned_of ? "host {} to {}, RM cells back" : "host {} to {}";
    table.rows.push_back({fmt::format(fmt::runtime(what), connection.from, connection.to),
                          categories[static_cast<std::size_t>(connection.contract.category)],
                          text_of(connection.path.front().in), text_of(connection.path.back().out),
                          count(counters.cells_in), count(counters.cells_delivered),
                          count(counters.cells_lost), share(counters.cells_lost, counters.cells_in),
                          count(counters.packets_joined), bandwidth(counters.cells_in, until),
                          bandwidth(counters.cells_delivered, until)});
  }
  return table;
}

CounterTable AtmNetwork::count_categories(SimTime until) const {
  struct Sum {
    std::uint64_t connections = 0, sent = 0, carried = 0, lost = 0;
  };
  std::array<Sum, std::size(categories)> sums;
  std::uint64_t all = 0;
  for (const Connection& connection : fabric_.connections) {
    Sum& sum = sums[static_cast<std::size_t>(connection.contract.category)];
    if (!connection.returned_of) ++sum.connections;
    sum.sent += connection.counters.cells_in;
    sum.carried += connection.counters.cells_delivered;
    sum.lost += connection.counters.cells_lost;
    all += connection.counters.cells_in;
  }
  CounterTable table{"ATM categories",
                     {{"category"},
                      {"connections"},
                      {"cells in"},
                      {"share of cells", true},
                      {"cells out"},
                      {"cells lost"},
                      {"sent (kb/s)"},
                      {"carried (kb/s)"}},
                     {}};
  for (std::size_t number = 0; number < sums.size(); ++number) {
    const Sum& sum = sums[number];
    if (sum.connections == 0) continue;
    table.rows.push_back({categories[number], count(sum.connections), count(sum.sent), share(sum.sent, all),
                          count(sum.carried), count(sum.lost), bandwidth(sum.sent, until),
                          bandwidth(sum.carried, until)});
  }
  return table;
}

CounterTable AtmNetwork::count_rates() const {
  CounterTable table{"ATM rates",
                     {{"connection"},
                      {"category"},
                      {"rate (Mb/s)"},
                      {"RM cells out"},
                      {"RM cells back"},
                      {.name = "cells policed", .trouble = true}},
                     {}};
  for (std::uint32_t number = 0; number < fabric_.connections.size(); ++number) {
    const Connection& connection = fabric_.connections[number];
    const bool paced = paced_.paces(number);
    if (!paced && !connection.policing) continue;
    const PacedConnections::Counters rate = paced ? paced_.counters(number) : PacedConnections::Counters{};
    const bool cbr = connection.contract.category == ServiceCategory::cbr;
    const double cells = paced ? rate.rate : (cbr ? rates_.cbr : rates_.vbr).peak;
    table.rows.push_back({fmt::format("host {} to {}", connection.from, connection.to),
                          categories[static_cast<std::size_t>(connection.contract.category)],
                          bits_per_second(cells) * 1e-6, count(rate.forward), count(rate.backward),
                          count(connection.counters.policed)});
  }
  return table;
}

CounterTable AtmNetwork::count_blocks() const {
  CounterTable table{
      "ATM blocks", {{"connection"}, {"blocks"}, {.name = "requests refused", .trouble = true}}, {}};
  for (const Connection& connection : fabric_.connections) {
    if (connection.contract.category != ServiceCategory::abt || connection.returned_of) continue;
    table.rows.push_back({fmt::format("host {} to {}", connection.from, connection.to),
                          count(connection.counters.blocks), count(connection.counters.blocks_refused)});
  }
  return table;
}

// Averaged over the switches, as in section 2.2.2 of the thesis.
double AtmNetwork::estimated_loss() const {
  double sum = 0;
  for (std::uint32_t number = 0; number < switches(); ++number)
    sum += share(estimated_lost(number), cells_seen(number));
  return sum / static_cast<double>(switches());
}

CounterTable AtmNetwork::count_estimates() const {
  CounterTable table{
      "ATM loss estimated", {{"switch"}, {"cells in"}, {"above the limit"}, {"estimated loss", true}}, {}};
  for (std::uint32_t number = 0; number < fabric_.switches.size(); ++number) {
    const std::uint64_t seen = cells_seen(number), above = estimated_lost(number);
    table.rows.push_back({fmt::format("switch {}", number), count(seen), count(above), share(above, seen)});
  }
  table.rows.push_back({"mean", "", "", estimated_loss()});
  return table;
}

std::string AtmNetwork::how_lost() const {
  if (!lost_behind_) return loss_of(lost_);
  return fmt::format(
      "{} came whole, but behind cells of a packet without its last cell, which AAL5 takes for the same "
      "packet ({})",
      lost_.cells == 1 ? "its cell" : fmt::format("its {} cells", lost_.cells), loss_of(*lost_behind_));
}

std::string AtmNetwork::loss_of(const Train& train) const {
  const Hop& hop = fabric_.connections[train.connection].path[train.lost_hop];
  return fmt::format(
      "{} of {} cells lost, the first at {:.9f} s at the output of {}, as the switch's {} were full",
      train.lost, train.cells, static_cast<double>(train.lost_at) * 1e-12, output_name(hop.at, hop.output),
      buffer_ == 1 ? "1 cell of buffer" : fmt::format("{} cells of buffer", buffer_));
}

std::string AtmNetwork::output_name(std::uint32_t number, std::uint32_t output) const {
  const Downstream& next = fabric_.downstream[number][output];
  return fmt::format("switch {} to {} {}", number, next.host ? "host" : "switch", next.number);
}

}  // namespace morgana
