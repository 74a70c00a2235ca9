#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/interface/gm/interfaces.h"
#include "tests/interface/star.h"

namespace morgana::testing::gm_fabric {

/// Messages that are posted at given times over a Myrinet with GM at its interfaces, and what becomes of
/// them. A test fails if one has more than one fate, or overtakes another of its pair.
class Fabric : private EventHandler, private UnitListener {
 public:
  Fabric(SwitchGraph graph, RouteTable table, const MyrinetParameters& parameters,
         const gm::Parameters& program, std::uint64_t seed = 1)
      : graph_(std::move(graph)),
        table_(std::move(table)),
        interfaces(events, std::make_unique<MyrinetNetwork>(events, graph_, table_, parameters, seed),
                   program),
        network(interfaces.network()) {
    interfaces.report_to(*this);
  }

  void post(SimTime at, HostNumber from, HostNumber to, std::int64_t bytes) {
    const std::uint64_t id = posted.size();
    posted.push_back({UnitId{id}, PortId{from}, PortId{to}, Bytes(bytes)});
    events.schedule(at, *this, id);
  }
  void run() {
    while (!events.empty()) events.handle_next();
  }
  SimTime delivery(std::uint64_t id) const { return delivered.at(id); }
  std::uint64_t unacknowledged() const {
    std::uint64_t count = 0;
    for (HostNumber host = 0; host < graph_.hosts(); ++host)
      count += interfaces.at(PortId{host}).has_unacknowledged() ? 1 : 0;
    return count;
  }

  EventQueue events;

 private:
  SwitchGraph graph_;
  RouteTable table_;

 public:
  gm::Interfaces interfaces;
  MyrinetNetwork& network;
  std::vector<Unit> posted;
  std::map<std::uint64_t, SimTime> departed, delivered, lost;
  std::string how_lost;  ///< of the last one

 private:
  static std::uint64_t number(UnitId id) { return static_cast<std::uint64_t>(id); }
  void handle(std::uint64_t id) override { interfaces.inject(posted[id]); }
  void unit_departed(UnitId id, PortId from) override {
    EXPECT_TRUE(departed.emplace(number(id), events.now()).second);
    EXPECT_FALSE(delivered.contains(number(id)) || lost.contains(number(id)));
    EXPECT_EQ(from, posted[number(id)].from);
  }
  void unit_delivered(UnitId id, PortId to) override {
    EXPECT_TRUE(delivered.emplace(number(id), events.now()).second);
    EXPECT_TRUE(departed.contains(number(id)));
    EXPECT_FALSE(lost.contains(number(id)));
    EXPECT_EQ(to, posted[number(id)].to);
    const auto [last, first] = last_.try_emplace({posted[number(id)].from, to}, number(id));
    EXPECT_TRUE(first || last->second < number(id)) << "overtaken";
    last->second = number(id);
  }
  void unit_lost(UnitId id) override {
    EXPECT_TRUE(lost.emplace(number(id), events.now()).second);
    EXPECT_FALSE(delivered.contains(number(id)));
    how_lost = interfaces.how_lost();
  }
  std::map<std::pair<PortId, PortId>, std::uint64_t> last_;
};

}  // namespace morgana::testing::gm_fabric
