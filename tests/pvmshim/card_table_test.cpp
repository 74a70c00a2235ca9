#include "pvmshim/channel/card_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace morgana {
namespace {

constexpr std::size_t many_ranks = 600;  // more than the 512 cards of a large page

TEST(CardTable, IsTheSameForAllWhoMapIt) {
  const CardTable table(many_ranks);
  const std::size_t size = CardTable::size(many_ranks);
  auto* const one = static_cast<unsigned char*>(map_card_table(table.path(), size));
  auto* const other = static_cast<unsigned char*>(map_card_table(table.path(), size));
  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  ASSERT_NE(one, other);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % (std::size_t{1} << 21), 0u);
  for (std::size_t rank = 0; rank < many_ranks; ++rank) {
    EXPECT_EQ(other[rank * CardTable::card_room], 0) << "it begins as zeros";
    one[rank * CardTable::card_room] = static_cast<unsigned char>(rank % 251 + 1);
  }
  one[size - 1] = 7;
  unmap_card_table(one, size);
  for (std::size_t rank = 0; rank < many_ranks; ++rank)
    EXPECT_EQ(other[rank * CardTable::card_room], rank % 251 + 1) << rank;
  EXPECT_EQ(other[size - 1], 7);
  unmap_card_table(other, size);
}

TEST(CardTable, KnowsWhatMpichAsksItFor) {
  EXPECT_TRUE(CardTable::is_size_asked(64 * 4096, 64));
  EXPECT_TRUE(CardTable::is_size_asked(64 * 4096 + 64, 64)) << "MPICH 4.0.2 adds a cache line";
  EXPECT_FALSE(CardTable::is_size_asked(64 * 4096 - 1, 64));
  EXPECT_FALSE(CardTable::is_size_asked(66 * 4096, 64));
}

TEST(CardTable, IsNotThereWhereItsMakerIsGone) {
  EXPECT_EQ(map_card_table("/proc/0/fd/0", CardTable::size(many_ranks)), nullptr);
}

}  // namespace
}  // namespace morgana
