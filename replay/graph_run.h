#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/large_pages.h"
#include "emulator/core/pool.h"
#include "emulator/engine/run_account.h"
#include "emulator/messaging/machine.h"
#include "replay/graph_cpus.h"
#include "replay/graph_lanes.h"
#include "replay/graph_messages.h"
#include "replay/graph_processors.h"
#include "replay/graph_progress.h"
#include "replay/graph_texts.h"
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
/// Several graphs may run on one machine, each a job with ranks of its own: the caller that handles the
/// events begins all of them first.
///
/// An instant is looked at when all of it is known: nodes that become ready in it go on at its end, in the
/// order of their numbers. So nothing depends on which of several events of one instant is handled first.
///
/// What the run knows is kept in parts: GraphProgress of the nodes, GraphCpus of who is on which CPU,
/// GraphProcessors of those that kernels take, GraphMessages of the messages, GraphLanes of what observers
/// see.
class GraphRun final : public RunAccount, private EventHandler, private GraphMessageClient {
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
    RunStatistics* statistics = nullptr;  ///< may be null; see sum_up()
    std::span<OperationObserver* const> observers = {};
    CausalityObserver* causes = nullptr;     ///< may be null
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

  // The parts of run(), for a caller that handles the events of several graphs:
  void begin();
  bool has_ended() const { return runs_ended_ == options_.runs; }
  std::vector<SimTime> ends() const { return progress_.ends(); }
  /// The statistics get what ranks that have not ended have done; run() does it by itself.
  void sum_up() { lanes_.sum_up(); }
  /// Of a graph that has not ended when nothing can happen any more.
  std::string deadlock_text() const { return texts_.deadlock(stands_since_); }
  /// What makes an error of times past the end. @param refused  TimePastEnd's words
  std::string past_end_text(const std::string& refused) const;

  std::uint64_t lost_messages() const override { return messages_.losses().lost(); }
  std::uint64_t returned_messages() const override { return messages_.losses().returned(); }
  std::string unstable() const override { return messages_.losses().unstable(); }
  HostUse host_use() const override;
  /// Sentences for the user: what was lost, never received, or of another size than its receive says.
  std::vector<std::string> notices() const { return texts_.notices(other_sizes_); }

 private:
  using Cpu = GraphCpus::Cpu;
  using Item = GraphCpus::Item;
  using Doing = GraphCpus::Doing;
  using Part = GraphProgress::Part;

  /// What a CPU does that takes no time.
  struct AtOnce {
    std::uint32_t cpu;
    std::uint64_t turn;  ///< of its end, among the events of this instant
  };

  // graph_run.cpp: the loop, and what nodes do on CPUs; graph_run_messages.cpp: what becomes of messages.
  void graph_ended();
  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  bool has_to_settle() const { return !ready_.empty() || cpus_.any_touched() || progress_.any_ended(); }
  void settle();
  void look_soon();
  void make_ready(Node node);
  void enqueue(std::uint32_t cpu, const Item& item);
  void work_on(std::uint32_t cpu);
  void start(std::uint32_t cpu, const Item& item);
  SimTime computing_time(Rank rank, Node number, const GraphNode& node) const;
  void start_send(std::uint32_t cpu, Rank rank, const GraphNode& node);
  void take_until(std::uint32_t cpu, SimTime until);
  bool end_what_takes_no_time();
  bool end_on(std::uint32_t cpu, bool more);
  bool others_in_instant();
  void cpu_done(std::uint32_t cpu);
  void sending_done(Cpu& cpu, Node node);
  void post(Rank rank, Node node, const GraphNode& receive, std::uint32_t cpu);
  void node_started(Rank rank, Node node);
  void node_ended(Rank rank, Node node);

  void receive_ended(Rank rank, Node node, const ArrivedMessage& arrived);
  void part_of_send_done(Rank rank, Node node, Part part);
  void tell_end_of_send(Rank rank, Node node);
  void sent(Node send, const Origin& origin) override;
  void resumed(Node send) override;
  void met(Node send, Node receive) override;
  void came_into_socket(Node receive, SimTime cost) override;
  void received(Rank rank, Node node, const ArrivedMessage& message, const Origin* origin) override;
  void returned(Node node) override;
  void delivered(Rank from, Rank to, Bytes bytes, SimTime sent) override {
    lanes_.delivered(from, to, bytes, sent, events_.now());
  }
  Rank rank_of(Node node) const override { return progress_.rank_of(node); }
  std::size_t processor_of(Rank rank) const override { return processors_.of(rank); }

  Machine& machine_;
  EventQueue& events_;
  const DependencyGraph& graph_;
  Options options_;
  GraphLanes lanes_;
  GraphProgress progress_;
  GraphMessages messages_;
  GraphCpus cpus_;
  GraphProcessors processors_;
  GraphTexts texts_;
  Pool<ArrivedMessage, LargeVector> arrived_;
  std::vector<Node> ready_;     ///< in this instant
  std::vector<Node> settling_;  // scratch
  std::vector<AtOnce> at_once_, settling_cpus_;
  bool settle_is_due_ = false;
  bool settles_ = false;  ///< is in settle()
  SimTime stands_since_;  // when anything became ready or was done last
  std::uint32_t runs_ended_ = 0;
  Bytes met_beyond_;                                      ///< shorter messages never wait for their receive
  tsl::robin_map<Node, SimTime> posted_at_, partner_at_;  ///< of longer ones: receives, and their sends
  /// Of sends that have gone and are still worked on, and of arrived_ where the causes are asked for.
  tsl::robin_map<Node, Origin> origins_;
  GraphTexts::OtherSizes other_sizes_;
};

}  // namespace morgana
