#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "emulator/transport/transport.h"

namespace morgana::testing {

/// A network for protocol tests that marks: a port sends one unit at a time, at `byte_time` a byte, and a
/// script says what becomes of the n-th unit (from 0) that goes from a port to another. Units may overtake
/// each other.
class ScriptedNetwork : public Network, public MarkingNetwork, public TrimmingNetwork, private EventHandler {
 public:
  struct Fate {
    SimTime latency;  ///< from when it has left until it arrives, or is lost
    bool lost = false, marked = false;
    Trimmed trimmed = Trimmed::no;  ///< only what may be trimmed is
    SimTime in_port{};              ///< it takes its port for so much longer
  };
  using Script = std::function<Fate(const Unit& unit, std::uint64_t ordinal)>;
  struct Injected {
    std::int64_t at = 0;  ///< ps
    Unit unit{};
  };

  ScriptedNetwork(EventQueue& events, std::size_t ports, Bytes largest, SimTime byte_time, Script script)
      : events_(events),
        largest_(largest),
        byte_time_(byte_time),
        script_(std::move(script)),
        port_free_(ports) {}

  std::vector<Injected> injected;

  void inject(const Unit& unit) override {
    injected.push_back({events_.now().ps(), unit});
    const Fate fate = script_(unit, ordinals_[{unit.from, unit.to}]++);
    SimTime& port_free = port_free_[static_cast<std::size_t>(unit.from)];
    port_free = std::max(port_free, events_.now()) + unit.size.count() * byte_time_ + fate.in_port;
    happenings_.push_back({unit, fate, true});
    events_.schedule(port_free, *this, happenings_.size() - 1);
    happenings_.push_back({unit, fate, false});
    events_.schedule(port_free + fate.latency, *this, happenings_.size() - 1);
  }
  Bytes largest_unit() const override { return largest_; }
  NetworkCapabilities capabilities() const override {
    return {.order = NetworkCapabilities::Order::none, .traffic_classes = 8};
  }
  NetworkExtensions extensions() override { return {.marking = this, .trimming = this}; }
  BitRate port_rate(PortId) const override { return BitRate(8'000'000'000'000 / byte_time_.ps()); }
  Bytes on_link(Bytes unit) const override { return unit; }
  bool delivered_marked() const override { return marked_; }
  Trimmed delivered_trimmed() const override { return trimmed_; }

 private:
  struct Happening {
    Unit unit;
    Fate fate;
    bool departs;
  };
  void handle(std::uint64_t what) override {
    const Happening happening = happenings_[what];
    marked_ = !happening.departs && happening.fate.marked;
    trimmed_ = !happening.departs && happening.unit.may_be_trimmed ? happening.fate.trimmed : Trimmed::no;
    if (happening.departs)
      listener_->unit_departed(happening.unit.id, happening.unit.from);
    else if (happening.fate.lost)
      listener_->unit_lost(happening.unit.id);
    else
      listener_->unit_delivered(happening.unit.id, happening.unit.to);
  }

  EventQueue& events_;
  Bytes largest_;
  SimTime byte_time_;
  Script script_;
  std::vector<SimTime> port_free_;
  std::map<std::pair<PortId, PortId>, std::uint64_t> ordinals_;
  std::vector<Happening> happenings_;
  bool marked_ = false;
  Trimmed trimmed_ = Trimmed::no;
};

/// A message of a test of TCP or Ultra Ethernet.
struct TcpPlanned {
  std::int64_t at;  ///< ps
  std::uint32_t from, to;
  std::int64_t bytes;
  std::uint64_t channel = 0;
  bool completes = false;
  Verb verb = Verb::send;
};

/// Sends a plan and keeps all that is reported of each message (by its place in the plan), in order.
class TcpDispatch : private EventHandler, private ShipmentListener {
 public:
  enum class What : std::uint8_t { departed, delivered, completed, returned, lost };
  struct Told {
    What what;
    std::int64_t at;  ///< ps
    bool operator==(const Told&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Told& told) {
      constexpr const char* names[] = {"departed", "delivered", "completed", "returned", "lost"};
      return out << names[static_cast<std::size_t>(told.what)] << " at " << told.at;
    }
  };

  TcpDispatch(EventQueue& events, Transport& transport) : events_(events), transport_(transport) {}

  std::vector<std::vector<Told>> told;
  std::vector<std::size_t> deliveries;  ///< in their order

  /// Until nothing is under way.
  void run(const std::vector<TcpPlanned>& plan) {
    plan_ = plan;
    told.resize(plan.size());
    for (std::size_t message = 0; message < plan.size(); ++message)
      events_.schedule(SimTime::from_ps(plan[message].at), *this, message);
    while (!events_.empty()) events_.handle_next();
  }
  /// When it was told first.
  std::optional<std::int64_t> when(std::size_t message, What what) const {
    for (const Told& one : told[message])
      if (one.what == what) return one.at;
    return std::nullopt;
  }

 private:
  void handle(std::uint64_t message) override {
    const TcpPlanned& planned = plan_[message];
    Shipment shipment{{message, this}, HostId{planned.from}, HostId{planned.to}, Bytes(planned.bytes)};
    shipment.channel = planned.channel;
    shipment.completes = planned.completes;
    shipment.verb = planned.verb;
    transport_.send(shipment);
  }
  void note(MessageId id, What what) { told[id.number].push_back({what, events_.now().ps()}); }
  void shipment_departed(MessageId id) override { note(id, What::departed); }
  void shipment_delivered(MessageId id) override {
    note(id, What::delivered);
    deliveries.push_back(id.number);
  }
  void shipment_completed(MessageId id) override { note(id, What::completed); }
  void shipment_lost(MessageId id) override { note(id, What::lost); }
  void shipment_returned(MessageId id, Outcome) override { note(id, What::returned); }

  EventQueue& events_;
  Transport& transport_;
  std::vector<TcpPlanned> plan_;
};

}  // namespace morgana::testing
