#include "replay/graph_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine.h"
#include "replay/compute_variation.h"
#include "replay/execution_account.h"

namespace morgana {
namespace {

/// What an event is about: a CPU's number, or this: the instant is over.
constexpr std::uint64_t settle_event = ~std::uint64_t{0};

constexpr std::uint32_t nodes_between_reports = 1 << 8;

}  // namespace

void GraphRun::Line::add(const Item& item) {
  if (in_order_.empty() || !in_order_[in_order_.size() - 1].later_than(item))
    return in_order_.push_back(item);
  others_.push_back(item);
  std::ranges::push_heap(others_, [](const Item& a, const Item& b) { return a.later_than(b); });
}

GraphRun::Item GraphRun::Line::take() {
  if (other_is_first()) {
    std::ranges::pop_heap(others_, [](const Item& a, const Item& b) { return a.later_than(b); });
    const Item taken = others_.back();
    others_.pop_back();
    return taken;
  }
  const Item taken = in_order_.front();
  in_order_.pop_front();
  return taken;
}

GraphRun::GraphRun(Machine& machine, const DependencyGraph& graph, const Options& options)
    : machine_(machine),
      events_(*machine.events),
      graph_(graph),
      rule_(graph.rule()),
      options_(options),
      lanes_(graph, options.observers, options.causes, options.start),
      messages_(machine, *this, {options.first_rank, graph.program_ranks(), options.first_unit}),
      numbers_(graph),
      ends_(graph.ranks()),
      met_beyond_(messages_.match_matters_beyond()) {
  if (machine_.endpoints.named == EndpointSettings::Named::tags)
    throw Error(fmt::format("{}: a schedule's tags name no endpoints: set messages.endpoints=ranks",
                            graph.file().string()));
  for (std::size_t i = 0; i < graph.ranks(); ++i) {
    first_cpu_.push_back(static_cast<std::uint32_t>(cpus_.size()));
    std::size_t cpus = rule_ != nullptr ? rule_->cpus() : 1;
    if (rule_ == nullptr)
      for (const GraphNode& node : graph.rank(i).nodes())
        cpus = std::max<std::size_t>(cpus, node.cpu + std::size_t{1});
    cpus_.resize(cpus_.size() + cpus);
    for (std::size_t cpu = first_cpu_.back(); cpu < cpus_.size(); ++cpu)
      cpus_[cpu].rank = Rank{static_cast<std::int32_t>(i)};
  }
  if (rule_ == nullptr)
    count_stored_nodes();
  else
    count_computed_nodes();
  place_on_processors();
}

void GraphRun::count_stored_nodes() {
  remaining_.clear();
  remaining_.reserve(graph_.nodes());
  for (std::size_t i = 0; i < graph_.ranks(); ++i) {
    for (const GraphNode& node : graph_.rank(i).nodes()) remaining_.push_back(node.waits_for);
    ends_[i].left = static_cast<std::uint32_t>(graph_.rank(i).nodes().size());
  }
}

void GraphRun::count_computed_nodes() {
  remaining_.assign(numbers_.count(), 0);
  for (std::size_t i = 0; i < graph_.ranks(); ++i) ends_[i].left = rule_->nodes(i);
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
  const std::vector<SimTime> all = ends();
  finish_network(machine_, std::ranges::max(all), all_ended);
  return all;
}

std::string GraphRun::past_end_text(const std::string& refused) const {
  return fmt::format("{}: {}. Lower the platform's costs, or the schedule's sizes and times",
                     graph_.file().string(), refused);
}

std::vector<SimTime> GraphRun::ends() const {
  std::vector<SimTime> all;
  for (const RankEnd& end : ends_) all.push_back(end.at);
  return all;
}

void GraphRun::begin() {
  for (std::size_t i = 0; i < graph_.ranks(); ++i)
    if (ends_[i].left == 0) {
      ends_[i].at = options_.start;
      lanes_.exited(Rank{static_cast<std::int32_t>(i)}, options_.start);
    }
  look_at_first_nodes();
  settle_is_due_ = true;
  events_.schedule_late(std::max(events_.now(), options_.start), *this, settle_event);
}

/// Those that wait for nothing are ready.
void GraphRun::look_at_first_nodes() {
  for (std::size_t i = 0; i < graph_.ranks(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    if (rule_ != nullptr) {
      for (const std::uint32_t node : rule_->first_nodes(i)) ready_.push_back(numbers_.first(rank) + node);
      continue;
    }
    for (Node node = numbers_.first(rank); node < numbers_.end(rank); ++node)
      if (remaining_[node] == 0) ready_.push_back(node);
  }
}

/// All ranks have: it begins anew in the same instant, or is over.
void GraphRun::graph_ended() {
  if (++runs_ended_ == options_.runs) {
    if (options_.all_ended) options_.all_ended(events_.now());
    return;
  }
  done_ = 0;
  messages_.next_run();
  if (rule_ == nullptr)
    count_stored_nodes();
  else
    count_computed_nodes();
  look_at_first_nodes();
  look_soon();
}

void GraphRun::handle(std::uint64_t what) {
  if (what == settle_event) return settle();
  const auto number = static_cast<std::uint32_t>(what);
  Cpu& cpu = cpus_[number];
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
  if (was_due || (ready_.empty() && touched_.empty())) return false;
  // Mostly it is all that happens in its instant.
  if (!more && !others_in_instant()) return true;
  look_soon();
  return false;
}

void GraphRun::look_soon() {
  if (std::exchange(settle_is_due_, true)) return;
  events_.schedule_late(events_.now(), *this, settle_event);
}

void GraphRun::touch(std::uint32_t cpu) {
  look_soon();
  if (std::exchange(cpus_[cpu].touched, true)) return;
  touched_.push_back(cpu);
}

/// The instant is known. What follows in it at once, because somebody waits for a start, is looked at again.
void GraphRun::settle() {
  do {
    settle_is_due_ = settles_ = true;
    if (!ready_.empty() || !touched_.empty()) stands_since_ = events_.now();
    while (!ready_.empty() || !touched_.empty()) {
      settling_.swap(ready_);
      if (!std::ranges::is_sorted(settling_)) std::ranges::sort(settling_);
      for (const Node node : settling_) make_ready(rank_of(node), node);
      settling_.clear();
      // CPUs of what is ready now come behind those that were touched before; their order means nothing.
      for (std::size_t i = 0; i < touched_.size(); ++i) {
        cpus_[touched_[i]].touched = false;
        work_on(touched_[i]);
      }
      touched_.clear();
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
void GraphRun::make_ready(Rank rank, Node node) {
  GraphNode computed;
  const GraphNode& what = shape_of(rank, node, computed);
  if (what.kind == GraphNode::Kind::receive && !messages_.receives_cost())
    return post(rank, node, cpu_of(rank, what));
  enqueue(cpu_of(rank, what), {events_.now(), node, none, false});
}

void GraphRun::enqueue(std::uint32_t number, const Item& item) {
  Cpu& cpu = cpus_[number];
  cpu.line.add(item);
  touch(number);
}

void GraphRun::work_on(std::uint32_t number) {
  Cpu& cpu = cpus_[number];
  if (cpu.doing != Doing::nothing) return;
  if (machine_.kernel && !may_go_on(cpu, number)) return;
  if (cpu.line.empty()) return;
  start(number, cpu.line.take());
}

void GraphRun::start(std::uint32_t number, Item item) {
  Cpu& cpu = cpus_[number];
  const Rank rank = cpu.rank;
  cpu.item = item;
  if (item.arrived != none) {
    cpu.doing = Doing::receiving;
    start_completion(cpu, arrived_[item.arrived]);
    return take_until(number, cpu.until);
  }
  GraphNode computed;
  const GraphNode& node = at(rank, item.node, computed);
  node_started(rank, item.node);
  switch (node.kind) {
    case GraphNode::Kind::compute: {
      cpu.doing = Doing::computing;
      lanes_.computing_begins(rank, events_.now());
      return take_until(number, time_before_end(events_.now() + computing_time(rank, item.node, node)));
    }
    case GraphNode::Kind::send:
      cpu.doing = Doing::sending;
      return start_send(number, rank, node);
    case GraphNode::Kind::receive:
      cpu.doing = Doing::posting;
      return take_until(number, time_before_end(events_.now() + messages_.receive_cost(rank, node)));
  }
}

SimTime GraphRun::computing_time(Rank rank, Node number, const GraphNode& node) const {
  SimTime time = SimTime::from_ps(node.amount);
  if (options_.compute_scale != 1.0) {
    const long double scaled = static_cast<long double>(node.amount) * options_.compute_scale;
    if (scaled > static_cast<long double>(EventQueue::latest.ps())) refuse_time_past_end();
    time = SimTime::from_ps(std::llround(scaled));
  }
  return options_.times == nullptr ? time : options_.times->of(rank, number_of(rank, number), time);
}

void GraphRun::start_send(std::uint32_t number, Rank rank, const GraphNode& node) {
  const SimTime now = events_.now();
  const Node sender = cpus_[number].item.node;
  const Messenger::SendCost cost = messages_.send_cost(rank, node.peer, Bytes(node.amount));
  const SimTime until = time_before_end(now + cost.all());
  const auto [under_way, suspended] = messages_.send(rank, node, Token{sender}, now, now + cost.before);
  if (!under_way) remaining_[sender] |= suspended == Messenger::Suspended::thread ? unwritten : went;
  Cpu& cpu = cpus_[number];
  if (suspended == Messenger::Suspended::process) {
    cpu.suspended = true;
    cpu.until = until;
    return;
  }
  take_until(number, until);
}

/// Of a message that may have been worked on while the CPU was idle.
void GraphRun::start_completion(Cpu& cpu, const Arrived& arrived) {
  const SimTime begin = std::max(cpu.until, arrived.at - arrived.early);
  cpu.until = std::max(time_before_end(begin + arrived.cost), events_.now());
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
  const Item item = cpu.item;
  const Doing did = std::exchange(cpu.doing, Doing::nothing);
  if (!cpu.line.empty() || machine_.kernel) touch(number);
  switch (did) {
    case Doing::computing:
      lanes_.computing_ends(rank, events_.now());
      return node_ended(rank, item.node);
    case Doing::sending:
      lanes_.sent(rank, number_of(rank, item.node), events_.now());
      return part_of_send_done(rank, item.node, worked);
    case Doing::posting:
      return post(rank, item.node, number);
    case Doing::receiving: {
      const Arrived arrived = arrived_[item.arrived];
      arrived_.give_back(item.arrived);
      if (item.is_piece) return;
      if (!lanes_.nobody_looks()) receive_ended(rank, item.node, arrived);
      return node_ended(rank, item.node);
    }
    case Doing::nothing:
    case Doing::finishing:
      return;
  }
}

void GraphRun::post(Rank rank, Node node, std::uint32_t number) {
  GraphNode computed;
  const GraphNode& receive = at(rank, node, computed);
  const SimTime now = events_.now();
  if (remaining_[node] == 0) node_started(rank, node);
  lanes_.posted(rank, number_of(rank, node), now);
  if (Bytes(receive.amount) > met_beyond_ && !lanes_.nobody_looks()) posted_at_[node] = now;
  const Messenger::Posted posted = messages_.receive(rank, receive, Token{node});
  // The rest of the call, which began on this CPU.
  if (posted.after == SimTime() || cpus_[number].doing != Doing::nothing) return;
  cpus_[number].doing = Doing::finishing;
  take_until(number, time_before_end(std::max(now, cpus_[number].until) + posted.after));
}

void GraphRun::node_started(Rank rank, Node node) {
  remaining_[node] = started;
  if (options_.nodes != nullptr && !is_switch(rank))
    options_.nodes->started(rank, number_of(rank, node), events_.now());
  const std::uint32_t number = number_of(rank, node);
  if (rule_ == nullptr)
    go_on(rank, graph_.rank(index(rank)).wait_for_start(number));
  else
    go_on(rank, rule_->waits_for_start(index(rank), number));
}

void GraphRun::node_ended(Rank rank, Node node) {
  remaining_[node] = ended;
  if (options_.nodes != nullptr && !is_switch(rank))
    options_.nodes->ended(rank, number_of(rank, node), events_.now());
  const std::uint32_t number = number_of(rank, node);
  if (rule_ == nullptr)
    go_on(rank, graph_.rank(index(rank)).wait_for_end(number));
  else
    go_on(rank, rule_->waits_for_end(index(rank), number));
  RankEnd& end = ends_[index(rank)];
  end.at = events_.now();
  if (--end.left == 0) rank_ended(rank);
  if (++done_ % nodes_between_reports == 0 && options_.progress)
    options_.progress(static_cast<double>(done_) / static_cast<double>(graph_.nodes()));
  if (done_ == graph_.nodes()) graph_ended();
}

void GraphRun::rank_ended(Rank rank) {
  if (runs_ended_ + 1 == options_.runs) lanes_.exited(rank, events_.now());
  if (!machine_.kernel || !machine_.kernel->polls()) return;
  const HostId host = messages_.host_of(rank);
  if (const auto idle = poller(host)) machine_.kernel->look(host, *idle);
}

void GraphRun::go_on(Rank rank, std::span<const std::uint32_t> followers) {
  for (const std::uint32_t follower : followers) {
    const Node node = numbers_.first(rank) + follower;
    if (--remaining_[node] > 0) continue;
    ready_.push_back(node);
    look_soon();
  }
}

/// Of a rule: it has waited for nothing else.
void GraphRun::go_on(Rank rank, std::uint32_t follower) {
  if (follower == GraphRule::no_node) return;
  ready_.push_back(numbers_.first(rank) + follower);
  look_soon();
}

bool GraphRun::has_follower(Rank rank, std::uint32_t number) const {
  return rule_ == nullptr ? !graph_.rank(index(rank)).wait_for_end(number).empty()
                          : rule_->waits_for_end(index(rank), number) != GraphRule::no_node;
}

}  // namespace morgana
