#include "emulator/operations/collective_payload.h"

#include <gtest/gtest.h>

#include <vector>

namespace morgana {
namespace {

using namespace literals;
using Kind = CollectiveKind;

CollectivePart part_of(Kind kind, Bytes bytes, std::int32_t root = 0) {
  CollectivePart part;
  part.kind = kind;
  part.bytes = bytes;
  part.root = root;
  return part;
}

CollectivePayload payload(Bytes given, Bytes received) {
  return {given, received};
}

// Of four members, the third of whom is the root: what it has, and what the others have.
TEST(CollectivePayload, CountsEachByteOfTheTwoBuffersOnce) {
  struct Case {
    Kind kind;
    CollectivePayload root, other;
  };
  for (const auto& [kind, root, other] :
       {Case{Kind::barrier, {}, {}}, Case{Kind::create_context, {}, {}},
        Case{Kind::broadcast, payload(8_B, 0_B), payload(0_B, 8_B)},
        Case{Kind::reduce, payload(8_B, 8_B), payload(8_B, 0_B)},
        Case{Kind::gather, payload(8_B, 32_B), payload(8_B, 0_B)},
        Case{Kind::scatter, payload(32_B, 8_B), payload(0_B, 8_B)},
        Case{Kind::allgather, payload(8_B, 32_B), payload(8_B, 32_B)},
        Case{Kind::alltoall, payload(32_B, 32_B), payload(32_B, 32_B)},
        Case{Kind::allreduce, payload(8_B, 8_B), payload(8_B, 8_B)},
        Case{Kind::scan, payload(8_B, 8_B), payload(8_B, 8_B)},
        Case{Kind::exscan, payload(8_B, 8_B), payload(8_B, 8_B)},
        Case{Kind::reduce_scatter_block, payload(32_B, 8_B), payload(32_B, 8_B)}}) {
    SCOPED_TRACE(static_cast<int>(kind));
    EXPECT_EQ(payload_of(part_of(kind, 8_B, 2), 4, 2), root);
    EXPECT_EQ(payload_of(part_of(kind, 8_B, 2), 4, 1), other);
    CollectivePart in_place = part_of(kind, 8_B, 2);
    in_place.in_place = true;
    EXPECT_EQ(payload_of(in_place, 4, 2), root);
  }
}

TEST(CollectivePayload, TheFirstMemberOfAnExclusiveScanGetsNothing) {
  EXPECT_EQ(payload_of(part_of(Kind::exscan, 8_B), 4, 0), payload(8_B, 0_B));
}

TEST(CollectivePayload, BlocksOfDifferentSizesAreSummedUp) {
  const std::vector<Bytes> sizes{1_B, 20_B, 300_B};
  CollectivePart gathers = part_of(Kind::gatherv, 0_B, 1);
  gathers.receive_sizes = sizes;
  EXPECT_EQ(payload_of(gathers, 3, 1), payload(20_B, 321_B));
  EXPECT_EQ(payload_of(part_of(Kind::gatherv, 300_B, 1), 3, 2), payload(300_B, 0_B));
  CollectivePart scatters = part_of(Kind::scatterv, 0_B, 1);
  scatters.send_sizes = sizes;
  EXPECT_EQ(payload_of(scatters, 3, 1), payload(321_B, 20_B));
  EXPECT_EQ(payload_of(part_of(Kind::scatterv, 300_B, 1), 3, 2), payload(0_B, 300_B));
  CollectivePart all = part_of(Kind::allgatherv, 0_B);
  all.receive_sizes = sizes;
  EXPECT_EQ(payload_of(all, 3, 2), payload(300_B, 321_B));
  CollectivePart reduces = part_of(Kind::reduce_scatter, 0_B);
  reduces.send_sizes = sizes;
  EXPECT_EQ(payload_of(reduces, 3, 2), payload(321_B, 300_B));
  for (const Kind kind : {Kind::alltoallv, Kind::alltoallw}) {
    CollectivePart exchanges = part_of(kind, 0_B);
    exchanges.send_sizes = {4_B, 5_B, 6_B};
    exchanges.receive_sizes = sizes;
    EXPECT_EQ(payload_of(exchanges, 3, 0), payload(15_B, 321_B));
    exchanges.in_place = true;  // the send sizes are not significant
    EXPECT_EQ(payload_of(exchanges, 3, 0), payload(321_B, 321_B));
  }
}

TEST(CollectivePayload, ANeighbourGivesItsBlockOnceAndGetsOneFromEachSource) {
  CollectivePart part = part_of(Kind::neighbor_allgather, 8_B);
  part.sources = {1, 2, 3};
  part.destinations = {1, 2};
  EXPECT_EQ(payload_of(part, 4, 0), payload(8_B, 24_B));
  part.kind = Kind::neighbor_alltoall;
  EXPECT_EQ(payload_of(part, 4, 0), payload(16_B, 24_B));
  part.receive_sizes = {1_B, 2_B, 3_B};
  part.kind = Kind::neighbor_allgatherv;
  EXPECT_EQ(payload_of(part, 4, 0), payload(8_B, 6_B));
  part.send_sizes = {10_B, 20_B};
  for (const Kind kind : {Kind::neighbor_alltoallv, Kind::neighbor_alltoallw}) {
    part.kind = kind;
    EXPECT_EQ(payload_of(part, 4, 0), payload(30_B, 6_B));
  }
  part.kind = Kind::neighbor_allgather;
  part.destinations.clear();
  EXPECT_EQ(payload_of(part, 4, 0), payload(0_B, 24_B));
}

/// Two groups of two and three members.
CollectivePart between_groups(Kind kind, Bytes bytes, std::int32_t root = 0) {
  CollectivePart part = part_of(kind, bytes, root);
  part.first_group = 2;
  return part;
}

TEST(CollectivePayload, BetweenGroupsDataGoFromOneToTheOther) {
  // The root is member 1; member 0 is of its group, members 2 to 4 are the other.
  EXPECT_EQ(payload_of(between_groups(Kind::gather, 8_B, 1), 5, 1), payload(0_B, 24_B));
  EXPECT_EQ(payload_of(between_groups(Kind::gather, 8_B, 1), 5, 3), payload(8_B, 0_B));
  EXPECT_EQ(payload_of(between_groups(Kind::gather, 8_B, 1), 5, 0), payload(0_B, 0_B));
  EXPECT_EQ(payload_of(between_groups(Kind::scatter, 8_B, 1), 5, 1), payload(24_B, 0_B));
  EXPECT_EQ(payload_of(between_groups(Kind::scatter, 8_B, 1), 5, 4), payload(0_B, 8_B));
  EXPECT_EQ(payload_of(between_groups(Kind::broadcast, 8_B, 1), 5, 1), payload(8_B, 0_B));
  EXPECT_EQ(payload_of(between_groups(Kind::broadcast, 8_B, 1), 5, 0), payload(0_B, 0_B));
  EXPECT_EQ(payload_of(between_groups(Kind::reduce, 8_B, 1), 5, 1), payload(0_B, 8_B));
  EXPECT_EQ(payload_of(between_groups(Kind::reduce, 8_B, 1), 5, 2), payload(8_B, 0_B));
}

TEST(CollectivePayload, BetweenGroupsThatGiveDifferentBlocks) {
  CollectivePart part = between_groups(Kind::alltoall, 8_B);
  EXPECT_EQ(payload_of(part, 5, 0), payload(24_B, 24_B));
  EXPECT_EQ(payload_of(part, 5, 4), payload(16_B, 16_B));
  part.receive_sizes = {10_B};
  EXPECT_EQ(payload_of(part, 5, 0), payload(24_B, 30_B));
  part.kind = Kind::allgather;
  EXPECT_EQ(payload_of(part, 5, 4), payload(8_B, 20_B));
  part.kind = Kind::allgatherv;
  part.receive_sizes = {10_B, 11_B, 12_B};
  EXPECT_EQ(payload_of(part, 5, 0), payload(8_B, 33_B));
  part = between_groups(Kind::reduce_scatter, 0_B);
  part.send_sizes = {1_B, 20_B, 300_B};
  EXPECT_EQ(payload_of(part, 5, 3), payload(321_B, 20_B));
  EXPECT_EQ(payload_of(between_groups(Kind::reduce_scatter_block, 8_B), 5, 0), payload(16_B, 8_B));
  EXPECT_EQ(payload_of(between_groups(Kind::reduce_scatter_block, 8_B), 5, 2), payload(24_B, 8_B));
}

}  // namespace
}  // namespace morgana
