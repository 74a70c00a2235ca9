#include "traces/otf2/collective_sizes.h"

#include <gtest/gtest.h>

#include "traces/otf2/call_traits.h"

namespace morgana {
namespace {

/// All kinds whose sizes a trace's totals tell exactly.
std::vector<CollectiveKind> kinds_with_one_size() {
  return {CollectiveKind::broadcast, CollectiveKind::gather,        CollectiveKind::scatter,
          CollectiveKind::allgather, CollectiveKind::alltoall,      CollectiveKind::reduce,
          CollectiveKind::allreduce, CollectiveKind::scan,          CollectiveKind::reduce_scatter_block,
          CollectiveKind::barrier,   CollectiveKind::create_context};
}

TEST(CollectiveSizes, AreDerivedExactlyWhereAllMembersHaveTheSameSize) {
  for (const CollectiveKind kind : kinds_with_one_size())
    for (const std::uint32_t members : {1U, 2U, 3U, 7U, 16U})
      for (std::uint32_t me = 0; me < members; ++me)
        for (const std::int32_t root : {0, static_cast<std::int32_t>(members) - 1}) {
          CollectivePart part;
          part.kind = kind;
          part.root = has_root(kind) ? root : 0;
          if (kind != CollectiveKind::barrier && kind != CollectiveKind::create_context)
            part.bytes = Bytes(1000);
          CollectivePart derived;
          derived.root = part.root;
          derive_part(kind, members, me, totals_of(part, members, me), derived);
          EXPECT_EQ(derived, part) << "kind " << static_cast<int>(kind) << ", member " << me << " of "
                                   << members;
        }
}

TEST(CollectiveSizes, AreDerivedExactlyForVectorsOfEqualSizes) {
  const std::uint32_t members = 5, me = 2;
  const std::vector<Bytes> sizes(members, Bytes(12));
  CollectivePart part;
  part.kind = CollectiveKind::alltoallv;
  part.send_sizes = part.receive_sizes = sizes;
  CollectivePart derived;
  derive_part(part.kind, members, me, totals_of(part, members, me), derived);
  EXPECT_EQ(derived, part);
  part = {};
  part.kind = CollectiveKind::reduce_scatter;
  part.send_sizes = sizes;
  derive_part(part.kind, members, me, totals_of(part, members, me), derived);
  EXPECT_EQ(derived, part);
}

TEST(CollectiveSizes, KeepTheOwnSizeOfUnequalVectors) {
  CollectivePart part;
  part.kind = CollectiveKind::allgatherv;
  part.receive_sizes = {Bytes(1), Bytes(20), Bytes(300)};
  const CollectiveTotals totals = totals_of(part, 3, 1);
  EXPECT_EQ(totals, (CollectiveTotals{60, 321}));
  CollectivePart derived;
  derive_part(part.kind, 3, 1, totals, derived);
  EXPECT_EQ(derived.receive_sizes, (std::vector<Bytes>{Bytes(151), Bytes(20), Bytes(150)}));
}

TEST(CollectiveSizes, KnowACallInPlaceByItsTotals) {
  CollectivePart part;
  part.kind = CollectiveKind::allreduce;
  part.in_place = true;
  part.bytes = Bytes(1000);
  CollectivePart derived;
  derive_part(part.kind, 4, 0, totals_of(part, 4, 0), derived);
  EXPECT_EQ(derived.bytes, Bytes(750));  // 3000 is a multiple of 4, too: taken for what is more usual
  part.bytes = Bytes(1001);
  derive_part(part.kind, 4, 0, totals_of(part, 4, 0), derived);
  EXPECT_EQ(derived, part);
}

}  // namespace
}  // namespace morgana
