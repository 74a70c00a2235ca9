#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/core/ring_queue.h"
#include "emulator/engine/run_account.h"
#include "emulator/messaging/machine.h"
#include "replay/graph_lanes.h"
#include "replay/graph_messages.h"
#include "replay/graph_numbers.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

class ComputeTimes;
class NodeObserver;

/// Runs a dependency graph on a machine. Rank r's CPUs work beside each other, each on one thing at a time:
/// a computation, the sender's part of a send, or what completing a receive takes. CPU 0 is the rank's
/// processor of its host, which the host's kernel may take; the others are the rank's own (streams of a GPU,
/// threads). Who became ready first goes first, of one instant the lowest number. A receive is posted, in the
/// same order, as soon as all that it waits for has happened. What comes into a socket of its rank's before
/// its message is whole (MessengerClient::came_into_socket) its CPU reads likewise, piece by piece.
///
/// Several graphs may run on one machine, each a job with ranks of its own: whoever handles the events begins
/// all of them first.
///
/// An instant is looked at when all of it is known: nodes that become ready in it go on at its end, in the
/// order of their numbers. So nothing depends on which of several events of one instant is handled first.
class GraphRun final : public RunAccount,
                       private EventHandler,
                       private MessengerClient,
                       private ProcessorUsers {
 public:
  struct Options {
    double compute_scale = 1;
    SimTime start;               ///< of all ranks
    std::size_t first_rank = 0;  ///< of the machine's: the graph's rank 0
    std::size_t first_unit = 0;  ///< of the machine's: the first of DependencyGraph::switches()
    /// How often it runs: each time when all ranks have ended. > 0
    std::uint32_t runs = 1;
    /// Called when all ranks have ended for the last time; may be empty.
    std::function<void(SimTime)> all_ended{};
    std::span<OperationObserver* const> observers = {};
    CausalityObserver* causes = nullptr;     ///< null: nobody asks
    NodeObserver* nodes = nullptr;           ///< may be null
    ComputeTimes* times = nullptr;           ///< vary the scaled computing; null: it is as the graph says
    std::function<void(double)> progress{};  ///< called now and then with the share done; may be empty
  };
  /// All must outlive the run.
  /// @throws Error for a machine that can't run graphs: whose ranks take turns on processors, say
  GraphRun(Machine& machine, const DependencyGraph& graph, const Options& options);
  ~GraphRun();

  /// As Engine::run. @throws Deadlock naming nodes that wait, with file and line
  std::vector<SimTime> run(const std::function<void(SimTime)>& all_ended = {});

  // What run() is made of, where whoever holds several graphs handles the events:
  void begin();
  bool has_ended() const { return runs_ended_ == options_.runs; }
  std::vector<SimTime> ends() const;
  /// Of a graph that has not ended when nothing can happen any more.
  std::string deadlock_text() const;
  /// What makes an error of times past the end. @param refused  TimePastEnd's words
  std::string past_end_text(const std::string& refused) const;

  std::uint64_t lost_messages() const override { return messages_.losses().lost(); }
  std::uint64_t returned_messages() const override { return messages_.losses().returned(); }
  std::string unstable() const override { return messages_.losses().unstable(); }
  HostUse host_use() const override;
  /// Sentences for the user: what was lost, never received, or of another size than its receive says.
  std::vector<std::string> notices() const;

 private:
  /// A node by its number among those of all ranks, by rank.
  using Node = GraphNumbers::Node;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Something that wants a CPU.
  struct Item {
    SimTime since;
    Node node = none;
    std::uint32_t arrived = none;  ///< of a receive whose message is there: its slot in arrived_; else none
    bool is_piece = false;         ///< in a socket: more is left to do for the receive
    bool later_than(const Item& other) const {
      if (since != other.since) return since > other.since;
      return node != other.node ? node > other.node : !is_piece && other.is_piece;
    }
  };
  /// Those that want a CPU, the first one first. They come in the order of time, and mostly in that of
  /// numbers.
  class Line {
   public:
    bool empty() const { return in_order_.empty() && others_.empty(); }
    const Item& first() const { return other_is_first() ? others_.front() : in_order_.front(); }
    void add(const Item& item);
    Item take();

   private:
    bool other_is_first() const {
      return !others_.empty() && (in_order_.empty() || in_order_.front().later_than(others_.front()));
    }
    RingQueue<Item> in_order_;  // each came behind the last one
    std::vector<Item> others_;  // a heap, the next one on top
  };
  enum class Doing : std::uint8_t { nothing, computing, sending, posting, receiving, finishing };
  struct Cpu {
    SimTime until;  ///< busy until then; if it does nothing, the kernel has it until then
    Item item{};    ///< what it is at
    Rank rank{};
    Doing doing = Doing::nothing;
    bool suspended = false;  ///< by the send; goes on in resumed()
    bool touched = false;    ///< is in touched_
    Line line;
  };
  /// What a CPU does that takes no time.
  struct AtOnce {
    std::uint32_t cpu;
    std::uint64_t turn;  ///< of its end, among the events of this instant
  };
  /// A message that its receive has got, or a piece of it, as far as completing the receive needs it.
  struct Arrived {
    SimTime at, early, begun;  ///< as in ReceivedMessage
    SimTime cost;              ///< copying included
    Bytes bytes;
    Rank source{};
    Tag tag{};
  };
  struct RankEnd {
    std::uint32_t left = 0;  ///< nodes that have not ended
    SimTime at;              ///< of the last that has
  };
  // What remaining_ holds of a node that has started: which parts of a send are done.
  static constexpr std::uint32_t started = std::uint32_t{1} << 31, ended = started | std::uint32_t{1} << 30,
                                 worked = 1, went = 2, unwritten = 4;

  // graph_run.cpp: the loop, dependencies and CPUs; graph_run_messages.cpp: what the messenger reports;
  // graph_run_report.cpp: sentences.
  void look_at_first_nodes();
  void graph_ended();
  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  void settle();
  void touch(std::uint32_t cpu);
  void look_soon();
  void make_ready(Rank rank, Node node);
  void enqueue(std::uint32_t cpu, const Item& item);
  void work_on(std::uint32_t cpu);
  void start(std::uint32_t cpu, Item item);
  SimTime computing_time(Rank rank, Node number, const GraphNode& node) const;
  void start_send(std::uint32_t cpu, Rank rank, const GraphNode& node);
  void start_completion(Cpu& cpu, const Arrived& arrived);
  void receive_ended(Rank rank, Node node, const Arrived& arrived);
  void take_until(std::uint32_t cpu, SimTime until);
  bool end_what_takes_no_time();
  bool end_on(std::uint32_t cpu, bool more);
  bool others_in_instant();
  void cpu_done(std::uint32_t cpu);
  void post(Rank rank, Node node, std::uint32_t cpu);
  void node_started(Rank rank, Node node);
  void node_ended(Rank rank, Node node);
  void rank_ended(Rank rank);
  void go_on(Rank rank, std::span<const std::uint32_t> followers);
  void go_on(Rank rank, std::uint32_t follower);
  bool has_follower(Rank rank, std::uint32_t number) const;
  void count_stored_nodes();
  void count_computed_nodes();
  void part_of_send_done(Rank rank, Node node, std::uint32_t part);
  void tell_end_of_send(Rank rank, Node node);
  bool may_go_on(Cpu& cpu, std::uint32_t number);

  Rank rank_of(Node node) const { return numbers_.rank_of(node); }
  const GraphNode& at(Rank rank, Node node, GraphNode& computed) const {
    return numbers_.at(rank, node, computed);
  }
  const GraphNode& shape_of(Rank rank, Node node, GraphNode& computed) const {
    return numbers_.shape_of(rank, node, computed);
  }
  std::uint32_t number_of(Rank rank, Node node) const { return numbers_.within(rank, node); }
  std::uint32_t cpu_of(Rank rank, const GraphNode& node) const { return first_cpu_[index(rank)] + node.cpu; }
  static Node node_of(Token token) { return static_cast<Node>(token); }

  void sent(Token token, const Origin& origin) override;
  void resumed(Token token) override;
  void matched(Token) override {}
  void met(Token send, Token receive) override;
  void came_into_socket(Token token, SimTime cost, const Origin& origin) override;
  void received(Token token, const ReceivedMessage& message) override;
  bool takes_heads(Token) const override { return false; }
  void more_came(Token, Bytes) override {}
  void returned(Token token, const Envelope& envelope, std::uint64_t payload, Outcome why) override;
  void recalled(Token, std::uint64_t) override {}
  void dropped(std::uint64_t) override {}
  void waits_unmatched(Rank, const Envelope&, Bytes) override {}
  void delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) override;
  std::optional<std::size_t> processor_of(Rank rank) const override;

  void place_on_processors();
  bool uses(HostId host, std::size_t processor) const override;
  void interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) override;
  std::optional<std::size_t> poller(HostId host) const override;

  bool is_switch(Rank rank) const { return index(rank) >= graph_.program_ranks(); }
  std::string text_of(Rank rank) const;
  std::string describe_waiting(Rank rank) const;
  std::string describe(Rank rank, Node node) const;
  std::string loss_report() const;
  std::string unreceived_text() const;
  std::string where_sent(const Messenger::Found& message, Rank receiver) const;

  Machine& machine_;
  EventQueue& events_;
  const DependencyGraph& graph_;
  const GraphRule* rule_;  ///< of the graph; null: it is stored
  Options options_;
  GraphLanes lanes_;
  GraphMessages messages_;
  GraphNumbers numbers_;
  /// By node: how many it waits for, or `started` and more. Of a rule's node: 0 until it has started.
  LargeVector<std::uint32_t> remaining_;
  std::vector<RankEnd> ends_;             ///< by rank
  std::vector<std::uint32_t> first_cpu_;  ///< by rank
  std::vector<Cpu> cpus_;
  Pool<Arrived> arrived_;
  std::vector<Node> ready_;             ///< in this instant
  std::vector<Node> settling_;          // scratch
  std::vector<std::uint32_t> touched_;  ///< CPUs that may go on in this instant
  std::vector<AtOnce> at_once_, settling_cpus_;
  bool settle_is_due_ = false;
  bool settles_ = false;    ///< is in settle()
  SimTime stands_since_;    // when anything became ready or was done last
  std::uint32_t done_ = 0;  ///< nodes that have ended
  std::uint32_t runs_ended_ = 0;
  Bytes met_beyond_;                                      ///< shorter messages never wait for their receive
  tsl::robin_map<Node, SimTime> posted_at_, partner_at_;  ///< of longer ones: receives, and their sends
  /// Of sends that have gone and are still worked on, and of arrived_ where the causes are asked for.
  tsl::robin_map<Node, Origin> origins_;
  // Where hosts have a kernel, by rank, and by host and processor:
  std::vector<std::size_t> processor_of_;
  tsl::robin_map<std::uint32_t, std::vector<std::vector<Rank>>> users_;
  std::uint64_t other_sizes_ = 0;  ///< messages that are not as long as their receive says
  Node first_of_other_size_ = none;
  Bytes other_size_;
};

}  // namespace morgana
