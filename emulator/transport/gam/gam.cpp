#include "emulator/transport/gam/gam.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/core/error.h"

namespace morgana {
namespace {

// A unit is a fragment (the message's slot, and behind it the fragment's number) or an answer (this bit, then
// the hosts between which it gives a credit back).
constexpr std::uint64_t answer = std::uint64_t{1} << 63;
constexpr unsigned upper = 32;

std::size_t number_in(UnitId fragment) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(fragment));
}

}  // namespace

Gam::Gam(EventQueue& events, Network& network, const GamParameters& parameters, pipeline::Stages stages)
    : events_(events),
      network_(network),
      largest_(network.largest_unit()),
      parameters_(parameters),
      cutter_(parameters.fragmentation, static_cast<std::size_t>(parameters.fragments), std::move(stages)) {
  network.report_to(*this);
}

SimTime Gam::copy_in(Bytes fragment) const {
  return time_before_end(parameters_.send_overhead + time_before_end(parameters_.send_per_byte, fragment));
}

SimTime Gam::copy_out(Bytes fragment) const {
  return time_before_end(parameters_.receive_overhead +
                         time_before_end(parameters_.receive_per_byte, fragment));
}

SimTime Gam::sending_work(Bytes bytes) {
  const Cut cut = cutter_.cut(bytes);
  SimTime all;
  for (std::size_t i = 0; i < cut.count(); ++i) all = time_before_end(all + copy_in(cut.size(i)));
  return all;
}

void Gam::send(const Shipment& shipment) {
  const Cut cut = cutter_.cut(shipment.bytes);
  if (cut.size(0) > largest_ || cut.count() > std::numeric_limits<std::uint32_t>::max())
    throw Error("a message of " + std::to_string(shipment.bytes.count()) +
                " bytes can't be sent in fragments of " + std::to_string(cut.size(0).count()) +
                ": the network's largest unit has " + std::to_string(largest_.count()) +
                ", and there may be 2^32-1 of them; choose another transport.fragmentation");
  Message message;
  message.shipment = shipment;
  message.cut = cut;
  const Slot slot = messages_.take(std::move(message));
  connections_[connection_of(shipment)].copying.push_back(slot);
  fragments_ += cut.count();
  ++sent_;
  events_.schedule(events_.now() + copy_in(cut.size(0)), *this, slot);
}

std::uint64_t Gam::connection_of(const Shipment& shipment) {
  return static_cast<std::uint64_t>(shipment.from) << upper | static_cast<std::uint64_t>(shipment.to);
}

/// A fragment has been copied.
void Gam::handle(std::uint64_t what) {
  const auto slot = static_cast<Slot>(what);
  Message& message = messages_[slot];
  const Shipment shipment = message.shipment;
  const bool last = ++message.copied == message.cut->count();
  if (!last) events_.schedule(events_.now() + copy_in(message.cut->size(message.copied)), *this, slot);
  post_copied(connections_[connection_of(shipment)]);
  if (last) shipment.id.listener->shipment_departed(shipment.id);
}

void Gam::post_copied(Connection& connection) {
  while (!connection.copying.empty()) {
    const Slot slot = connection.copying.front();
    Message& message = messages_[slot];
    const auto from = static_cast<PortId>(message.shipment.from),
               to = static_cast<PortId>(message.shipment.to);
    for (; message.posted < message.copied; ++message.posted) {
      const UnitId id{std::uint64_t{slot} << upper | message.posted};
      post(connection, {id, from, to, message.cut->size(message.posted)});
    }
    if (message.posted < message.cut->count()) return;
    connection.copying.pop_front();
  }
}

void Gam::post(Connection& connection, const Unit& fragment) {
  if (parameters_.credits > 0) {
    if (connection.unanswered == parameters_.credits) {
      ++waited_;
      connection.waiting.push_back(fragment);
      return;
    }
    ++connection.unanswered;
  }
  network_.inject(fragment);
}

void Gam::answered(std::uint64_t connection) {
  Connection& found = connections_[connection];
  if (found.waiting.empty()) {
    --found.unanswered;
    return;
  }
  const Unit next = found.waiting.front();
  found.waiting.pop_front();
  network_.inject(next);
}

void Gam::unit_delivered(UnitId id, PortId /*to*/) {
  const auto what = static_cast<std::uint64_t>(id);
  if ((what & answer) != 0) return answered(what & ~answer);
  const auto slot = static_cast<Slot>(what >> upper);
  Message& message = messages_[slot];
  const SimTime copy = copy_out(message.cut->size(number_in(id)));
  message.earliest = time_before_end(std::max(message.earliest, events_.now()) + copy);
  message.copying = time_before_end(message.copying + copy);
  if (parameters_.credits > 0) {
    ++answers_;
    network_.inject({UnitId{answer | connection_of(message.shipment)},
                     static_cast<PortId>(message.shipment.to), static_cast<PortId>(message.shipment.from),
                     Bytes()});
  }
  settle(slot);
}

void Gam::unit_lost(UnitId id) {
  const auto what = static_cast<std::uint64_t>(id);
  if ((what & answer) != 0) return answered(what & ~answer);
  const auto slot = static_cast<Slot>(what >> upper);
  Message& message = messages_[slot];
  if (!message.lost) message.how_lost = network_.how_lost();
  message.lost = true;
  networks_remedy_ = network_.remedy();
  const std::uint64_t connection = connection_of(message.shipment);
  settle(slot);
  if (parameters_.credits > 0) answered(connection);
}

/// A fragment has come or is lost; with its last one a message has its fate.
void Gam::settle(Slot slot) {
  Message& message = messages_[slot];
  if (++message.settled < message.cut->count()) return;
  const MessageId id = message.shipment.id;
  const bool lost = message.lost;
  how_lost_ = std::move(message.how_lost);
  work_ = {message.earliest - message.copying, message.copying};
  messages_.give_back(slot);
  if (!lost) return id.listener->shipment_delivered(id);
  ++lost_;
  id.listener->shipment_lost(id);
}

std::string Gam::remedy() const {
  const std::string own =
      "Generic Active Messages relies on the network and repeats nothing: --set "
      "transport.kind=go-back-n repeats what is lost";
  return networks_remedy_.empty() ? own : own + "; " + networks_remedy_;
}

std::vector<CounterTable> Gam::counted() const {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {{"Generic Active Messages",
           {{"messages"},
            {"fragments"},
            {"answers"},
            {"that waited for credit"},
            {.name = "messages lost", .trouble = true}},
           {{count(sent_), count(fragments_), count(answers_), count(waited_), count(lost_)}}}};
}

}  // namespace morgana
