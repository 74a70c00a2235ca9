#include "replay/graph_messages.h"

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/make_messenger.h"

namespace morgana {

GraphMessages::GraphMessages(Machine& machine, GraphMessageClient& client, const DependencyGraph& graph,
                             const RanksOfJob& ranks, bool causes)
    : machine_(machine), client_(client), ranks_(ranks) {
  if (!causes && PortMessages::can_carry(machine, graph))
    ports_.emplace(machine, ranks.first, graph, static_cast<PortMessageClient&>(*this));
  else
    messenger_ = make_messenger(machine, *this);
}

void GraphMessages::next_run() {
  context_ = Context{static_cast<std::uint64_t>(context_) + 1};
  if (ports_) ports_->next_run();
}

GraphMessages::Begun GraphMessages::send(Rank sender, const GraphNode& node, Node number, SimTime now) {
  Begun begun;
  if (ports_) {
    begun.cost = ports_->send_cost(sender, node);
    begun.complete = true;
    ports_->count(sender, node);
    begun.hands_over = begun.cost > SimTime();
    time_before_end(now + begun.cost);
    if (!begun.hands_over) ports_->send(sender, node, number, now);
    return begun;
  }
  Messenger::Send send;
  send.envelope = {context_, ranks_.of_machine(sender), node.tag};
  send.receiver = ranks_.of_machine(node.peer);
  send.bytes = Bytes(node.amount);
  const Messenger::SendCost cost =
      messenger_->send_cost(send.envelope.source, send.receiver, send.bytes, SendMode::standard);
  begun.cost = cost.all();
  time_before_end(now + begun.cost);
  send.begun = now;
  send.ready = now + cost.before;
  send.token = Token{number};
  send.nic = node.nic;
  send.may_suspend = true;
  const auto [under_way, suspended] = messenger_->send(send);
  begun.complete = !under_way;
  begun.suspended = suspended;
  return begun;
}

Bytes GraphMessages::match_matters_beyond() const {
  return messenger_ ? messenger_->match_matters_beyond() : LibraryCosts(machine_).match_matters_beyond();
}

void GraphMessages::received(Token token, const ReceivedMessage& message) {
  const Node node = node_of(token);
  const SimTime cost = time_before_end(message.cost + time_before_end(message.copy, message.bytes));
  client_.received(client_.rank_of(node), node,
                   {machine_.events->now() - message.early, message.begun, cost, message.bytes,
                    ranks_.of_job(message.envelope.source), message.envelope.tag},
                   &message.origin);
}

void GraphMessages::received(Rank receiver, Node node, const PortMessage& message) {
  client_.received(receiver, node,
                   {machine_.events->now(), message.begun, ports_->receive_cost(message.bytes), message.bytes,
                    message.source, message.tag},
                   nullptr);
}

std::string GraphMessages::loss_report(const std::function<std::string(Rank)>& text_of) const {
  return losses().report(machine_.transport ? machine_.transport->remedy() : std::string(),
                         [&](Rank rank) { return text_of(ranks_.of_job(rank)); });
}

std::map<Rank, std::vector<Messenger::Found>> GraphMessages::unreceived() const {
  if (ports_) return ports_->unreceived();
  std::map<Rank, std::vector<Messenger::Found>> all;
  const std::size_t ranks = machine_.host_of.size();
  for (std::size_t i = 0; i < ranks; ++i) {
    std::vector<Messenger::Found> messages = messenger_->unreceived(Rank{static_cast<std::int32_t>(i)});
    if (messages.empty()) continue;
    for (Messenger::Found& one : messages) one.envelope.source = ranks_.of_job(one.envelope.source);
    all.emplace(ranks_.of_job(Rank{static_cast<std::int32_t>(i)}), std::move(messages));
  }
  return all;
}

}  // namespace morgana
