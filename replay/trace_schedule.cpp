#include "replay/trace_schedule.h"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "emulator/collectives/agreed_sizes.h"
#include "emulator/collectives/schedule.h"
#include "emulator/core/error.h"
#include "emulator/engine/context_table.h"
#include "replay/graph_chain.h"
#include "replay/schedule_messages.h"
#include "replay/trace_source.h"
#include "replay/translation/operation_codec.h"
#include "replay/translation/trace_translation.h"

namespace morgana {
namespace {

using NodeKind = GraphNode::Kind;

/// The one that a rank has for asynchronous progress of collectives.
constexpr std::uint16_t progress_cpu = 1;

/// What happened how often, and first where.
struct Occurrences {
  std::uint64_t count = 0;
  std::string first;
  void add(Rank rank, Call call) {
    if (count++ == 0) first = fmt::format("{} of rank {}", name_of(call), index(rank));
  }
  /// "3 probes (the first one: MPI_Probe of rank 2)".
  std::string text(const char* what) const {
    return fmt::format("{} {}{} (the first one: {})", count, what, count == 1 ? "" : "s", first);
  }
};

/// The ranks' collectives: what the first rank that enters one says, all others must say too.
class ScheduleCollectives {
 public:
  ScheduleCollectives(const Machine& machine, ContextTable& contexts)
      : tuning_(machine.collectives), contexts_(contexts) {}

  /// @param sequence  of the rank's collectives on this communicator
  /// @return the rank's steps; valid until the next call
  const Schedule& steps(Rank rank, const Operation& operation, std::uint64_t sequence) {
    const auto members = static_cast<std::int32_t>(contexts_.members(operation.context, rank).size());
    const std::int32_t place = contexts_.place_of(rank, operation.context);
    std::vector<Entered>& all = entered_[operation.context];
    if (sequence == all.size())
      all.push_back({collectives::agreed_sizes(operation.collective), operation.collective.kind,
                     operation.collective.root, rank, operation.call});
    const Entered& first = all[sequence];
    if (first.kind != operation.collective.kind || first.root != operation.collective.root)
      throw Error(fmt::format("rank {} enters {} as collective number {} of {}, where rank {} has entered {}",
                              index(rank), name_of(operation.call), sequence + 1,
                              contexts_.describe(operation.context), index(first.rank), name_of(first.call)));
    const bool differs = collectives::disagrees(operation.collective, first.sizes);
    if (differs) differing.add(rank, operation.call);
    steps_.clear();
    make_schedule(differs ? collectives::with_sizes(operation.collective, first.sizes) : operation.collective,
                  members, place, tuning_, steps_);
    return steps_;
  }

  Occurrences differing;

 private:
  struct Entered {
    collectives::AgreedSizes sizes;
    CollectiveKind kind{};
    std::int32_t root = 0;
    Rank rank{};
    Call call{};
  };
  const CollectiveTuning& tuning_;
  ContextTable& contexts_;
  tsl::robin_map<Context, std::vector<Entered>> entered_;
  Schedule steps_;
};

/// What all ranks' schedules have in common.
struct SharedSchedule {
  const Machine& machine;
  ContextTable contexts;
  ScheduleTags tags;
  ScheduleCollectives collectives;
  Occurrences synchronous, unawaited, probes, background, on_files;

  SharedSchedule(const Machine& of, std::size_t ranks)
      : machine(of), contexts(ranks, ranks, {}), collectives(of, contexts) {}
};

/// Translates one rank's operations, in its program's order.
class RankSchedule {
 public:
  RankSchedule(Rank rank, SharedSchedule& shared, RankGraphBuilder& graph)
      : rank_(rank), shared_(shared), graph_(graph), chain_(graph_) {}

  /// @return false behind the rank's exit
  bool add(const Operation& operation);

 private:
  using Requests = tsl::robin_map<RequestId, std::vector<std::uint32_t>>;
  /// A message that a probe found and no receive has got so far.
  struct Probed {
    Context context;
    Rank peer;
    Tag tag;
    RequestId taken;
    std::uint32_t node;
  };

  [[noreturn]] void refuse(const Operation& operation, const std::string& why) const {
    throw Error(
        fmt::format("rank {}: {} {}; a schedule can't hold that: leave it out of the recorded program",
                    index(rank_), name_of(operation.call), why));
  }
  void send(const Operation& operation);
  void receive(const Operation& operation);
  void check_source(const Operation& operation, const char* what) const;
  std::vector<Probed>::iterator probed(const Operation& operation);
  void probe(const Operation& operation);
  void wait(const Operation& operation);
  void collective(const Operation& operation);
  std::vector<std::uint32_t> start_steps(GraphChain& chain, const Schedule& steps, std::size_t& at,
                                         const Operation& operation, Tag tag) const;
  void exit();

  Rank rank_;
  SharedSchedule& shared_;
  ChainedGraph graph_;
  GraphChain chain_;
  Requests pending_;
  std::vector<Probed> probed_;
  tsl::robin_map<Context, std::uint64_t> sequences_;  // of collectives
};

bool RankSchedule::add(const Operation& operation) {
  chain_.compute(operation.elapsed);
  switch (operation.kind) {
    case OperationKind::nothing:
      if (name_of(operation.call).starts_with("MPI_File_")) shared_.on_files.add(rank_, operation.call);
      return true;
    case OperationKind::read_clock:
      return true;
    case OperationKind::context_created:
      shared_.contexts.announce(operation.context, operation.members, rank_, operation.call);
      return true;
    case OperationKind::sleep:
      chain_.compute(operation.duration);
      return true;
    case OperationKind::send:
      send(operation);
      return true;
    case OperationKind::receive:
      receive(operation);
      return true;
    case OperationKind::wait:
      wait(operation);
      return true;
    case OperationKind::test:
    case OperationKind::test_probe:
      // What found something is a wait or a probe.
      chain_.compute(shared_.machine.messages.poll_cost);
      return true;
    case OperationKind::probe:
      probe(operation);
      return true;
    case OperationKind::collective:
      collective(operation);
      return true;
    case OperationKind::exit:
      exit();
      return false;
    case OperationKind::cancel:
      refuse(operation, "takes a message back");
    case OperationKind::access:
    case OperationKind::lock:
    case OperationKind::unlock:
      refuse(operation, fmt::format("accesses memory of rank {} (one-sided)", index(operation.peer)));
    case OperationKind::spawn:
    case OperationKind::kill:
    case OperationKind::wait_part:
      refuse(operation, "is a call of PVM");
  }
  return false;
}

void RankSchedule::send(const Operation& operation) {
  const Tag tag = shared_.tags.of(operation.context, operation.tag);
  const std::uint32_t node = chain_.message(NodeKind::send, operation.peer, tag, operation.bytes);
  // A buffered send's request is complete at once.
  if (static_cast<std::uint64_t>(operation.request) >= never_awaited_requests ||
      operation.mode == SendMode::buffered)
    return shared_.unawaited.add(rank_, operation.call);
  std::vector<std::uint32_t>& awaited = pending_[operation.request] = {node};
  if (operation.mode != SendMode::synchronous) return;
  shared_.synchronous.add(rank_, operation.call);
  graph_.node(node).nic = answered_send;
  awaited.push_back(chain_.message(NodeKind::receive, operation.peer, shared_.tags.answer_to(tag), Bytes()));
}

void RankSchedule::check_source(const Operation& operation, const char* what) const {
  if (operation.context == any_context) refuse(operation, "takes messages of any communicator");
  if (operation.peer == any_rank || operation.tag == any_tag)
    refuse(operation, fmt::format("{} from {} with {}, and the trace does not say which message it got", what,
                                  operation.peer == any_rank ? std::string("any rank")
                                                             : fmt::format("rank {}", index(operation.peer)),
                                  operation.tag == any_tag
                                      ? std::string("any tag")
                                      : fmt::format("tag {}", static_cast<std::int32_t>(operation.tag))));
}

/// The probed message that a receive or probe is for.
std::vector<RankSchedule::Probed>::iterator RankSchedule::probed(const Operation& operation) {
  return std::ranges::find_if(probed_, [&](const Probed& one) {
    if (operation.kind == OperationKind::receive && operation.taken != no_request)
      return one.taken == operation.taken;
    return one.taken == no_request && one.context == operation.context && one.peer == operation.peer &&
           one.tag == operation.tag;
  });
}

void RankSchedule::receive(const Operation& operation) {
  if (const auto found = probed(operation); found != probed_.end()) {
    graph_.node(found->node).amount = operation.bytes.count();
    pending_[operation.request] = {found->node};
    probed_.erase(found);
    return;
  }
  check_source(operation, "receives");
  pending_[operation.request] = {chain_.message(
      NodeKind::receive, operation.peer, shared_.tags.of(operation.context, operation.tag), operation.bytes)};
}

/// Receives the message, which a later receive then has already.
void RankSchedule::probe(const Operation& operation) {
  check_source(operation, "looks for a message");
  if (const auto found = probed(operation); found != probed_.end()) {
    found->taken = operation.taken;
    return chain_.await(found->node);
  }
  shared_.probes.add(rank_, operation.call);
  const std::uint32_t node = chain_.message(NodeKind::receive, operation.peer,
                                            shared_.tags.of(operation.context, operation.tag), Bytes());
  probed_.push_back({operation.context, operation.peer, operation.tag, operation.taken, node});
  chain_.await(node);
}

void RankSchedule::wait(const Operation& operation) {
  for (const RequestId request : operation.requests) {
    const auto found = pending_.find(request);
    if (found == pending_.end()) continue;
    for (const std::uint32_t node : found->second) chain_.await(node);
    pending_.erase(found);
  }
  // Its time ran out.
  if (operation.requests.empty()) chain_.compute(operation.duration);
}

/// Starts the steps up to the next fence, in their order. @return those that have to end before the next
std::vector<std::uint32_t> RankSchedule::start_steps(GraphChain& chain, const Schedule& steps,
                                                     std::size_t& at, const Operation& operation,
                                                     Tag tag) const {
  const std::vector<Rank>& members = shared_.contexts.members(operation.context, rank_);
  const MessageLayer& costs = shared_.machine.messages;
  std::vector<std::uint32_t> started;
  for (; at < steps.size() && steps[at].kind != ScheduleStep::Kind::fence; ++at) {
    const ScheduleStep& step = steps[at];
    switch (step.kind) {
      case ScheduleStep::Kind::send:
      case ScheduleStep::Kind::receive:
        started.push_back(
            chain.message(step.kind == ScheduleStep::Kind::send ? NodeKind::send : NodeKind::receive,
                          members[static_cast<std::size_t>(step.peer)], tag, step.bytes));
        break;
      case ScheduleStep::Kind::reduce:
        chain.compute(time_before_end(costs.reduce_per_byte, step.bytes));
        break;
      case ScheduleStep::Kind::copy:
        chain.compute(time_before_end(costs.own_copy(), step.bytes));
        break;
      case ScheduleStep::Kind::fence:
        break;
    }
  }
  if (at < steps.size()) ++at;
  chain.flush();
  return started;
}

void RankSchedule::collective(const Operation& operation) {
  const std::uint64_t sequence = sequences_[operation.context]++;
  const Schedule& steps = shared_.collectives.steps(rank_, operation, sequence);
  const Tag tag = shared_.tags.of(for_collectives(operation.context),
                                  Tag{static_cast<std::int32_t>(sequence & 0x7fffffff)});
  std::size_t at = 0;
  chain_.flush();
  if (operation.collective.blocking) {
    while (at < steps.size())
      for (const std::uint32_t node : start_steps(chain_, steps, at, operation, tag)) chain_.await(node);
    return;
  }
  shared_.background.add(rank_, operation.call);
  if (shared_.machine.collectives.progress == CollectiveTuning::Progress::asynchronous) {
    GraphChain beside = chain_.on_cpu(progress_cpu);
    while (at < steps.size())
      for (const std::uint32_t node : start_steps(beside, steps, at, operation, tag)) beside.await(node);
    pending_[operation.request] = beside.ends();
    return;
  }
  // The program goes on behind what is started at once; the rest follows where its CPU does not compute.
  GraphChain beside = chain_;
  for (bool first = true; at < steps.size(); first = false) {
    const std::vector<std::uint32_t> started = start_steps(beside, steps, at, operation, tag);
    if (first) chain_ = beside;
    for (const std::uint32_t node : started) beside.await(node);
  }
  pending_[operation.request] = beside.ends();
}

void RankSchedule::exit() {
  if (!probed_.empty())
    throw Error(fmt::format(
        "rank {}: a probe finds a message from rank {} with tag {} that is never "
        "received; a schedule can't hold that: receive it in the recorded program",
        index(rank_), index(probed_.front().peer), static_cast<std::int32_t>(probed_.front().tag)));
  for (const auto& [request, nodes] : pending_)
    if (!nodes.empty() && graph_.node(nodes.front()).kind == NodeKind::send)
      shared_.unawaited.add(rank_, Call::MPI_Isend);
  chain_.flush();
  graph_.renumber();
}

/// Sends an empty message behind each of these receives, before whatever else follows it.
void answer(RankGraphBuilder& graph, const std::vector<std::uint32_t>& receives, ScheduleTags& tags) {
  std::vector<std::uint32_t> numbers;
  auto next = receives.begin();
  for (std::uint32_t number = 0, nodes = graph.size(); number < nodes; ++number) {
    numbers.push_back(number);
    if (next == receives.end() || *next != number) continue;
    ++next;
    GraphNode answer;
    answer.kind = NodeKind::send;
    answer.peer = graph.node(number).peer;
    answer.tag = tags.answer_to(graph.node(number).tag);
    numbers.push_back(graph.size());
    graph.require(graph.size(), number, false);
    graph.add(answer);
  }
  graph.renumber(numbers);
}

/// Gives receives the sizes of their messages, and synchronous sends their answers.
void settle_messages(std::vector<RankGraphBuilder>& graphs, ScheduleTags& tags) {
  FirstMessageSizes sizes;
  std::vector<std::uint32_t> answered;
  for (const NodeKind kind : {NodeKind::send, NodeKind::receive})
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      answered.clear();
      const Rank rank{static_cast<std::int32_t>(i)};
      for (std::uint32_t number = 0; number < graphs[i].size(); ++number) {
        GraphNode& node = graphs[i].node(number);
        if (node.kind != kind) continue;
        if (kind == NodeKind::send)
          sizes.sent(rank, node);
        else if (sizes.received(rank, node))
          answered.push_back(number);
      }
      if (!answered.empty()) answer(graphs[i], answered, tags);
    }
}

std::vector<std::string> notices_of(const SharedSchedule& shared) {
  std::vector<std::string> all;
  const auto add = [&all](const Occurrences& what, const char* name, const char* consequence) {
    if (what.count > 0) all.push_back(what.text(name) + consequence);
  };
  add(shared.synchronous, "synchronous send",
      ": in the schedule an empty message of the receiver answers each of them");
  add(shared.unawaited, "send",
      " that nobody awaits: the rank goes on, but in the schedule it does not end before they do, with a "
      "rendezvous not before they are received");
  add(shared.probes, "probe", ": in the schedule a probe receives the message, and so waits for all of it");
  const bool by_itself = shared.machine.collectives.progress == CollectiveTuning::Progress::asynchronous;
  add(shared.background, "nonblocking collective",
      by_itself ? ": in the schedule they go on by themselves, on CPU 1"
                : ": in the schedule they go on whenever their rank does not compute, not only in calls "
                  "(collectives.progress=asynchronous: on a CPU of their own)");
  add(shared.on_files, "call", " of MPI-IO: a schedule has no files, and they take no time in it");
  add(shared.collectives.differing, "part",
      " of collectives whose sizes differ from those of the lowest rank: that one's count");
  return all;
}

}  // namespace

TraceSchedule schedule_of(const std::filesystem::path& file,
                          const std::shared_ptr<const TraceTranslation>& trace, const Machine& machine,
                          const std::function<void(double)>& progress) {
  TraceSource source(trace);
  const std::size_t ranks = source.ranks();
  if (source.places_its_ranks())
    throw Error(
        fmt::format("{}: tasks of PVM start each other; a schedule's ranks are there from the start: "
                    "give a trace of an MPI program",
                    file.string()));
  if (source.tags_name_endpoints())
    throw Error(fmt::format("{}: tags of Active Messages name endpoints, which a schedule does not have",
                            file.string()));
  SharedSchedule shared(machine, ranks);
  std::vector<RankGraphBuilder> builders(ranks);
  try {
    Operation operation;
    for (std::size_t i = 0; i < ranks; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      RankSchedule schedule(rank, shared, builders[i]);
      do {
        source.next(rank, operation);
      } while (schedule.add(operation));
      if (progress) progress(source.progress());
    }
  } catch (const TimePastEnd&) {
    throw Error(fmt::format("{}: computes for longer than simulated time lasts, 53 days", file.string()));
  } catch (const Error& error) {
    const std::string what = error.what();
    throw Error(what.starts_with("rank ") ? fmt::format("{}: {}", file.string(), what) : what);
  }
  settle_messages(builders, shared.tags);
  std::vector<RankGraph> graphs;
  for (RankGraphBuilder& builder : builders) graphs.push_back(builder.finish());
  TraceSchedule result;
  result.graph = std::make_shared<DependencyGraph>(
      file, std::move(graphs), [file](std::size_t rank, std::uint32_t node) {
        return fmt::format("{}: rank {}, node {}", file.string(), rank, node);
      });
  result.notices = source.notices();
  for (std::string& notice : notices_of(shared)) result.notices.push_back(std::move(notice));
  return result;
}

}  // namespace morgana
