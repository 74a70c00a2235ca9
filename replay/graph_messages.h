#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"
#include "replay/port_messages.h"
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

/// A message, or a piece of it, that a receive has, as far as completing the receive needs it.
struct ArrivedMessage {
  SimTime there;  ///< when work on it could begin: at its arrival, or ReceivedMessage::early before
  SimTime begun;  ///< as in ReceivedMessage
  SimTime cost;   ///< CPU time, copying included
  Bytes bytes;
  Rank source{};
  Tag tag{};
};

/// Is called, at the simulated time at which it happens, with what becomes of a schedule's messages. Nodes
/// are numbered among those of all ranks, ranks as the schedule numbers them.
class GraphMessageClient {
 public:
  using Node = std::uint32_t;
  /// The message of a send that was not complete at once has left, or has been asked for.
  virtual void sent(Node send, const Origin& origin) = 0;
  virtual void resumed(Node send) = 0;            ///< MessengerClient::resumed
  virtual void met(Node send, Node receive) = 0;  ///< MessengerClient::met
  /// MessengerClient::came_into_socket
  virtual void came_into_socket(Node receive, SimTime cost) = 0;
  virtual void received(Rank by, Node receive, const ArrivedMessage& message, const Origin* origin) = 0;
  /// MessengerClient::returned
  virtual void returned(Node node) = 0;
  virtual void delivered(Rank from, Rank to, Bytes bytes, SimTime sent) = 0;
  virtual Rank rank_of(Node node) const = 0;
  /// MessengerClient::processor_of
  virtual std::size_t processor_of(Rank rank) const = 0;

 protected:
  ~GraphMessageClient() = default;
};

/// The messages of a schedule's job, whose ranks count from 0. Each job has a messenger of its own, so that
/// its messages never meet another's, and each of its runs a context. Where they wait for their ports alone
/// PortMessages carries them in the messenger's place.
class GraphMessages final : private MessengerClient, private PortMessageClient {
 public:
  using Node = GraphMessageClient::Node;

  /// The references must outlive this. @param causes  origins of messages are asked for
  GraphMessages(Machine& machine, GraphMessageClient& client, const DependencyGraph& graph,
                const RanksOfJob& ranks, bool causes);

  /// What is posted from now on meets nothing that was posted before.
  void next_run();

  HostId host_of(Rank rank) const { return machine_.host_of[index(ranks_.of_machine(rank))]; }

  /// How a send has begun.
  struct Begun {
    SimTime cost;             ///< CPU time
    bool hands_over = false;  ///< hand_over() is due when that has passed
    bool complete = false;    ///< Messenger::Begun::under_way has nothing
    Messenger::Suspended suspended = Messenger::Suspended::nobody;
  };
  /// @throws TimePastEnd
  Begun send(Rank sender, const GraphNode& node, Node number, SimTime now);
  void hand_over(Rank sender, const GraphNode& node, Node number, SimTime begun) {
    ports_->send(sender, node, number, begun);
  }

  bool receives_cost() const { return messenger_ && messenger_->receives_cost(); }
  SimTime receive_cost(Rank receiver, const GraphNode& node) {
    return messenger_->receive_cost(ranks_.of_machine(receiver), pattern(node), Bytes(node.amount));
  }
  /// @return CPU time in the same call
  SimTime receive(Rank receiver, const GraphNode& node, Node number) {
    if (ports_) {
      ports_->receive(receiver, node, number);
      return SimTime();
    }
    return messenger_->receive(ranks_.of_machine(receiver), pattern(node), Token{number}).after;
  }
  Bytes match_matters_beyond() const;
  const Losses& losses() const { return messenger_ ? messenger_->losses() : no_losses_; }
  /// Losses::report(), in which `text_of` names the graph's ranks.
  std::string loss_report(const std::function<std::string(Rank)>& text_of) const;
  /// Messages that came and were never received, by receiver.
  std::map<Rank, std::vector<Messenger::Found>> unreceived() const;

 private:
  static Node node_of(Token token) { return static_cast<Node>(token); }
  Envelope pattern(const GraphNode& node) const { return {context_, ranks_.of_machine(node.peer), node.tag}; }

  void sent(Token token, const Origin& origin) override { client_.sent(node_of(token), origin); }
  void resumed(Token token) override { client_.resumed(node_of(token)); }
  void matched(Token) override {}
  void met(Token send, Token receive) override { client_.met(node_of(send), node_of(receive)); }
  void came_into_socket(Token token, SimTime cost, const Origin&) override {
    client_.came_into_socket(node_of(token), cost);
  }
  void received(Token token, const ReceivedMessage& message) override;
  bool takes_heads(Token) const override { return false; }
  void more_came(Token, Bytes) override {}
  void returned(Token token, const Envelope&, std::uint64_t, Outcome) override {
    client_.returned(node_of(token));
  }
  void recalled(Token, std::uint64_t) override {}
  void dropped(std::uint64_t) override {}
  void waits_unmatched(Rank, const Envelope&, Bytes) override {}
  void delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) override {
    client_.delivered(ranks_.of_job(envelope.source), ranks_.of_job(receiver), bytes, sent);
  }
  std::optional<std::size_t> processor_of(Rank rank) const override {
    return client_.processor_of(ranks_.of_job(rank));
  }
  void delivered(const PortMessage& message, Rank receiver) override {
    client_.delivered(message.source, receiver, message.bytes, message.begun);
  }
  void received(Rank receiver, Node node, const PortMessage& message) override;

  Machine& machine_;
  GraphMessageClient& client_;
  RanksOfJob ranks_;
  Context context_ = world_context;
  std::optional<PortMessages> ports_;
  std::unique_ptr<Messenger> messenger_;  ///< null where ports_ carries the messages
  Losses no_losses_;
};

}  // namespace morgana
