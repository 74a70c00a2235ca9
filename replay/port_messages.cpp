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

PortMessages::PortMessages(Machine& machine, std::size_t first_rank, const DependencyGraph& graph,
                           PortMessageClient& client)
    : machine_(machine),
      first_rank_(first_rank),
      client_(client),
      costs_(machine),
      ports_(*machine.events, ports_of(machine), network_of(machine)->parameters(), *this),
      rank_at_(ports_of(machine)),
      graph_(graph),
      lines_(graph.ranks()) {
  std::uint32_t nodes = 0;
  for (std::size_t i = 0; i < graph.ranks(); ++i) {
    first_node_.push_back(nodes);
    nodes += static_cast<std::uint32_t>(graph.rank(i).nodes().size());
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
  PortLines& lines = lines_[index(receiver)];
  const std::uint32_t hash = PortLines::hash(message.source, message.tag);
  Entry* const found = find(lines, hash, receiver, message.source, message.tag);
  if (found != nullptr && kind_of(*found) == Kind::receive)
    return client_.received(receiver, take_first(lines, found), message);
  wait(lines, hash, found, Kind::message, waiting_.take(message));
}

void PortMessages::receive(Rank receiver, const GraphNode& node, std::uint32_t number) {
  PortLines& lines = lines_[index(receiver)];
  const std::uint32_t hash = PortLines::hash(node.peer, node.tag);
  Entry* const found = find(lines, hash, receiver, node.peer, node.tag);
  if (found == nullptr || kind_of(*found) == Kind::receive)
    return wait(lines, hash, found, Kind::receive, number);
  const std::uint32_t place = take_first(lines, found);
  const PortMessage message = waiting_[place];
  waiting_.give_back(place);
  client_.received(receiver, number, message);
}

PortLines::Entry* PortMessages::find(PortLines& lines, std::uint32_t hash, Rank receiver, Rank source,
                                     Tag tag) const {
  return lines.find(hash, [&](const Entry& entry) {
    const std::uint32_t item = first_of(entry);
    if (kind_of(entry) == Kind::message) {
      const PortMessage& message = waiting_[item];
      return message.source == source && message.tag == tag;
    }
    const std::size_t rank = index(receiver);
    const GraphNode& receive = graph_.rank(rank).nodes()[item - first_node_[rank]];
    return receive.peer == source && receive.tag == tag;
  });
}

/// @param found  those of its source and tag that wait already; may be null
void PortMessages::wait(PortLines& lines, std::uint32_t hash, Entry* found, Kind kind, std::uint32_t item) {
  if (found == nullptr) return lines.add(hash, kind, item);
  if (found->kind() != Kind::several) {
    const std::uint32_t place = several_.take();
    Several& several = several_[place];
    several.kind = kind;
    several.items.clear();
    several.items.push_back(found->item);
    found->set(Kind::several, place);
  }
  several_[found->item].items.push_back(item);
}

std::uint32_t PortMessages::take_first(PortLines& lines, Entry* found) {
  if (found->kind() != Kind::several) {
    const std::uint32_t item = found->item;
    lines.erase(found);
    return item;
  }
  Several& several = several_[found->item];
  const std::uint32_t first = several.items.front();
  several.items.pop_front();
  if (several.items.size() == 1) {
    several_.give_back(found->item);
    found->set(several.kind, several.items.front());
  }
  return first;
}

/// Calls `use` with the receiver and the place in waiting_ of each message that waits for its receive.
template <class Use>
void PortMessages::each_message(const Use& use) const {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    lines_[i].each([&, receiver = Rank{static_cast<std::int32_t>(i)}](const Entry& entry) {
      if (kind_of(entry) != Kind::message) return;
      if (entry.kind() != Kind::several) return use(receiver, entry.item);
      const RingQueue<std::uint32_t>& items = several_[entry.item].items;
      for (std::size_t item = 0; item < items.size(); ++item) use(receiver, items[item]);
    });
}

void PortMessages::next_run() {
  ++run_;
  each_message([this](Rank receiver, std::uint32_t place) {
    of_earlier_runs_[receiver].push_back(waiting_[place]);
    waiting_.give_back(place);
  });
  several_ = {};
  for (PortLines& lines : lines_) lines.clear();
}

std::map<Rank, std::vector<Messenger::Found>> PortMessages::unreceived() const {
  std::map<Rank, std::vector<Messenger::Found>> all;
  const auto add = [&](Rank receiver, const PortMessage& message) {
    all[receiver].push_back(
        {{world_context, message.source, message.tag}, message.bytes, message.node, message.begun, {}});
  };
  for (const auto& [receiver, messages] : of_earlier_runs_)
    for (const PortMessage& message : messages) add(receiver, message);
  each_message([&](Rank receiver, std::uint32_t place) { add(receiver, waiting_[place]); });
  for (auto& [receiver, messages] : all)
    std::ranges::sort(messages, {}, [](const Messenger::Found& one) {
      return std::tuple(one.begun, index(one.envelope.source), one.envelope.tag, one.message);
    });
  return all;
}

}  // namespace morgana
