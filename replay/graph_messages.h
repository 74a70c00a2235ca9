#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/messaging/machine.h"
#include "emulator/messaging/make_messenger.h"
#include "emulator/messaging/messenger.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// Where a schedule's job is among the machine's ranks: its own from `first` on, its switches from
/// `first_unit`.
struct RanksOfJob {
  std::size_t first = 0;
  std::size_t ranks = 0;       ///< without switches
  std::size_t first_unit = 0;  ///< behind the ranks of all jobs

  Rank of_machine(Rank rank) const {
    if (rank == any_rank) return rank;
    const std::size_t number = index(rank);
    return Rank{static_cast<std::int32_t>(number < ranks ? number + first : number - ranks + first_unit)};
  }
  Rank of_job(Rank rank) const {
    const std::size_t number = index(rank);
    return Rank{
        static_cast<std::int32_t>(number < first + ranks ? number - first : number - first_unit + ranks)};
  }
};

/// The messages of a schedule's job, whose ranks count from 0. Each job has a messenger of its own, so that
/// its messages never meet another's, and each of its runs a context.
class GraphMessages {
 public:
  GraphMessages(Machine& machine, MessengerClient& client, const RanksOfJob& ranks)
      : machine_(machine), ranks_(ranks), messenger_(make_messenger(machine, client)) {}

  /// What is posted from now on meets nothing that was posted before.
  void next_run() { context_ = Context{static_cast<std::uint64_t>(context_) + 1}; }

  Rank of_machine(Rank rank) const { return ranks_.of_machine(rank); }
  Rank of_job(Rank rank) const { return ranks_.of_job(rank); }
  HostId host_of(Rank rank) const { return machine_.host_of[index(of_machine(rank))]; }

  Messenger::SendCost send_cost(Rank sender, Rank receiver, Bytes bytes) const {
    return messenger_->send_cost(of_machine(sender), of_machine(receiver), bytes, SendMode::standard);
  }
  /// @param begun, ready  as in Messenger::Sent
  Messenger::Begun send(Rank sender, const GraphNode& node, Token token, SimTime begun, SimTime ready) {
    Messenger::Send send;
    send.envelope = {context_, of_machine(sender), node.tag};
    send.receiver = of_machine(node.peer);
    send.bytes = Bytes(node.amount);
    send.begun = begun;
    send.ready = ready;
    send.token = token;
    send.nic = node.nic;
    send.may_suspend = true;
    return messenger_->send(send);
  }
  bool receives_cost() const { return messenger_->receives_cost(); }
  SimTime receive_cost(Rank receiver, const GraphNode& node) {
    return messenger_->receive_cost(of_machine(receiver), pattern(node), Bytes(node.amount));
  }
  Messenger::Posted receive(Rank receiver, const GraphNode& node, Token token) {
    return messenger_->receive(of_machine(receiver), pattern(node), token);
  }
  Bytes match_matters_beyond() const { return messenger_->match_matters_beyond(); }
  const Losses& losses() const { return messenger_->losses(); }
  /// Messages that came and were never received; their senders are the job's ranks.
  std::vector<Messenger::Found> unreceived(Rank receiver) const {
    std::vector<Messenger::Found> all = messenger_->unreceived(of_machine(receiver));
    for (Messenger::Found& one : all) one.envelope.source = of_job(one.envelope.source);
    return all;
  }

 private:
  Envelope pattern(const GraphNode& node) const { return {context_, of_machine(node.peer), node.tag}; }

  Machine& machine_;
  RanksOfJob ranks_;
  Context context_ = world_context;
  std::unique_ptr<Messenger> messenger_;
};

}  // namespace morgana
