#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <queue>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/transport/overlay/header.h"
#include "emulator/transport/overlay/servers.h"

namespace morgana::testing {
namespace {
using namespace overlay;
using Shape = OverlayParameters::Shape;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OverlayHeader, HasTwelveOctetsTheHighestFirst) {
  const PacketHeader header{PacketType::end, Way::downwards, 0x010203, 0xa0b0c0, 0x11223344};
  const std::array<std::byte, 12> octets = encode(header);
  std::vector<int> values;
  for (const std::byte octet : octets) values.push_back(std::to_integer<int>(octet));
  EXPECT_THAT(values, ElementsAre(1, 2, 1, 2, 3, 0xa0, 0xb0, 0xc0, 0x11, 0x22, 0x33, 0x44));
  EXPECT_EQ(decode(octets), header);
}

TEST(OverlayHeader, RefusesTypesAndWaysThatThereAreNot) {
  std::array<std::byte, 12> octets = encode(PacketHeader());
  octets[0] = std::byte{255};
  EXPECT_THROW(decode(octets), Error);
  octets[0] = std::byte{0};
  octets[1] = std::byte{3};
  EXPECT_THROW(decode(octets), Error);
}

TEST(OverlayServers, AreJoinedAsARing) {
  EXPECT_THAT(Servers(Shape::ring, 1, 2).neighbours(0), IsEmpty());
  EXPECT_THAT(Servers(Shape::ring, 2, 2).neighbours(0), ElementsAre(1));
  EXPECT_THAT(Servers(Shape::ring, 5, 2).neighbours(0), ElementsAre(1, 4));
  EXPECT_THAT(Servers(Shape::ring, 5, 2).neighbours(4), ElementsAre(0, 3));
}

TEST(OverlayServers, AreJoinedAsATree) {
  EXPECT_THAT(Servers(Shape::tree, 1, 2).neighbours(0), IsEmpty());
  EXPECT_THAT(Servers(Shape::tree, 6, 2).neighbours(0), ElementsAre(1, 2));
  EXPECT_THAT(Servers(Shape::tree, 6, 2).neighbours(2), ElementsAre(0, 5));
  EXPECT_THAT(Servers(Shape::tree, 6, 3).neighbours(1), ElementsAre(0, 4, 5));
}

TEST(OverlayServers, GoUpwardsWhereBothWaysRoundARingAreEquallyLong) {
  const Servers ring(Shape::ring, 6, 2);
  EXPECT_EQ(ring.next(5, 2, Way::shorter), 0U);
  EXPECT_EQ(ring.next(5, 3, Way::shorter), 4U);
  EXPECT_EQ(ring.next(5, 3, Way::upwards), 0U);
  EXPECT_EQ(ring.next(5, 0, Way::downwards), 4U);
}

/// By breadth-first search over the neighbours.
std::vector<std::size_t> distances(const Servers& servers, ServerNumber from) {
  std::vector<std::size_t> distance(servers.count(), servers.count());
  std::queue<ServerNumber> reached;
  distance[from] = 0;
  for (reached.push(from); !reached.empty(); reached.pop())
    for (const ServerNumber next : servers.neighbours(reached.front()))
      if (distance[next] == servers.count()) {
        distance[next] = distance[reached.front()] + 1;
        reached.push(next);
      }
  return distance;
}

// Each step leads to a neighbour that is nearer by one.
TEST(OverlayServers, TakeTheShortestWayFromEachToEach) {
  for (const Shape shape : {Shape::ring, Shape::tree})
    for (const std::uint32_t arity : {1U, 2U, 3U})
      for (std::uint32_t count = 1; count <= 20; ++count) {
        const Servers servers(shape, count, arity);
        for (ServerNumber to = 0; to < count; ++to) {
          const std::vector<std::size_t> distance = distances(servers, to);
          for (ServerNumber at = 0; at < count; ++at) {
            if (at == to) continue;
            const ServerNumber next = servers.next(at, to, Way::shorter);
            EXPECT_THAT(servers.neighbours(at), ::testing::Contains(next));
            EXPECT_EQ(distance[next] + 1, distance[at]) << count << " servers, " << at << " to " << to;
          }
        }
      }
}

}  // namespace
}  // namespace morgana::testing
