#include <string>

#include "emulator/core/error.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/network/atm/cell.h"
#include "emulator/network/atm/fifo_switch.h"
#include "emulator/network/atm/priority_switch.h"
#include "emulator/routing/forwarding_table.h"

namespace morgana {
namespace {
using namespace atm;

// With more of them all trunks count as used: to look for shorter ways again and again would take too long.
constexpr std::uint32_t most_switches_looked_through = 32;
constexpr std::size_t most_outputs_chosen = 64;

std::shared_ptr<const Routing> routing_of(const AtmParameters& parameters) {
  if (parameters.routing) return parameters.routing;
  return std::make_shared<ForwardingTable>(
      shortest_path_table(parameters.network.graph, [](CableChannel) { return true; }));
}

/// Outputs of a switch: its plugged ports, which come first.
std::uint32_t outputs_of(const SwitchGraph& graph, SwitchId at) {
  std::uint32_t outputs = 0;
  while (outputs < graph.ports(at) && !graph.neighbour({at, static_cast<PortNumber>(outputs)}).is_nothing())
    ++outputs;
  return outputs;
}

void check(const CabledGraph& network) {
  const SwitchGraph& graph = network.graph;
  if (graph.switches() == 0) throw Error("an ATM network needs at least one switch: set network.switches");
  for (const SwitchGraph::Cable& trunk : graph.cables())
    if (trunk.a.at == trunk.b.at)
      throw Error("ATM: a trunk must join two different switches, not switch " + std::to_string(trunk.a.at) +
                  " with itself");
  for (SwitchId at = 0; at < graph.switches(); ++at)
    for (unsigned port = outputs_of(graph, at); port < graph.ports(at); ++port)
      if (!graph.neighbour({at, static_cast<PortNumber>(port)}).is_nothing())
        throw Error("ATM: port " + std::to_string(port) + " of switch " + std::to_string(at) +
                    " is plugged in behind one that is free");
  if (graph.hosts() == 0) return;
  const std::vector<std::uint32_t> trunks =
      trunks_to_nearest(usable_arcs(graph, [](CableChannel) { return true; }), {graph.port_of(0).at});
  for (HostNumber host = 1; host < graph.hosts(); ++host)
    if (trunks[graph.port_of(host).at] == unreachable_trunks)
      throw Error("ATM: no trunks lead from host 0 to host " + std::to_string(host) + ": add one");
}

void check(const AtmParameters& parameters) {
  check(parameters.network);
  parameters.switches.background.check();
  const SwitchParameters& switches = parameters.switches;
  if (switches.delay < SimTime() || switches.buffer < 0 || switches.epd_threshold < 0 ||
      switches.estimate_buffer < 0)
    throw Error("ATM: delays, buffers and thresholds can't be negative");
  const AtmInterface& interface = parameters.interface;
  for (const SimTime time : {interface.send_per_packet, interface.send_per_cell, interface.receive_per_cell,
                             interface.receive_per_packet})
    if (time < SimTime()) throw Error("ATM: an interface's work can't take less than no time");
  if (switches.background_categories.empty()) throw Error("ATM: background traffic needs a service category");
  parameters.switches.feedback.check();
  parameters.rates.abr.check();
  parameters.rates.blocks.check();
  for (const RateContract& contract : {parameters.rates.cbr, parameters.rates.vbr})
    if (contract.peak != 0) contract.check();
  const bool by_priority = parameters.switches.policy == DropPolicy::push_out;
  if (!by_priority && (parameters.switches.feedback.algorithm != AbrFeedback::none ||
                       parameters.rates.contracts == Contracts::policed ||
                       parameters.rates.blocks.transmission != BlockTransmission::none))
    throw Error(
        "ATM: rates are told, contracts policed and blocks admitted by switches that know priorities "
        "(push-out)");
  if (parameters.largest_packet < Bytes(1) || parameters.largest_packet > Bytes(65535))
    throw Error("ATM: the largest packet must have 1 to 65535 bytes");
}

/// Of each switch, as bits: its outputs that lead to such hosts.
std::vector<std::uint64_t> loaded_outputs(const std::vector<std::uint32_t>& hosts, const Fabric& fabric) {
  std::vector<std::uint64_t> outputs(fabric.downstream.size());
  for (const std::uint32_t number : hosts) {
    if (number >= fabric.hosts.size())
      throw Error("ATM: background traffic can't load the link of host " + std::to_string(number) +
                  ": there are " + std::to_string(fabric.hosts.size()) + " hosts, numbered from 0");
    const Host& host = fabric.hosts[number];
    if (fabric.downstream[host.at].size() > most_outputs_chosen)
      throw Error("ATM: background traffic can be kept to some hosts' links only at switches of at most " +
                  std::to_string(most_outputs_chosen) + " outputs");
    outputs[host.at] |= std::uint64_t{1} << host.input;
  }
  return outputs;
}

}  // namespace

AtmNetwork::AtmNetwork(EventQueue& events, const AtmParameters& parameters, std::uint64_t seed)
    : events_(events),
      network_(parameters.network),
      routing_(routing_of(parameters)),
      rates_{parameters.rates, parameters.switches.feedback.algorithm != AbrFeedback::none},
      paced_(events, *this),
      largest_packet_(parameters.largest_packet),
      buffer_(parameters.switches.buffer),
      estimates_(parameters.switches.estimate_buffer > 0) {
  check(parameters);
  fabric_.lossy = parameters.switches.buffer > 0;
  for (HostNumber number = 0; number < network_.graph.hosts(); ++number) {
    Host host;
    host.at = network_.graph.port_of(number).at;
    host.input = network_.graph.port_of(number).port;
    host.cell_time = cell_time(network_.hosts[number]).ps();
    host.propagation = network_.hosts[number].propagation.ps();
    host.send_stage = parameters.interface.send_per_cell.ps();
    host.receive_stage = parameters.interface.receive_per_cell.ps();
    host.send_work = parameters.interface.send_per_packet.ps();
    host.receive_work = parameters.interface.receive_per_packet.ps();
    host.serial = parameters.interface.serial;
    fabric_.hosts.push_back(host);
  }
  build_switches(parameters, seed);
  find_lookahead(false);
  find_least_latency();
  channels_to_host_.assign(network_.graph.hosts(), 0);
}

AtmNetwork::~AtmNetwork() = default;

void AtmNetwork::build_switches(const AtmParameters& parameters, std::uint64_t seed) {
  const SwitchGraph& graph = network_.graph;
  const std::int64_t delay = parameters.switches.delay.ps();
  fabric_.downstream.resize(switches());
  incoming_.resize(switches());
  std::vector<std::vector<SimTime>> cell_times(switches());  // by port
  for (SwitchId at = 0; at < switches(); ++at) {
    cell_times[at].resize(outputs_of(graph, at));
    fabric_.downstream[at].resize(cell_times[at].size());
  }
  for (HostNumber number = 0; number < graph.hosts(); ++number) {
    const Host& host = fabric_.hosts[number];
    cell_times[host.at][host.input] = SimTime::from_ps(host.cell_time);
    fabric_.downstream[host.at][host.input] = {true, number, 0, host.cell_time, host.propagation};
  }
  for (std::size_t number = 0; number < graph.cables().size(); ++number) {
    const auto& [a, b] = graph.cables()[number];
    const SimTime cell = cell_time(network_.trunks[number]);
    const std::int64_t distance = network_.trunks[number].propagation.ps() + delay;
    for (const SwitchPort& end : {a, b}) cell_times[end.at][end.port] = cell;
    const bool used = switches() > most_switches_looked_through;
    incoming_[b.at].push_back({a.at, a.port, cell.ps() + distance, used});
    incoming_[a.at].push_back({b.at, b.port, cell.ps() + distance, used});
    fabric_.downstream[a.at][a.port] = {false, b.at, b.port, cell.ps(), distance};
    fabric_.downstream[b.at][b.port] = {false, a.at, a.port, cell.ps(), distance};
  }
  const std::vector<std::uint64_t> loaded = loaded_outputs(parameters.loaded_hosts, fabric_);
  SwitchParameters settings = parameters.switches;
  settings.blocks = parameters.rates.blocks;
  if (settings.epd_threshold == 0) settings.epd_threshold = settings.buffer / 2;
  const Link usual = network_.hosts.empty() ? Link{BitRate(155'520'000), SimTime()} : network_.hosts.front();
  const SimTime reference = cell_time(usual);
  for (std::uint32_t number = 0; number < switches(); ++number) {
    const std::string name = "atm switch " + std::to_string(number);
    if (!parameters.loaded_hosts.empty()) {
      settings.background.only_outputs = loaded[number];
      settings.background.sources = loaded[number] == 0 ? 0 : parameters.switches.background.sources;
    }
    if (settings.policy == DropPolicy::push_out)
      fabric_.switches.push_back(
          std::make_unique<PrioritySwitch>(settings, cell_times[number], reference, seed, number));
    else
      fabric_.switches.push_back(
          std::make_unique<FifoSwitch>(settings, cell_times[number], reference, seed, name));
    channels_on_link_.emplace_back(cell_times[number].size());
  }
  fabric_.earliest.assign(switches(), never);
}

}  // namespace morgana
