#include "runs/path_alone.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/messaging/library_costs.h"
#include "emulator/messaging/process_channel.h"

namespace morgana {
namespace {

/// One message after the other, each when the one before has arrived.
class OneByOne final : private ShipmentListener {
 public:
  explicit OneByOne(Machine& machine) : machine_(machine) {}

  /// As the library would ship it. Nothing if it does not arrive, or waits for a timer.
  std::optional<SimTime> time_of(const CarriedMessage& message, Bytes bytes) {
    const MessageLayer& layer = machine_.messages;
    const bool rendezvous =
        LibraryCosts(machine_).goes_by_rendezvous(false, message.bytes, SendMode::standard);
    const bool reads = rendezvous && layer.rendezvous == RendezvousBy::read;
    const bool writes = rendezvous ? layer.rendezvous == RendezvousBy::write : layer.eager == EagerBy::write;
    HostId from = machine_.port_of(message.from, 0), to = machine_.port_of(message.to, 0);
    if (reads) std::swap(from, to);
    Shipment shipment{{++number_, this}, from, to, std::max(bytes, Bytes(1))};
    if (!reads && !(rendezvous && writes)) shipment.bytes += layer.envelope;
    shipment.verb = reads ? Verb::read : writes ? Verb::write : Verb::send;
    shipment.channel = channel_between(*machine_.transport, message.from, message.to);
    const SimTime begin = machine_.events->now();
    over_ = false;
    arrived_.reset();
    machine_.transport->send(shipment);
    while (!over_ && !machine_.events->idle()) machine_.events->handle_next();
    return arrived_ ? std::optional(*arrived_ - begin) : std::nullopt;
  }

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId id) override {
    if (id.number != number_) return;
    over_ = true;
    if (machine_.transport->timer_wait() == SimTime()) arrived_ = machine_.events->now();
  }
  void shipment_lost(MessageId) override { over_ = true; }
  void shipment_returned(MessageId, Outcome) override { over_ = true; }

  Machine& machine_;
  std::uint64_t number_ = 0;
  bool over_ = false;
  std::optional<SimTime> arrived_;
};

struct Times {
  SimTime empty, whole;
};

bool is_simple(const Machine& machine) {
  return machine.transport && !machine.transport->works_on_processors() && !machine.kernel_messages &&
         machine.nics == 1;
}

std::vector<const CriticalPath::Step*> known_messages(const CriticalPath& path) {
  std::vector<const CriticalPath::Step*> known;
  for (const CriticalPath::Step& step : path.steps)
    if (step.carried.is_known() && step.times[static_cast<std::size_t>(PathKind::wire)] > SimTime())
      known.push_back(&step);
  return known;
}

void divide_network_part(CriticalPath& path, const Platform& platform, std::size_t ranks,
                         const Placement& placement, std::uint64_t seed) {
  constexpr std::size_t most_kinds = 512;
  constexpr Bytes most_sent(std::int64_t{128} << 20);
  constexpr double enough = 0.95, worth_finding = 0.1, least_sampled = 0.5;
  const std::vector<const CriticalPath::Step*> messages = known_messages(path);
  const auto wire_of = [](const CriticalPath::Step& step) {
    return step.times[static_cast<std::size_t>(PathKind::wire)];
  };
  SimTime known;
  for (const CriticalPath::Step* step : messages) {
    known += wire_of(*step);
    if (std::max(index(step->carried.from), index(step->carried.to)) >= ranks) return;
  }
  const SimTime wire = path.time(PathKind::wire);
  if (messages.empty() || known.seconds() < enough * wire.seconds()) return;
  if (wire.seconds() < worth_finding * path.total().seconds()) return;
  Machine machine = platform.without_background().build(ranks, placement, seed);
  if (!is_simple(machine)) return;
  OneByOne one_by_one(machine);
  std::map<CarriedMessage, Times> found;
  SimTime sampled, latency, data;
  Bytes sent;
  for (const CriticalPath::Step* const step : messages) {
    const CarriedMessage& message = step->carried;
    if (machine.share_host(message.from, message.to)) return;
    auto entry = found.find(message);
    if (entry == found.end()) {
      if (found.size() == most_kinds || sent + message.bytes > most_sent) continue;
      sent += message.bytes;
      // The second time a connection is open, and its window as wide as it gets.
      std::optional<SimTime> whole = one_by_one.time_of(message, message.bytes);
      const std::optional<SimTime> empty = one_by_one.time_of(message, Bytes()),
                                   again = one_by_one.time_of(message, message.bytes);
      if (!whole || !empty || !again) return;
      entry = found.emplace(message, Times{*empty, std::min(*whole, *again)}).first;
    }
    const SimTime here = wire_of(*step), empty = std::min(here, entry->second.empty);
    sampled += here;
    latency += empty;
    data += std::max(std::min(here, entry->second.whole) - empty, SimTime());
  }
  if (sampled.seconds() < least_sampled * wire.seconds()) return;
  const double all = wire.seconds() / sampled.seconds();
  path.alone = {SimTime::from_seconds(all * latency.seconds()), SimTime::from_seconds(all * data.seconds())};
}

}  // namespace

void find_alone(CriticalPath& path, const Platform& platform, std::size_t ranks, const Placement& placement,
                std::uint64_t seed) {
  try {
    divide_network_part(path, platform, ranks, placement, seed);
  } catch (const Error&) {  // the run itself has ended well: nothing of it may be lost
    path.alone.reset();
  }
}

}  // namespace morgana
