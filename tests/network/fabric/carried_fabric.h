#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/resource_load.h"
#include "emulator/network/fabric/fabric_network.h"
#include "tests/network/fabric/reference_fabric.h"

namespace morgana::testing {

/// The shipped model's outcome of a case.
class CarriedByFabric : private EventHandler, private UnitListener, private FabricObserver {
 public:
  CarriedByFabric(const CabledGraph& network, const fabric::FabricParameters& parameters,
                  std::shared_ptr<const Routing> routing, const std::vector<FabricInjection>& plan,
                  const NetworkFaults& faults = {})
      : plan_(plan),
        network_(events_, network, parameters, SwitchTables(network, std::move(routing)), faults) {
    network_.report_to(*this);
    network_.observe(*this);
    outcome_.fates.resize(plan_.size());
  }

  /// Before run().
  fabric::Links& links() { return network_.channel_ends(); }
  /// After run().
  std::vector<ResourceLoad> resources(SimTime until) { return resources_in(network_.counted(until), until); }

  FabricOutcome run() {
    for (std::size_t unit = 0; unit < plan_.size(); ++unit) events_.schedule(plan_[unit].at, *this, unit);
    while (!events_.empty()) events_.handle_next();
    fabric::Links& links = network_.channel_ends();
    for (CableChannel channel = 0; channel < links.size(); ++channel) {
      FabricChannelCount count;
      for (unsigned one = 0; one < network_.virtual_channels().count(); ++one) {
        count.packets += links.counts().carried(channel, one).packets;
        count.bytes += Bytes(links.counts().carried(channel, one).bytes);
        if (!links.has_credits()) continue;
        outcome_.free_units.push_back(
            links.to(channel).is_nothing() ? 0 : links.free_units(channel, one, EventQueue::latest));
      }
      outcome_.channels.push_back(count);
      outcome_.pause_frames.push_back(network_.pause_frames(channel));
    }
    return outcome_;
  }

 private:
  void handle(std::uint64_t unit) override {
    const FabricInjection& given = plan_[unit];
    network_.inject({.id = UnitId{unit},
                     .from = PortId{given.from},
                     .to = PortId{given.to},
                     .size = given.payload,
                     .traffic_class = static_cast<std::uint8_t>(given.traffic_class),
                     .may_be_trimmed = given.may_be_trimmed});
  }
  FabricFate& fate(UnitId id) { return outcome_.fates.at(static_cast<std::size_t>(id)); }
  void unit_departed(UnitId id, PortId from) override {
    EXPECT_FALSE(fate(id).departed || fate(id).delivered || fate(id).lost);
    EXPECT_EQ(from, PortId{plan_[static_cast<std::size_t>(id)].from});
    fate(id).departed = events_.now();
  }
  void unit_delivered(UnitId id, PortId to) override {
    EXPECT_TRUE(fate(id).departed && !fate(id).delivered && !fate(id).lost);
    EXPECT_EQ(to, PortId{plan_[static_cast<std::size_t>(id)].to});
    fate(id).delivered = events_.now();
    fate(id).marked = network_.delivered_marked();
    fate(id).trimmed = network_.delivered_trimmed();
  }
  void unit_lost(UnitId id) override {
    EXPECT_TRUE(fate(id).departed && !fate(id).delivered && !fate(id).lost);
    EXPECT_FALSE(network_.capabilities().lossless && network_.how_lost().find("full") != std::string::npos);
    fate(id).lost = events_.now();
  }
  void started(std::uint64_t number, CableChannel channel, VirtualChannel virtual_channel,
               SimTime now) override {
    outcome_.fates.at(number).hops.push_back({channel, virtual_channel, now});
  }

  EventQueue events_;
  const std::vector<FabricInjection>& plan_;
  FabricNetwork network_;
  FabricOutcome outcome_;
};

/// What both models say of a case; they must agree. Its largest packet is the largest of the plan.
inline FabricOutcome both_fabrics(const CabledGraph& network, fabric::FabricParameters parameters,
                                  const Routing& routing, const std::vector<FabricInjection>& plan,
                                  const NetworkFaults& faults = {}) {
  parameters.packet.largest = Bytes(0);
  for (const FabricInjection& one : plan)
    parameters.packet.largest = std::max(parameters.packet.largest, one.payload);
  const FabricOutcome expected = reference_fabric(network, parameters, routing, plan, faults);
  const std::shared_ptr<const Routing> borrowed(&routing, [](const Routing*) {});
  FabricOutcome carried = CarriedByFabric(network, parameters, borrowed, plan, faults).run();
  for (std::size_t packet = 0; packet < plan.size(); ++packet)
    EXPECT_EQ(carried.fates[packet], expected.fates[packet]) << "packet " << packet;
  EXPECT_EQ(carried.channels, expected.channels);
  EXPECT_EQ(carried.free_units, expected.free_units);
  EXPECT_EQ(carried.pause_frames, expected.pause_frames);
  return carried;
}

}  // namespace morgana::testing
