#include "experiments/platform_probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/quantity.h"
#include "emulator/process/engine.h"
#include "experiments/scripted_ranks.h"

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
  Deliveries(const EventQueue& events, std::size_t shipments) : events_(events), times_(shipments) {}
  bool complete() const { return delivered_ == times_.size(); }
  bool lost() const { return lost_; }
  std::vector<SimTime> times() && { return std::move(times_); }

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId id) override {
    times_.at(static_cast<std::size_t>(id)) = events_.now();
    ++delivered_;
  }
  void shipment_lost(MessageId) override { lost_ = true; }
  void shipment_returned(MessageId, Outcome) override { lost_ = true; }

  const EventQueue& events_;
  std::vector<SimTime> times_;
  std::size_t delivered_ = 0;
  bool lost_ = false;
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
  Machine machine = platform_.build(2, placement, seed_);
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

std::vector<SimTime> PlatformProbe::ship(Machine& machine, std::span<const Bytes> sizes) const {
  Deliveries deliveries(*machine.events, sizes.size());
  machine.transport->report_to(deliveries);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    machine.transport->send({MessageId(i), machine.host_of[0], machine.host_of[1], sizes[i], false});
  while (!deliveries.complete()) {
    if (deliveries.lost() || machine.events->empty())
      never_came(platform_, *std::max_element(sizes.begin(), sizes.end()));
    machine.events->handle_next();
  }
  return std::move(deliveries).times();
}

std::vector<PlatformProbe::Stage> PlatformProbe::stages(std::span<const pipeline::ProbeSample> samples,
                                                        std::size_t burst) const {
  using pipeline::real;
  std::vector<pipeline::Timing> send, transit, occupied, receive;
  for (const pipeline::ProbeSample& sample : samples) {
    Machine alone = machine(), loaded = machine();
    const MessageLayer& costs = alone.messages;
    const auto timing = [&](SimTime time) { return pipeline::Timing{real(sample.size), real(time)}; };
    const Bytes shipped = sample.size + costs.envelope, one[] = {shipped};
    send.push_back(timing(costs.send_overhead + costs.send_per_byte.time_for(sample.size)));
    transit.push_back(timing(ship(alone, one).front()));
    const std::vector<SimTime> times = ship(loaded, std::vector<Bytes>(burst, shipped));
    const std::size_t first = times.size() / 2;
    occupied.push_back({real(sample.size),
                        real(times.back() - times[first]) / static_cast<double>(times.size() - 1 - first)});
    receive.push_back(timing(costs.receive_overhead + costs.receive_per_byte.time_for(sample.size)));
  }
  return {{"sender's host", pipeline::probed_line(send), pipeline::probed_line(send)},
          {"transport and network", pipeline::probed_line(transit), pipeline::probed_line(occupied)},
          {"receiver's host", pipeline::probed_line(receive), pipeline::probed_line(receive)}};
}

}  // namespace morgana
