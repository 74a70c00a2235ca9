#include "replay/graph_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine.h"
#include "replay/compute_variation.h"
#include "replay/execution_account.h"

namespace morgana {
namespace {

/// What an event is about: a CPU's number, or this: the instant is over.
constexpr std::uint64_t settle_event = ~std::uint64_t{0};

/// In the first instant a third of all nodes may be ready, later a few.
constexpr std::size_t most_kept = 1 << 16;

constexpr std::uint32_t nodes_between_reports = 1 << 8;

}  // namespace

GraphRun::GraphRun(Machine& machine, const DependencyGraph& graph, const Options& options)
    : machine_(machine),
      events_(*machine.events),
      graph_(graph),
      options_(options),
      lanes_(graph, options.statistics, options.observers, options.causes, options.start),
      progress_(graph),
      messages_(machine, *this, graph, {options.first_rank, graph.program_ranks(), options.first_unit},
                options.causes != nullptr),
      cpus_(graph),
      processors_(machine, graph, messages_, progress_, cpus_),
      texts_(graph, progress_, messages_),
      met_beyond_(messages_.match_matters_beyond()) {
  if (machine_.endpoints.named == EndpointSettings::Named::tags)
    throw Error(fmt::format("{}: a schedule's tags name no endpoints: set messages.endpoints=ranks",
                            graph.file().string()));
}

GraphRun::~GraphRun() = default;

std::vector<SimTime> GraphRun::run(const std::function<void(SimTime)>& all_ended) {
  try {
    begin();
    while (!has_ended()) {
      if (events_.idle() || (machine_.background && only_background_goes_on(machine_)))
        throw Deadlock(deadlock_text(), unstable());
      events_.handle_next();
    }
  } catch (const TimePastEnd& refused) {
    throw Error(past_end_text(refused.what()));
  }
  sum_up();
  const std::vector<SimTime> all = ends();
  finish_network(machine_, std::ranges::max(all), all_ended);
  return all;
}

std::string GraphRun::past_end_text(const std::string& refused) const {
  return fmt::format("{}: {}. Lower the platform's costs, or the schedule's sizes and times",
                     graph_.file().string(), refused);
}

HostUse GraphRun::host_use() const {
  const auto first = machine_.host_of.begin() + static_cast<std::ptrdiff_t>(options_.first_rank);
  const std::set<HostId> hosts(first, first + static_cast<std::ptrdiff_t>(graph_.program_ranks()));
  return {hosts.size(), machine_.processors, machine_.within_hosts, machine_.between_hosts};
}

void GraphRun::begin() {
  ready_ = progress_.begin_run();
  progress_.begin_at(options_.start);
  for (std::size_t i = 0; i < graph_.ranks(); ++i)
    if (const Rank rank{static_cast<std::int32_t>(i)}; progress_.rank_has_ended(rank))
      lanes_.exited(rank, options_.start);
  settle_is_due_ = true;
  events_.schedule_late(std::max(events_.now(), options_.start), *this, settle_event);
}

/// All ranks have: it begins anew in the same instant, or is over.
void GraphRun::graph_ended() {
  if (++runs_ended_ == options_.runs) {
    if (options_.all_ended) options_.all_ended(events_.now());
    return;
  }
  messages_.next_run();
  ready_ = progress_.begin_run();
  look_soon();
}

void GraphRun::handle(std::uint64_t what) {
  if (what == settle_event) return settle();
  const auto number = static_cast<std::uint32_t>(what);
  const Cpu& cpu = cpus_[number];
  // The kernel has delayed it since.
  if (cpu.until > events_.now()) return events_.schedule(cpu.until, *this, number);
  if (end_on(number, false)) settle();
}

bool GraphRun::others_in_instant() {
  return !events_.empty() && events_.next_time() == events_.now();
}

/// @param more  what a CPU does ends in this instant, without an event
/// @return whether the instant is known and something goes on in it; else it will be looked at, if need be
bool GraphRun::end_on(std::uint32_t number, bool more) {
  const bool was_due = std::exchange(settle_is_due_, true);
  cpu_done(number);
  settle_is_due_ = was_due;
  if (was_due || !has_to_settle()) return false;
  // Mostly it is all that happens in its instant.
  if (!more && !others_in_instant()) return true;
  look_soon();
  return false;
}

void GraphRun::look_soon() {
  if (std::exchange(settle_is_due_, true)) return;
  events_.schedule_late(events_.now(), *this, settle_event);
}

/// The instant is known. What follows in it at once, because somebody waits for a start, is looked at again.
void GraphRun::settle() {
  do {
    settle_is_due_ = settles_ = true;
    progress_.follow_ends(ready_);
    if (has_to_settle()) stands_since_ = events_.now();
    while (has_to_settle()) {
      progress_.follow_ends(ready_);
      settling_.swap(ready_);
      if (!std::ranges::is_sorted(settling_)) std::ranges::sort(settling_);
      for (const Node node : settling_) make_ready(node);
      settling_.clear();
      if (settling_.capacity() > most_kept) settling_ = std::vector<Node>();
      // CPUs of what is ready now come behind those that were touched before; their order means nothing.
      cpus_.each_touched([this](std::uint32_t cpu) { work_on(cpu); },
                         [this](Rank rank, Node node) { progress_.prefetch(rank, node); });
    }
    settle_is_due_ = settles_ = false;
  } while (!at_once_.empty() && end_what_takes_no_time());
}

/// Where nothing else happens in this instant the ends of what takes no time are the next events: they take
/// place without going through the queue.
/// @return whether all of the instant is known then
bool GraphRun::end_what_takes_no_time() {
  settling_cpus_.swap(at_once_);
  const bool alone = !others_in_instant();
  bool settled = false;
  for (std::size_t i = 0; i < settling_cpus_.size(); ++i) {
    const AtOnce& one = settling_cpus_[i];
    if (alone)
      settled = end_on(one.cpu, i + 1 < settling_cpus_.size());
    else
      events_.schedule_in_turn(events_.now(), one.turn, *this, one.cpu);
  }
  settling_cpus_.clear();
  return settled;
}

/// All that it waits for has happened.
void GraphRun::make_ready(Node node) {
  const Rank rank = progress_.rank_of(node);
  GraphNode computed;
  const GraphNode& what = progress_.shape_of(rank, node, computed);
  const std::uint32_t cpu = cpus_.of(rank, what);
  if (what.kind == GraphNode::Kind::receive && !messages_.receives_cost())
    return post(rank, node, progress_.at(rank, node, computed), cpu);
  enqueue(cpu, {events_.now(), node});
}

void GraphRun::enqueue(std::uint32_t number, const Item& item) {
  cpus_[number].line.add(item);
  look_soon();
  cpus_.touch(number);
}

void GraphRun::work_on(std::uint32_t number) {
  Cpu& cpu = cpus_[number];
  if (cpu.doing != Doing::nothing) return;
  if (machine_.kernel) {
    GraphNode computed;
    const bool computes = !cpu.line.empty() && progress_.at(cpu.rank, cpu.line.first().node, computed).kind ==
                                                   GraphNode::Kind::compute;
    if (!processors_.may_go_on(cpu, number, computes)) {
      cpu.doing = Doing::finishing;
      return take_until(number, cpu.until);
    }
  }
  if (cpu.line.empty()) return;
  start(number, cpu.line.take());
}

void GraphRun::start(std::uint32_t number, const Item& item) {
  Cpu& cpu = cpus_[number];
  const Rank rank = cpu.rank;
  const SimTime now = events_.now();
  cpu.item = item;
  cpu.since = now;
  if (item.has_message()) {
    cpu.doing = Doing::receiving;
    // It may have been worked on while the CPU was idle.
    const ArrivedMessage& arrived = arrived_[item.arrived];
    const SimTime begin = std::max(cpu.until, arrived.there);
    return take_until(number, std::max(time_before_end(begin + arrived.cost), now));
  }
  GraphNode computed;
  const GraphNode& node = progress_.at(rank, item.node, computed);
  node_started(rank, item.node);
  switch (node.kind) {
    case GraphNode::Kind::compute: {
      cpu.doing = Doing::computing;
      lanes_.computing_begins(rank, now);
      return take_until(number, time_before_end(now + computing_time(rank, item.node, node)));
    }
    case GraphNode::Kind::send:
      cpu.doing = Doing::sending;
      return start_send(number, rank, node);
    case GraphNode::Kind::receive:
      cpu.doing = Doing::posting;
      return take_until(number, time_before_end(now + messages_.receive_cost(rank, node)));
  }
}

SimTime GraphRun::computing_time(Rank rank, Node number, const GraphNode& node) const {
  SimTime time = SimTime::from_ps(node.amount);
  if (options_.compute_scale != 1.0) {
    const long double scaled = static_cast<long double>(node.amount) * options_.compute_scale;
    if (scaled > static_cast<long double>(EventQueue::latest.ps())) refuse_time_past_end();
    time = SimTime::from_ps(std::llround(scaled));
  }
  return options_.times == nullptr ? time : options_.times->of(rank, progress_.within(rank, number), time);
}

void GraphRun::start_send(std::uint32_t number, Rank rank, const GraphNode& node) {
  const SimTime now = events_.now();
  const Node sender = cpus_[number].item.node;
  const GraphMessages::Begun begun = messages_.send(rank, node, sender, now);
  if (begun.complete)
    progress_.add(sender, begun.suspended == Messenger::Suspended::thread ? Part::unwritten : Part::went);
  Cpu& cpu = cpus_[number];
  cpu.hands_over = begun.hands_over;
  if (begun.suspended == Messenger::Suspended::process) {
    cpu.suspended = true;
    cpu.until = now + begun.cost;
    return;
  }
  take_until(number, now + begun.cost);
}

void GraphRun::take_until(std::uint32_t number, SimTime until) {
  cpus_[number].until = until;
  if (settles_ && until == events_.now() && !machine_.kernel)
    at_once_.push_back({number, events_.take_turn()});
  else
    events_.schedule(until, *this, number);
}

void GraphRun::cpu_done(std::uint32_t number) {
  Cpu& cpu = cpus_[number];
  const Rank rank = cpu.rank;
  const Node node = cpu.item.node;
  const Doing did = std::exchange(cpu.doing, Doing::nothing);
  if (!cpu.line.empty() || machine_.kernel) cpus_.touch(number);
  switch (did) {
    case Doing::computing:
      lanes_.computing_ends(rank, events_.now());
      return node_ended(rank, node);
    case Doing::sending:
      return sending_done(cpu, node);
    case Doing::posting: {
      GraphNode computed;
      return post(rank, node, progress_.at(rank, node, computed), number);
    }
    case Doing::receiving: {
      const bool is_piece = cpu.item.is_piece != 0;
      const std::uint32_t place = cpu.item.arrived;
      const ArrivedMessage arrived = arrived_[place];
      arrived_.give_back(place);
      if (is_piece) return;
      if (!lanes_.nobody_looks()) receive_ended(rank, node, arrived);
      return node_ended(rank, node);
    }
    case Doing::nothing:
    case Doing::finishing:
      return;
  }
}

void GraphRun::sending_done(Cpu& cpu, Node node) {
  const Rank rank = cpu.rank;
  GraphNode computed;
  if (cpu.hands_over) messages_.hand_over(rank, progress_.at(rank, node, computed), node, cpu.since);
  lanes_.sent(rank, progress_.within(rank, node), events_.now());
  part_of_send_done(rank, node, Part::worked);
}

void GraphRun::post(Rank rank, Node node, const GraphNode& receive, std::uint32_t number) {
  const SimTime now = events_.now();
  if (!progress_.has_started(node)) node_started(rank, node);
  lanes_.posted(rank, progress_.within(rank, node), now);
  if (Bytes(receive.amount) > met_beyond_ && !lanes_.nobody_looks()) posted_at_[node] = now;
  const SimTime after = messages_.receive(rank, receive, node);
  // The rest of the call, which began on this CPU.
  if (after == SimTime() || cpus_[number].doing != Doing::nothing) return;
  cpus_[number].doing = Doing::finishing;
  take_until(number, time_before_end(std::max(now, cpus_[number].until) + after));
}

void GraphRun::node_started(Rank rank, Node node) {
  const std::size_t before = ready_.size();
  progress_.start(rank, node, ready_);
  if (options_.nodes != nullptr && index(rank) < graph_.program_ranks())
    options_.nodes->started(rank, progress_.within(rank, node), events_.now());
  if (ready_.size() > before) look_soon();
}

void GraphRun::node_ended(Rank rank, Node node) {
  if (options_.nodes != nullptr && index(rank) < graph_.program_ranks())
    options_.nodes->ended(rank, progress_.within(rank, node), events_.now());
  progress_.end(rank, node, events_.now());
  look_soon();
  if (progress_.rank_has_ended(rank)) {
    if (runs_ended_ + 1 == options_.runs) lanes_.exited(rank, events_.now());
    processors_.rank_ended(rank);
  }
  if (progress_.done() % nodes_between_reports == 0 && options_.progress)
    options_.progress(static_cast<double>(progress_.done()) / static_cast<double>(graph_.nodes()));
  if (progress_.done() == graph_.nodes()) graph_ended();
}

}  // namespace morgana
