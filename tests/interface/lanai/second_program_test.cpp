// The smallest program for Myrinet interfaces: what a folder beside emulator/interface/gm has to hold.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/interface/lanai/processor.h"
#include "emulator/network/myrinet/myrinet_network.h"
#include "tests/interface/star.h"

namespace morgana::testing {
namespace {
using namespace literals;

/// One handler for a message that goes and one for a message that comes; a message is a packet, and what the
/// network loses is lost.
class Relay final : public Network, private UnitListener, private InterfaceProgram {
 public:
  Relay(EventQueue& events, std::unique_ptr<MyrinetNetwork> network) : network_(std::move(network)) {
    for (std::size_t port = 0; port < network_->hosts(); ++port)
      interfaces_.push_back(std::make_unique<Interface>(events, *this));
    network_->report_to(*this);
    network_->run_at_interfaces(*this);
  }
  void inject(const Unit& unit) override { at(unit.from).queue(send, unit); }
  Bytes largest_unit() const override { return network_->largest_unit(); }

 private:
  enum Event : unsigned { receive, send };

  class Interface final : private LanaiHandlers {
   public:
    Interface(EventQueue& events, Relay& relay) : relay_(relay), processor_(events, *this, 1_ns, 10) {}
    void queue(Event event, const Unit& unit) {
      waiting_[event].push_back(unit);
      processor_.raise(event);
    }

   private:
    std::int64_t begin(unsigned event) override { return event == send ? 100 : 200; }
    void end(unsigned event) override {
      const Unit unit = waiting_[event].front();
      waiting_[event].pop_front();
      if (!waiting_[event].empty()) processor_.raise(event);
      if (event == send) return relay_.network_->inject(unit);
      relay_.listener_->unit_delivered(unit.id, unit.to);
    }

    Relay& relay_;
    LanaiProcessor processor_;
    std::deque<Unit> waiting_[2];
  };

  Interface& at(PortId port) { return *interfaces_[static_cast<std::size_t>(port)]; }
  void unit_departed(UnitId id, PortId from) override { listener_->unit_departed(id, from); }
  void unit_delivered(UnitId id, PortId to) override { at(to).queue(receive, {id, to, to, Bytes()}); }
  void unit_lost(UnitId id) override { listener_->unit_lost(id); }
  void early_received(PortId, PacketAtInterface, ArrivalKind kind) override {
    if (kind != ArrivalKind::for_host) throw Error("the relay does not know packets in transit");
  }
  void in_transit_received(PortId, PacketAtInterface) override {}
  void in_transit_departed(PortId, PacketAtInterface) override {}

  std::unique_ptr<MyrinetNetwork> network_;
  std::vector<std::unique_ptr<Interface>> interfaces_;
};

struct Arrivals : UnitListener {
  explicit Arrivals(EventQueue& queue) : events(queue) {}
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { times.push_back(events.now()); }
  void unit_lost(UnitId) override { FAIL(); }
  EventQueue& events;
  std::vector<SimTime> times;
};

// Each message takes 10 + 100 cycles of 1 ns at its sender. A flit takes 1 ns, a cable 10 ns, routing 100 ns:
// 30 bytes with type and CRC are there 100 + 2 x 10 + 32 = 152 ns later. 10 + 200 cycles at the receiver:
// 472. The second is sent at 220, there at 372, and waits for the first: 472 + 210.
TEST(SecondProgram, StandsBesideGmWithALanaiOfItsOwn) {
  EventQueue events;
  const SwitchGraph graph = star(2);
  const RouteTable routes = star_routes(graph);
  MyrinetParameters parameters;
  parameters.flit = 1_ns;
  parameters.cable = parameters.control = 10_ns;
  parameters.routing = 100_ns;
  Relay relay(events, std::make_unique<MyrinetNetwork>(events, graph, routes, parameters, 1));
  Arrivals arrivals(events);
  relay.report_to(arrivals);
  relay.inject({UnitId{0}, PortId{0}, PortId{1}, 30_B});
  relay.inject({UnitId{1}, PortId{0}, PortId{1}, 30_B});
  while (!events.empty()) events.handle_next();
  EXPECT_EQ(arrivals.times, (std::vector<SimTime>{472_ns, 682_ns}));
}

}  // namespace
}  // namespace morgana::testing
