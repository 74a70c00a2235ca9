#include "replay/port_messages.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace morgana {
namespace {

bool has_a_host_for_each_rank(const Machine& machine) {
  return std::set<HostId>(machine.host_of.begin(), machine.host_of.end()).size() == machine.host_of.size();
}

const LogpPortNetwork* network_of(const Machine& machine) {
  return machine.network ? dynamic_cast<const LogpPortNetwork*>(machine.network->extensions().ports)
                         : nullptr;
}

std::size_t ports_of(const Machine& machine) {
  return (static_cast<std::size_t>(*std::ranges::max_element(machine.host_of)) + 1) * machine.nics;
}

}  // namespace

bool waits_for_ports_alone(const Machine& machine) {
  return !machine.chooses_nics() && machine.network && machine.network->extensions().ports != nullptr &&
         machine.transport && machine.transport->sends_single_units() && !machine.kernel &&
         !machine.kernel_messages && !machine.memory && !machine.bus && !machine.background &&
         machine.quantum == SimTime() && machine.endpoints.named != EndpointSettings::Named::tags &&
         !LibraryCosts(machine).may_drop() && has_a_host_for_each_rank(machine);
}

bool PortMessages::can_carry(const Machine& machine, const DependencyGraph& graph) {
  const MessageLayer& layer = machine.messages;
  if (graph.rule() != nullptr || !graph.switches().empty() || !waits_for_ports_alone(machine) ||
      network_of(machine) == nullptr || LibraryCosts(machine).transport_works() ||
      (layer.receive_copies == ReceiveCopies::in_progress && layer.receive_per_byte > ByteCost()))
    return false;
  const LibraryCosts costs(machine);
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < graph.ranks(); ++i)
    for (const GraphNode& node : graph.rank(i).nodes()) {
      if (node.kind == GraphNode::Kind::compute) continue;
      if (node.peer == any_rank || node.tag == any_tag || index(node.peer) == i) return false;
      if (node.kind == GraphNode::Kind::send) longest = std::max(longest, node.amount);
    }
  return !costs.goes_by_rendezvous(false, Bytes(longest), SendMode::standard) &&
         !costs.goes_without_copy(false, Bytes(longest), SendMode::standard);
}

PortMessages::PortMessages(Machine& machine, std::size_t first_rank, std::size_t ranks,
                           PortMessageClient& client)
    : machine_(machine),
      first_rank_(first_rank),
      client_(client),
      costs_(machine),
      ports_(*machine.events, ports_of(machine), network_of(machine)->parameters(), *this),
      rank_at_(ports_of(machine)) {
  for (std::size_t i = 0; i < ranks; ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    for (std::size_t nic = 0; nic < machine.nics; ++nic)
      rank_at_[static_cast<std::size_t>(machine.port_of(of_machine(rank), nic))] = rank;
  }
}

void PortMessages::send(Rank sender, const GraphNode& node, std::uint32_t number, SimTime begun) {
  ++machine_.under_way;
  ports_.inject({begun, number, node.tag, run_},
                static_cast<PortId>(machine_.port_of(of_machine(sender), node.nic)),
                static_cast<PortId>(machine_.port_of(of_machine(node.peer), node.nic)),
                Bytes(node.amount) + machine_.messages.envelope);
}

void PortMessages::delivered(const InFlight& flight, PortId from, PortId to, Bytes size) {
  --machine_.under_way;
  const PortMessage message{flight.begun, flight.node,   flight.tag,
                            flight.run,   rank_at(from), size - machine_.messages.envelope};
  const Rank receiver = rank_at(to);
  client_.delivered(message, receiver);
  if (message.run != run_) return of_earlier_runs_[receiver].push_back(message);
  const auto [line, fresh] = lines_.try_emplace({receiver, message.source, message.tag}, line_of(none, true));
  if (line->second.messages == 0) return client_.received(receiver, take_first(line), message);
  append(line.value(), waiting_.take(message));
}

void PortMessages::receive(Rank receiver, const GraphNode& node, std::uint32_t number) {
  const auto [line, fresh] = lines_.try_emplace({receiver, node.peer, node.tag}, line_of(none, false));
  if (line->second.messages == 0) return append(line.value(), number);
  const std::uint32_t place = take_first(line);
  const PortMessage message = waiting_[place];
  waiting_.give_back(place);
  client_.received(receiver, number, message);
}

void PortMessages::append(Line& line, std::uint32_t item) {
  if (line.first == none) {
    line.first = item;
    return;
  }
  if (line.others == no_others) {
    line.others = others_.take() & no_others;
    others_[line.others].clear();
  }
  others_[line.others].push_back(item);
}

/// A line without items is gone.
std::uint32_t PortMessages::take_first(Lines::iterator line) {
  Line& rest = line.value();
  const std::uint32_t first = rest.first;
  if (rest.others == no_others) {
    lines_.erase(line);
    return first;
  }
  RingQueue<std::uint32_t>& others = others_[rest.others];
  rest.first = others.front();
  others.pop_front();
  if (others.empty()) {
    others_.give_back(rest.others);
    rest.others = no_others;
  }
  return first;
}

void PortMessages::next_run() {
  ++run_;
  for (const auto& [key, line] : lines_) {
    if (line.messages != 0)
      for_each(line, [&, receiver = key.receiver](std::uint32_t place) {
        of_earlier_runs_[receiver].push_back(waiting_[place]);
        waiting_.give_back(place);
      });
    if (line.others != no_others) others_.give_back(line.others);
  }
  lines_.clear();
}

std::map<Rank, std::vector<Messenger::Found>> PortMessages::unreceived() const {
  std::map<Rank, std::vector<Messenger::Found>> all;
  const auto add = [&](Rank receiver, const PortMessage& message) {
    all[receiver].push_back(
        {{world_context, message.source, message.tag}, message.bytes, message.node, message.begun, {}});
  };
  for (const auto& [receiver, messages] : of_earlier_runs_)
    for (const PortMessage& message : messages) add(receiver, message);
  for (const auto& [key, line] : lines_)
    if (line.messages != 0)
      for_each(line, [&, receiver = key.receiver](std::uint32_t place) { add(receiver, waiting_[place]); });
  for (auto& [receiver, messages] : all)
    std::ranges::sort(messages, {}, [](const Messenger::Found& one) {
      return std::tuple(one.begun, index(one.envelope.source), one.envelope.tag, one.message);
    });
  return all;
}

}  // namespace morgana
