#include "emulator/messaging/message_endpoints.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "emulator/operations/endpoint_tag.h"

namespace morgana {
namespace {

/// Notes how it is addressed. Endpoint 5 of every port is absent.
class NotingNetwork : public Network, public EndpointNetwork {
 public:
  void inject(const Unit&) override {}
  Bytes largest_unit() const override { return Bytes(1); }
  NetworkExtensions extensions() override { return {.endpoints = this}; }
  void address_next(const EndpointAddress& address) override { addresses.push_back(address); }
  bool suspends(PortId at, EndpointId endpoint) const override {
    asked_at = at;
    return endpoint == EndpointId{5};
  }
  void consumed(PortId at, const Ends& ends) override { taken.emplace_back(at, ends); }

  std::vector<EndpointAddress> addresses;
  std::vector<std::pair<PortId, Ends>> taken;
  mutable PortId asked_at{};
};

struct PlainNetwork : Network {
  void inject(const Unit&) override {}
  Bytes largest_unit() const override { return Bytes(1); }
};

struct NoWriter : EndpointWriter {
  void endpoint_written(std::uint64_t) override {}
};

/// Rank r is on host r / 2.
struct Bench {
  explicit Bench(EndpointSettings::Named named, std::size_t nics = 1) {
    for (std::uint32_t rank = 0; rank < 8; ++rank) machine.host_of.push_back(HostId{rank / 2});
    machine.nics = nics;
    machine.endpoints.named = named;
    auto noting = std::make_unique<NotingNetwork>();
    network = noting.get();
    machine.network = std::move(noting);
  }
  Machine machine;
  NotingNetwork* network;
};

using Named = EndpointSettings::Named;

TEST(MessageEndpoints, AreRanks) {
  Bench bench(Named::ranks);
  MessageEndpoints endpoints(bench.machine);
  EXPECT_FALSE(endpoints.named_by(Tag{EndpointTag{4, 9}.packed()}));
  NoWriter writer;
  endpoints.address({Rank{3}, Rank{6}, Tag{7}, false, false, &writer, 12});
  endpoints.address({Rank{3}, Rank{6}, Tag{7}, true});
  ASSERT_EQ(bench.network->addresses.size(), 2u);
  const EndpointAddress &there = bench.network->addresses[0], &back = bench.network->addresses[1];
  EXPECT_EQ(there.ends, (Ends{EndpointId{3}, EndpointId{6}, false, false}));
  EXPECT_EQ(there.writer, &writer);
  EXPECT_EQ(there.write, 12u);
  EXPECT_EQ(back.ends, (Ends{EndpointId{6}, EndpointId{3}, false, false}));
  EXPECT_EQ(back.writer, nullptr);
}

// A rank has 256 endpoints: number 9 of rank 3 is 3 * 256 + 9, number 4 of rank 6 is 6 * 256 + 4.
TEST(MessageEndpoints, AreWhatTagsName) {
  Bench bench(Named::tags);
  MessageEndpoints endpoints(bench.machine);
  EXPECT_TRUE(endpoints.named_by(Tag{7}));
  const auto tag = [](bool reply, bool returned) { return Tag{EndpointTag{4, 9, reply, returned}.packed()}; };
  endpoints.address({Rank{3}, Rank{6}, tag(false, false), false, true});
  endpoints.address({Rank{3}, Rank{6}, tag(true, false)});
  endpoints.address({Rank{3}, Rank{6}, tag(false, true)});
  const EndpointId from{777}, to{1540};
  ASSERT_EQ(bench.network->addresses.size(), 3u);
  EXPECT_EQ(bench.network->addresses[0].ends, (Ends{from, to, false, true}));
  EXPECT_EQ(bench.network->addresses[1].ends, (Ends{from, to, true, false}));
  EXPECT_EQ(bench.network->addresses[2].ends, (Ends{from, to, true, false}));
  endpoints.take_out(Rank{3}, Rank{6}, tag(false, false), 0);
  EXPECT_EQ(bench.network->taken, (std::vector{std::pair(PortId{3}, Ends{from, to, false, false})}));
}

// The program's own messages beside the library's: tag 37 would name endpoint 9, and say that it has come
// back.
TEST(MessageEndpoints, AreWhatMarkedTagsNameAndElseTheRanksFirst) {
  Bench bench(Named::automatic);
  bench.machine.name_endpoints(true);
  MessageEndpoints endpoints(bench.machine);
  const Tag own{37}, high{2 * EndpointTag::mark + 37}, librarys{EndpointTag{4, 9, true}.packed()};
  EXPECT_FALSE(endpoints.named_by(own));
  EXPECT_FALSE(endpoints.named_by(high));
  EXPECT_TRUE(endpoints.named_by(librarys));
  for (const Tag tag : {own, high, librarys}) endpoints.address({Rank{3}, Rank{6}, tag});
  ASSERT_EQ(bench.network->addresses.size(), 3u);
  const Ends first{EndpointId{768}, EndpointId{1536}, false, false};
  EXPECT_EQ(bench.network->addresses[0].ends, first);
  EXPECT_EQ(bench.network->addresses[1].ends, first);
  EXPECT_EQ(bench.network->addresses[2].ends, (Ends{EndpointId{777}, EndpointId{1540}, true, false}));
}

// A tag of before there was a mark, where the key says tags.
TEST(MessageEndpoints, AreWhatTagsWithoutAMarkNameIfTheKeySaysSo) {
  Bench bench(Named::tags);
  bench.machine.name_endpoints(true);
  MessageEndpoints endpoints(bench.machine);
  endpoints.address({Rank{3}, Rank{6}, Tag{EndpointTag{4, 9}.packed() - EndpointTag::mark}});
  EXPECT_EQ(bench.network->addresses.at(0).ends, (Ends{EndpointId{777}, EndpointId{1540}, false, false}));
}

// Rank 5 is on host 2, whose two NICs are at ports 4 and 5; rank 4 is there, too.
TEST(MessageEndpoints, AreAtTheNicOfTheRanksHost) {
  Bench bench(Named::ranks, 2);
  MessageEndpoints endpoints(bench.machine);
  EXPECT_TRUE(endpoints.suspends(Rank{5}, Rank{0}, Tag{0}, 1));
  EXPECT_EQ(bench.network->asked_at, PortId{5});
  EXPECT_TRUE(endpoints.suspends(Rank{5}, Rank{0}, Tag{0}, 0));
  EXPECT_EQ(bench.network->asked_at, PortId{4});
  EXPECT_FALSE(endpoints.suspends(Rank{4}, Rank{0}, Tag{0}, 1));
  endpoints.take_out(Rank{5}, Rank{0}, Tag{0}, 1);
  EXPECT_EQ(bench.network->taken.at(0).first, PortId{1});
}

TEST(MessageEndpoints, AreNothingToOtherNetworks) {
  Bench bench(Named::tags);
  bench.machine.network = std::make_unique<PlainNetwork>();
  MessageEndpoints endpoints(bench.machine);
  EXPECT_TRUE(endpoints.named_by(Tag{7}));  // a returned message still comes back
  EXPECT_FALSE(endpoints.suspends(Rank{5}, Rank{0}, Tag{0}, 0));
  endpoints.address({Rank{5}, Rank{0}, Tag{0}});
  endpoints.take_out(Rank{5}, Rank{0}, Tag{0}, 0);
  bench.machine.network = nullptr;
  EXPECT_FALSE(MessageEndpoints(bench.machine).suspends(Rank{5}, Rank{0}, Tag{0}, 0));
}

}  // namespace
}  // namespace morgana
