#include "emulator/messaging/machine.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "emulator/messaging/rank_traffic.h"

namespace morgana {

namespace {

bool has_other_jobs(const Machine& machine) {
  return machine.program_ranks < machine.host_of.size() - machine.switch_units;
}

/// By number of the port: whether a rank of the program is there. Empty where the network is the program's
/// alone.
std::vector<bool> ports_of_program(const Machine& machine) {
  std::vector<bool> ports;
  if (!has_other_jobs(machine) && !machine.background) return ports;
  const std::size_t jobs = machine.host_of.size() - machine.switch_units;
  for (std::size_t rank = 0; rank < jobs + machine.program_units; ++rank) {
    if (rank >= machine.program_ranks && rank < jobs) continue;
    const std::size_t port = static_cast<std::size_t>(machine.host_of[rank]) * machine.nics;
    ports.resize(std::max(ports.size(), port + machine.nics));
    std::fill_n(ports.begin() + static_cast<std::ptrdiff_t>(port), machine.nics, true);
  }
  return ports;
}

}  // namespace

NetworkAccount::NetworkAccount(Machine& machine, bool counters, bool links, bool over_time)
    : machine_(machine), wants_counters_(counters), wants_links_(links), ports_(ports_of_program(machine)) {
  if (over_time) sampler_.emplace(*machine.events, *machine.network);
  if (links && !ports_.empty()) followed_ = machine.network->follow_ports(ports_);
}

void Machine::share_memory(const HostMemoryParameters& parameters, bool knows_ranks) {
  memory = std::make_unique<HostMemory>(*events, parameters);
  if (!knows_ranks) return;
  const auto copies = [](ByteCost cost) { return MemoryWork{Bytes(), cost}; };
  memory->ranks_are_on(host_of,
                       std::array{copies(messages.copy_per_byte), copies(messages.own_copy()),
                                  copies(messages.send_per_byte), copies(messages.receive_per_byte),
                                  MemoryWork{Bytes(), messages.reduce_per_byte, MemoryWork::reduced}});
}

void Machine::count(Rank sender, Rank receiver, bool local, Bytes bytes) {
  const std::size_t jobs = host_of.size() - switch_units;
  if (index(sender) >= std::min(program_ranks, jobs)) return;
  (local ? within_hosts : between_hosts).add(bytes);
  if (pairs != nullptr && index(receiver) < jobs) pairs->add(sender, receiver, bytes);
}

void NetworkAccount::close(SimTime end) {
  if (std::exchange(closed_, true)) return;
  end = std::max(end, machine_.events->now());
  if (wants_counters_) counters_ = machine_.network->counted(end);
  if (wants_counters_ && has_other_jobs(machine_)) add_counters_of_hosts(counters_);
  if (wants_links_) links_ = machine_.network->links(end);
  if (sampler_) sampler_->close(end);
  if (!ports_.empty()) leave_out_links_of_others();
}

void NetworkAccount::leave_out_links_of_others() {
  if (machine_.places_later) {
    for (LinkLoad& link : links_.loads) link.of_program = true;
    links_.others_unknown = true;
    return;
  }
  if (followed_) return;
  const auto is_ours = [&](const LinkEnd& one) {
    return !one.is_host() || (one.number < ports_.size() && ports_[one.number]);
  };
  const bool one_host = std::cmp_less_equal(std::ranges::count(ports_, true), machine_.nics);
  for (LinkLoad& link : links_.loads)
    if (one_host || !is_ours(link.from) || !is_ours(link.to)) link.of_program = false;
}

std::vector<CounterTable> NetworkAccount::counters() const {
  std::vector<CounterTable> tables = counters_;
  if (wants_counters_ && !has_other_jobs(machine_)) add_counters_of_hosts(tables);
  return tables;
}

void NetworkAccount::add_counters_of_hosts(std::vector<CounterTable>& tables) const {
  for (CounterTable& table : machine_.transport->counted()) tables.push_back(std::move(table));
  if (machine_.memory)
    if (CounterTable table = machine_.memory->counted(); !table.rows.empty())
      tables.push_back(std::move(table));
  if (machine_.kernel)
    for (CounterTable& table : machine_.kernel->counted()) tables.push_back(std::move(table));
  if (machine_.kernel_messages) {
    tables.push_back(machine_.kernel_message_counters.table());
    tables.push_back(machine_.kernel_message_counters.buffer_table());
  }
}

bool only_background_goes_on(Machine& machine) {
  return machine.background && machine.under_way == 0 && machine.background->look_is_due() &&
         !machine.events->holds_event_of_program();
}

std::optional<BackgroundUse> background_use(const Machine& machine) {
  if (!machine.background) return std::nullopt;
  return machine.background->use();
}

void finish_network(Machine& machine, SimTime end, const std::function<void(SimTime)>& all_ended) {
  EventQueue& events = *machine.events;
  const auto goes_on = [&] { return !events.idle() || (machine.background && !events.empty()); };
  while (goes_on() && events.next_time() <= end) events.handle_next();
  if (machine.background) machine.background->stop();
  if (all_ended) all_ended(end);
  while (!events.idle() && !only_background_goes_on(machine)) events.handle_next();
}

bool expects_returns(const Machine& machine) {
  return machine.transport && machine.transport->guarantees().returns &&
         machine.network->capabilities().fails;
}

bool ordered_reliable_delivery(const Machine& machine) {
  if (machine.kernel_messages || !machine.transport || !machine.network) return false;
  const TransportGuarantees transport = machine.transport->guarantees();
  return transport.ordered && transport.reliable && !machine.network->capabilities().fails;
}

bool receives_take_no_time(const Machine& machine) {
  return !machine.kernel && !machine.kernel_messages && !machine.memory && machine.quantum == SimTime();
}

SimTime least_distance(const Machine& machine) {
  const std::set<HostId> hosts(machine.host_of.begin(), machine.host_of.end());
  SimTime least = SimTime::max();
  if (hosts.size() > 1 || machine.host_of.size() == 1) least = machine.network->least_latency();
  if (hosts.size() < machine.host_of.size()) least = std::min(least, machine.messages.local_latency);
  return least;
}

std::string never_arrived(const Machine& machine, const std::string& what) {
  const Transport* const transport = machine.transport.get();
  std::string how = transport != nullptr ? transport->how_lost() : "";
  std::string remedy = transport != nullptr ? transport->remedy() : "";
  if (how.empty()) how = "it was lost, and nobody repeats it";
  if (remedy.empty()) remedy = "have the platform lose none (--set)";
  return what + " did not arrive: " + how + "; " + remedy;
}

}  // namespace morgana
