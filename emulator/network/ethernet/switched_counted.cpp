// What switched Ethernet tells of its frames: counters, links and losses.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/network/ethernet/switched.h"

namespace morgana {
namespace {

std::int64_t count(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

LinkEnd end_of(const SwitchPort& port) {
  return {LinkEnd::Kind::switch_port, port.at, port.port};
}

}  // namespace

// What is queued goes out back to back; only where an output's future is settled early are there pauses in
// it.
SimTime SwitchedEthernet::queued(const Port& port, SimTime at) {
  SimTime ahead = port.free > at ? port.free - at : SimTime();
  for (const Pause& pause : port.pauses)
    if (pause.end > at) ahead -= pause.end - std::max(pause.begin, at);
  return ahead;
}

double SwitchedEthernet::utilisation(const Port& port, SimTime until) {
  if (until <= SimTime()) return 0;
  return std::max(0.0, (port.taken - queued(port, until)).seconds()) / until.seconds();
}

NetworkLinks SwitchedEthernet::links(SimTime until) {
  const SwitchGraph& graph = network_.graph;
  NetworkLinks links{"frames", {}};
  for (CableChannel channel = 0; channel < ports_.size(); ++channel) {
    const Port& port = ports_[channel];
    if (port.to.is_nothing()) continue;
    const LinkEnd from = graph.sent_by_host(channel)
                             ? LinkEnd{LinkEnd::Kind::host, graph.sending_host(channel), 0}
                             : end_of(graph.sending_port(channel));
    const LinkEnd to =
        port.to.is_host() ? LinkEnd{LinkEnd::Kind::host, port.to.id, 0} : end_of(port.to.switch_port());
    links.loads.push_back({from,
                           to,
                           port.frames,
                           utilisation(port, until),
                           {},
                           queued(port, until),
                           followed_.empty() || port.followed});
  }
  return links;
}

std::vector<CounterTable> SwitchedEthernet::counted(SimTime until) {
  constexpr double us = 1e6;
  CounterTable outputs{"Ethernet outputs",
                       {{"output"},
                        {"frames in"},
                        {"frames out"},
                        {.name = "frames lost", .trouble = true},
                        {"mean wait (us)"},
                        {"longest wait (us)"},
                        {"utilisation", true}},
                       {}};
  for (CableChannel channel = 0; channel < ports_.size(); ++channel) {
    const Port& port = ports_[channel];
    if (port.to.is_nothing() || network_.graph.sent_by_host(channel)) continue;
    const double mean = port.frames > 0 ? port.waited.seconds() / static_cast<double>(port.frames) : 0;
    outputs.rows.push_back({output_name(channel), port.frames + port.lost, port.frames, port.lost, mean * us,
                            port.longest_wait.seconds() * us, utilisation(port, until)});
  }
  std::vector<CounterTable> tables{std::move(outputs)};
  if (faults_) {
    tables.push_back({"Ethernet faults",
                      {{"fault"}, {"frames"}},
                      {{"lost on dead cables", count(lost_on_dead_cables_)},
                       {"lost where no way was left", count(lost_without_way_)},
                       {"lost as their way changed", count(lost_with_their_way_)}},
                      {0, 1, 2}});
  }
  return tables;
}

std::string SwitchedEthernet::output_name(CableChannel output) const {
  const Neighbour& to = ports_[output].to;
  return fmt::format("switch {} to {} {}", network_.graph.sending_port(output).at,
                     to.is_host() ? "host" : "switch", to.id);
}

std::string SwitchedEthernet::how_lost() const {
  switch (lost_.why) {
    case Loss::buffer_full:
      return fmt::format("its frame was lost at {:.9f} s at the output of {}, whose buffer of {} {} was full",
                         lost_at_.seconds(), output_name(lost_.at), parameters_.buffer_frames,
                         parameters_.buffer_frames == 1 ? "frame" : "frames");
    case Loss::dead_cable:
      return fmt::format("its frame needed the cable {}, dead since {:.9f} s",
                         network_.graph.describe(lost_.at), ports_[lost_.at].dead_from.seconds());
    case Loss::way_changed:
      return fmt::format("its frame was at switch {} at {:.9f} s, while the ways round a fault changed",
                         network_.graph.sending_port(lost_.at).at, lost_at_.seconds());
    case Loss::no_way:
      break;
  }
  return fmt::format("its frame was at switch {} at {:.9f} s, from where no way to host {} is left",
                     network_.graph.sending_port(lost_.at).at, lost_at_.seconds(),
                     static_cast<std::uint32_t>(lost_.unit.to));
}

std::string SwitchedEthernet::remedy() const {
  switch (lost_.why) {
    case Loss::buffer_full:
      return "--set network.buffer=unlimited loses none of them";
    case Loss::dead_cable:
      return "what is dead stays so: leave it out of network.faults, or join the switches by more trunks and "
             "wait no longer than network.convergence";
    case Loss::way_changed:
    case Loss::no_way:
      break;
  }
  return "what is dead stays so: leave it out of network.faults, or join the switches by more trunks";
}

}  // namespace morgana
