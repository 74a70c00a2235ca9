#include <string>

#include "emulator/core/error.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/network/atm/fifo_switch.h"
#include "emulator/network/atm/priority_switch.h"

namespace morgana {
namespace {
using namespace atm;

// With more of them all trunks count as used: to look for shorter ways again and again would take too long.
constexpr std::uint32_t most_switches_looked_through = 32;
constexpr std::size_t most_outputs_chosen = 64;

void check(const AtmParameters& parameters) {
  parameters.topology.check();
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
      topology_(parameters.topology),
      routes_(topology_),
      rates_{parameters.rates, parameters.switches.feedback.algorithm != AbrFeedback::none},
      paced_(events, *this),
      largest_packet_(parameters.largest_packet),
      buffer_(parameters.switches.buffer),
      estimates_(parameters.switches.estimate_buffer > 0) {
  check(parameters);
  fabric_.lossy = parameters.switches.buffer > 0;
  for (const Topology::Access& access : topology_.hosts) {
    Host host;
    host.at = access.at;
    host.cell_time = access.link.cell_time().ps();
    host.propagation = access.link.propagation.ps();
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
  channels_to_host_.assign(topology_.hosts.size(), 0);
}

AtmNetwork::~AtmNetwork() = default;

void AtmNetwork::build_switches(const AtmParameters& parameters, std::uint64_t seed) {
  const std::int64_t delay = parameters.switches.delay.ps();
  fabric_.downstream.resize(topology_.switches);
  incoming_.resize(topology_.switches);
  std::vector<std::vector<SimTime>> cell_times(topology_.switches);
  for (std::uint32_t number = 0; number < topology_.hosts.size(); ++number) {
    Host& host = fabric_.hosts[number];
    host.input = static_cast<std::uint32_t>(cell_times[host.at].size());
    cell_times[host.at].push_back(topology_.hosts[number].link.cell_time());
    fabric_.downstream[host.at].push_back({true, number, 0, host.cell_time, host.propagation});
  }
  for (const Topology::Trunk& trunk : topology_.trunks) {
    const auto at_a = static_cast<std::uint32_t>(cell_times[trunk.a].size());
    const auto at_b = static_cast<std::uint32_t>(cell_times[trunk.b].size());
    trunk_port_.push_back({at_a, at_b});
    const std::int64_t cell_time = trunk.link.cell_time().ps();
    const std::int64_t distance = trunk.link.propagation.ps() + delay;
    for (const std::uint32_t end : {trunk.a, trunk.b}) cell_times[end].push_back(trunk.link.cell_time());
    const bool used = topology_.switches > most_switches_looked_through;
    incoming_[trunk.b].push_back({trunk.a, at_a, cell_time + distance, used});
    incoming_[trunk.a].push_back({trunk.b, at_b, cell_time + distance, used});
    fabric_.downstream[trunk.a].push_back({false, trunk.b, at_b, cell_time, distance});
    fabric_.downstream[trunk.b].push_back({false, trunk.a, at_a, cell_time, distance});
  }
  const std::vector<std::uint64_t> loaded = loaded_outputs(parameters.loaded_hosts, fabric_);
  SwitchParameters settings = parameters.switches;
  settings.blocks = parameters.rates.blocks;
  if (settings.epd_threshold == 0) settings.epd_threshold = settings.buffer / 2;
  SimTime reference = atm::Link().cell_time();
  if (!topology_.hosts.empty()) reference = topology_.hosts.front().link.cell_time();
  for (std::uint32_t number = 0; number < topology_.switches; ++number) {
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
  fabric_.earliest.assign(topology_.switches, never);
}

}  // namespace morgana
