#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/network/atm/chain.h"
#include "tests/network/atm/experiment.h"

namespace morgana::testing {
namespace {
using namespace literals;

/// Hosts 0 and 1 send to host 2 over links on which a cell takes 1 us. Of cells that come at once host 0's
/// come first: with room for two cells, host 1's packet of ten loses all cells but its first one while host 0
/// sends; with room for one it loses all of them.
AtmParameters crowded(std::int64_t buffer) {
  AtmParameters parameters = chain(1, round_link, 3);
  parameters.switches.buffer = buffer;
  return parameters;
}

TEST(PacketEnds, ALostOneSpoilsTheNextPacketAndNoOther) {
  AtmExperiment experiment(crowded(2), 1);
  const auto fates = experiment.run({{0_us, 0, 2, 10}, {0_us, 1, 2, 10}, {50_us, 1, 2, 1}, {60_us, 1, 2, 1}});
  EXPECT_TRUE(fates[0].delivered);
  EXPECT_TRUE(fates[1].lost);
  EXPECT_EQ(fates[2].lost, 52_us);  // when its cell came
  EXPECT_EQ(fates[3].delivered, 62_us);
  EXPECT_EQ(experiment.lost_cells(), 9U);
  EXPECT_EQ(experiment.joined_packets(), 1U);
}

TEST(PacketEnds, APacketOfWhichNoCellCameSpoilsNothing) {
  AtmExperiment experiment(crowded(1), 1);
  const auto fates = experiment.run({{0_us, 0, 2, 10}, {0_us, 1, 2, 10}, {50_us, 1, 2, 1}});
  EXPECT_TRUE(fates[1].lost);
  EXPECT_EQ(fates[2].delivered, 52_us);
  EXPECT_EQ(experiment.lost_cells(), 10U);
}

TEST(PacketEnds, APacketWhoseEndCameSpoilsNothing) {
  AtmExperiment experiment(crowded(2), 1);
  const auto fates = experiment.run({{0_us, 0, 2, 10}, {0_us, 1, 2, 12}, {50_us, 1, 2, 1}});
  EXPECT_TRUE(fates[1].lost);
  EXPECT_EQ(fates[2].delivered, 52_us);
  EXPECT_EQ(experiment.lost_cells(), 9U);
}

TEST(PacketEnds, PacketsWithoutAnEndInARowSpoilOneWithAnEnd) {
  AtmExperiment experiment(crowded(2), 1);
  const auto fates = experiment.run({{0_us, 0, 2, 10},
                                     {0_us, 1, 2, 10},
                                     {50_us, 0, 2, 10},
                                     {50_us, 1, 2, 10},
                                     {100_us, 1, 2, 3},
                                     {110_us, 1, 2, 3}});
  EXPECT_TRUE(fates[1].lost && fates[3].lost && fates[4].lost);
  EXPECT_TRUE(fates[2].delivered && fates[5].delivered);
  EXPECT_EQ(experiment.joined_packets(), 1U);
}

// The channel from host 1 to host 2 loses an end; those from 0 to 2, of another category and back do not
// care.
TEST(PacketEnds, OfOneChannelConcernNoOther) {
  AtmExperiment experiment(crowded(2), 1);
  const auto fates = experiment.run({{0_us, 0, 2, 10},
                                     {0_us, 1, 2, 10},
                                     {50_us, 0, 2, 1},
                                     {55_us, 1, 2, 1, ServiceCategory::cbr},
                                     {60_us, 2, 1, 1}});
  EXPECT_TRUE(fates[1].lost);
  EXPECT_TRUE(fates[2].delivered && fates[3].delivered && fates[4].delivered);
}

// As in EarlyPacketDiscardRefusesWholePackets: nothing of what is refused goes on.
TEST(PacketEnds, OfARefusedPacketSpoilsNothing) {
  AtmParameters parameters = crowded(20);
  parameters.switches.epd_threshold = 3;
  parameters.switches.policy = atm::DropPolicy::epd;
  AtmExperiment experiment(parameters, 1);
  const auto fates = experiment.run({{0_us, 0, 2, 12}, {0_us, 1, 2, 10}, {10_us, 1, 2, 5}, {50_us, 1, 2, 1}});
  EXPECT_TRUE(fates[2].lost);
  EXPECT_TRUE(fates[3].delivered);
}

TEST(PacketEnds, WhereEachCellSaysWhoseItIsALostOneSpoilsNothing) {
  EventQueue events;
  AtmNetwork network(events, crowded(2), 1);
  struct : UnitListener {
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId id, PortId) override { delivered.push_back(id); }
    void unit_lost(UnitId) override {}
    std::vector<UnitId> delivered;
  } listener;
  network.report_to(listener);
  TrafficContract contract;
  contract.delimiting = Delimiting::cell_headers;
  const ChannelId other = network.open(PortId{0}, PortId{2}, contract);
  const ChannelId channel = network.open(PortId{1}, PortId{2}, contract);
  network.inject(CellTrain{UnitId{0}, other, 10});
  network.inject(CellTrain{UnitId{1}, channel, 10});
  while (!events.empty()) events.handle_next();
  network.inject(CellTrain{UnitId{2}, channel, 1});
  while (!events.empty()) events.handle_next();
  EXPECT_EQ(listener.delivered, (std::vector{UnitId{0}, UnitId{2}}));
}

TEST(PacketEnds, AreNamedWhereTheySpoilAPacket) {
  EventQueue events;
  AtmNetwork network(events, crowded(2), 1);
  struct Losses : UnitListener {
    explicit Losses(AtmNetwork& given) : from(given) {}
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId, PortId) override {}
    void unit_lost(UnitId) override { how.push_back(from.how_lost()); }
    AtmNetwork& from;
    std::vector<std::string> how;
  } losses(network);
  network.report_to(losses);
  const ChannelId other = network.open(PortId{0}, PortId{2}, {}),
                  channel = network.open(PortId{1}, PortId{2}, {});
  network.inject(CellTrain{UnitId{0}, other, 10});
  network.inject(CellTrain{UnitId{1}, channel, 10});
  while (!events.empty()) events.handle_next();
  network.inject(CellTrain{UnitId{2}, channel, 1});
  while (!events.empty()) events.handle_next();
  ASSERT_EQ(losses.how.size(), 2U);
  const std::string lost =
      "9 of 10 cells lost, the first at 0.000002000 s at the output of switch 0 to host 2, as the switch's 2 "
      "cells of buffer were full";
  EXPECT_EQ(losses.how[0], lost);
  EXPECT_NE(losses.how[1].find(lost), std::string::npos);
  EXPECT_NE(losses.how[1], lost);
}

}  // namespace
}  // namespace morgana::testing
