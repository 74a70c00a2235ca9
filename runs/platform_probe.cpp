#include "runs/platform_probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/quantity.h"
#include "emulator/engine/engine.h"
#include "runs/scripted_ranks.h"

namespace morgana {
namespace {

constexpr Rank sender{0}, receiver{1};

/// When the receiver's waits end.
class Arrivals : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime, SimTime end,
                       std::span<const Completed>) override {
    if (rank == receiver && operation.kind == OperationKind::wait) times_.push_back(end);
  }
  std::vector<SimTime> times() && { return std::move(times_); }

 private:
  std::vector<SimTime> times_;
};

/// When shipments are at the receiving host.
class Deliveries : public ShipmentListener {
 public:
  Deliveries(const Machine& machine, std::size_t shipments)
      : events_(*machine.events), transport_(*machine.transport), times_(shipments) {}
  bool complete() const { return delivered_ == times_.size(); }
  bool lost() const { return lost_; }
  std::vector<SimTime> times() && { return std::move(times_); }
  /// Until the receiver's processor has done the transport's work with the last one, if it has waited for it.
  SimTime left_to_do() const { return left_to_do_; }
  /// The transport's work of the receiver's processor, with all fragments.
  SimTime work() const { return work_; }

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId id) override {
    times_.at(id.number) = events_.now();
    ++delivered_;
    const ProcessorWork work = transport_.receiving_work();
    work_ = work.cost;
    left_to_do_ = work.cost == SimTime() ? SimTime() : work.released + work.cost - events_.now();
  }
  void shipment_lost(MessageId) override { lost_ = true; }
  void shipment_returned(MessageId, Outcome) override { lost_ = true; }

  const EventQueue& events_;
  const Transport& transport_;
  std::vector<SimTime> times_;
  SimTime left_to_do_, work_;
  std::size_t delivered_ = 0;
  bool lost_ = false;
};

/// Ships messages as a rank that does nothing else would: where the transport copies them on the rank's
/// processor, one after the other.
class Shipping : private EventHandler {
 public:
  Shipping(Machine& machine, std::span<const Bytes> sizes, ShipmentListener& listener)
      : machine_(machine), sizes_(sizes), listener_(listener) {}
  void go_on() {
    while (next_ < sizes_.size()) {
      const Bytes size = sizes_[next_];
      machine_.transport->send(
          {{next_++, &listener_}, machine_.port_of(Rank{0}, 0), machine_.port_of(Rank{1}, 0), size, false});
      const SimTime busy = machine_.transport->sending_work(size);
      if (busy > SimTime()) return machine_.events->schedule(machine_.events->now() + busy, *this, 0);
    }
  }

 private:
  void handle(std::uint64_t) override { go_on(); }

  Machine& machine_;
  std::span<const Bytes> sizes_;
  ShipmentListener& listener_;
  std::size_t next_ = 0;
};

[[noreturn]] void never_came(const Platform& platform, Bytes size) {
  throw Error(fmt::format(
      "{}: of messages of {} some were lost on their way, and a pipeline loses none; probe smaller ones "
      "(--most), or have the platform lose none (--set)",
      platform.name(), to_text(size)));
}

}  // namespace

Machine PlatformProbe::machine() const {
  Placement placement;
  placement.kind = Placement::Kind::cyclic;  // a host may have processors for both
  Machine machine = platform_.without_background().build(2, placement, seed_);
  if (machine.host_of.at(0) == machine.host_of.at(1) || !machine.transport)
    throw Error(
        fmt::format("{}: both ranks are on one host, and nothing lies between them to be probed; set "
                    "hosts.count to 2 or more",
                    platform_.name()));
  return machine;
}

std::vector<SimTime> PlatformProbe::send(std::span<const Bytes> sizes) const {
  ScriptedRanks ranks(2);
  std::vector<RequestId> receives, sends;
  for (const Bytes size : sizes) receives.push_back(ranks.begin_receive(receiver, sender, size));
  for (const Bytes size : sizes) sends.push_back(ranks.begin_send(sender, receiver, size));
  for (const RequestId one : receives) ranks.wait(receiver, one);
  for (const RequestId one : sends) ranks.wait(sender, one);
  ranks.exit(sender);
  ranks.exit(receiver);
  Machine there = machine();
  Arrivals arrivals;
  OperationObserver* const observers[] = {&arrivals};
  Engine engine(there, ranks, observers);
  try {
    engine.run();
  } catch (const Deadlock&) {
    never_came(platform_, *std::max_element(sizes.begin(), sizes.end()));
  }
  return std::move(arrivals).times();
}

PlatformProbe::Shipped PlatformProbe::ship(Machine& machine, std::span<const Bytes> sizes) const {
  Deliveries deliveries(machine, sizes.size());
  Shipping shipping(machine, sizes, deliveries);
  shipping.go_on();
  while (!deliveries.complete()) {
    if (deliveries.lost() || machine.events->empty())
      never_came(platform_, *std::max_element(sizes.begin(), sizes.end()));
    machine.events->handle_next();
  }
  const SimTime left_to_do = deliveries.left_to_do(), work = deliveries.work();
  return {std::move(deliveries).times(), left_to_do, work};
}

std::vector<PlatformProbe::Stage> PlatformProbe::stages(std::span<const pipeline::ProbeSample> samples,
                                                        std::size_t burst) const {
  using pipeline::real;
  std::vector<pipeline::Timing> send, transit, occupied, receive, receive_occupied;
  for (const pipeline::ProbeSample& sample : samples) {
    Machine alone = machine(), loaded = machine();
    const MessageLayer& costs = alone.messages;
    const auto timing = [&](SimTime time) { return pipeline::Timing{real(sample.size), real(time)}; };
    const Bytes shipped = sample.size + costs.envelope, one[] = {shipped};
    const SimTime copying = alone.transport->sending_work(shipped);
    send.push_back(timing(costs.send_overhead + costs.send_per_byte.time_for(sample.size) + copying));
    const Shipped single = ship(alone, one);
    transit.push_back(timing(single.times.front() - copying));
    const std::vector<SimTime> times = ship(loaded, std::vector<Bytes>(burst, shipped)).times;
    const std::size_t first = times.size() / 2;
    occupied.push_back({real(sample.size),
                        real(times.back() - times[first]) / static_cast<double>(times.size() - 1 - first)});
    const SimTime receiver = costs.receive_overhead + costs.receive_per_byte.time_for(sample.size);
    receive.push_back(timing(receiver + single.left_to_do));
    receive_occupied.push_back(timing(receiver + single.work));
  }
  return {{"sender's host", pipeline::probed_line(send), pipeline::probed_line(send)},
          {"transport and network", pipeline::probed_line(transit), pipeline::probed_line(occupied)},
          {"receiver's host", pipeline::probed_line(receive), pipeline::probed_line(receive_occupied)}};
}

}  // namespace morgana
