#include "emulator/transport/pcaal/cutting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <tuple>
#include <vector>

namespace morgana::pcaal {
namespace {
namespace cutting {
using ::testing::ElementsAre;

using Runs = std::vector<ElementRun>;
/// First element, elements, bytes, whether it ends the message.
using Cut = std::tuple<int, int, std::int64_t, bool>;

std::vector<Cut> cut_of(std::int64_t bytes, const Runs& runs, Packing packing = Packing::several,
                        std::int64_t element = 8) {
  Shipment shipment{{}, HostId{0}, HostId{1}, Bytes(bytes)};
  shipment.elements = runs;
  const Bytes room(packing == Packing::single ? room_for_one : room_for_several);
  std::vector<Cut> cells;
  for (Cutting cutting(shipment, packing, room, Bytes(element)); !cutting.done();) {
    const ElementPiece piece = cutting.next();
    cells.emplace_back(piece.offset, piece.count, piece.bytes.count(), piece.ends);
  }
  return cells;
}
Runs of(std::int64_t element, std::int64_t count) {
  return {{Bytes(element), Bytes(element * count)}};
}

// 35 octets hold 4 doubles, 8 floats, 17 shorts, 2 double complex numbers, or 35 characters (the thesis,
// section 5.2).
TEST(PcAalCutting, PutsAsManyWholeElementsIntoACellAsItHolds) {
  EXPECT_THAT(cut_of(72, of(8, 9)),
              ElementsAre(Cut{0, 4, 32, false}, Cut{4, 4, 32, false}, Cut{8, 1, 8, true}));
  EXPECT_THAT(cut_of(36, of(4, 9)), ElementsAre(Cut{0, 8, 32, false}, Cut{8, 1, 4, true}));
  EXPECT_THAT(cut_of(36, of(2, 18)), ElementsAre(Cut{0, 17, 34, false}, Cut{17, 1, 2, true}));
  EXPECT_THAT(cut_of(48, of(16, 3)), ElementsAre(Cut{0, 2, 32, false}, Cut{2, 1, 16, true}));
  EXPECT_THAT(cut_of(36, of(1, 36)), ElementsAre(Cut{0, 35, 35, false}, Cut{35, 1, 1, true}));
}

// Where a cell holds one, a cell for each, whatever it is.
TEST(PcAalCutting, OrOne) {
  EXPECT_THAT(cut_of(12, of(4, 3), Packing::single),
              ElementsAre(Cut{0, 1, 4, false}, Cut{1, 1, 4, false}, Cut{2, 1, 4, true}));
}

// An int (4), then doubles: 4 + 3 * 8 = 28, the fourth would need 36. Then 8 * 2 and shorts: 16 + 9 * 2 = 34.
TEST(PcAalCutting, OfDifferentSizes) {
  const Runs runs{{Bytes(4), Bytes(4)}, {Bytes(8), Bytes(40)}, {Bytes(2), Bytes(20)}};
  EXPECT_THAT(cut_of(64, runs),
              ElementsAre(Cut{0, 4, 28, false}, Cut{4, 11, 34, false}, Cut{15, 1, 2, true}));
}

// 20 bytes that nobody tells of come first: 8, 8 and 4, and room for one double more.
TEST(PcAalCutting, OfWhichOnlyTheEndIsKnown) {
  EXPECT_THAT(cut_of(36, of(8, 2)), ElementsAre(Cut{0, 4, 28, false}, Cut{4, 1, 8, true}));
  EXPECT_THAT(cut_of(20, {}), ElementsAre(Cut{0, 3, 20, true}));
  EXPECT_THAT(cut_of(0, {}), ElementsAre(Cut{0, 0, 0, true}));
}

// No cell holds 40 B: such elements go byte by byte.
TEST(PcAalCutting, OfElementsLargerThanACell) {
  EXPECT_THAT(cut_of(40, of(40, 1)), ElementsAre(Cut{0, 35, 35, false}, Cut{35, 5, 5, true}));
}

// 1,000 random messages: nothing is lost, no element divided, none waits for the next cell that had room, and
// only the last cell ends the message.
TEST(PcAalCutting, KeepsElementsWhole) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::int64_t sizes[] = {1, 2, 4, 8, 12, 16, 32};
  for (int round = 0; round < 1000; ++round) {
    const Packing packing = random() % 2 == 0 ? Packing::single : Packing::several;
    const std::int64_t room = packing == Packing::single ? room_for_one : room_for_several;
    Runs runs;
    std::vector<std::int64_t> elements;
    for (auto run = random() % 6; run > 0; --run) {
      const std::int64_t size = sizes[random() % std::size(sizes)], count = 1 + random() % 40;
      runs.push_back({Bytes(size), Bytes(size * count)});
      elements.insert(elements.end(), static_cast<std::size_t>(count), size);
    }
    const auto cells =
        cut_of(std::accumulate(elements.begin(), elements.end(), std::int64_t{0}), runs, packing);
    std::size_t next = 0;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      const auto [offset, count, bytes, ends] = cells[cell];
      EXPECT_EQ(offset, static_cast<int>(next));
      EXPECT_EQ(ends, cell + 1 == cells.size());
      std::int64_t sum = 0;
      for (int element = 0; element < count; ++element) sum += elements.at(next++);
      EXPECT_EQ(sum, bytes);
      EXPECT_LE(bytes, room);
      if (packing == Packing::single && !elements.empty()) {
        EXPECT_EQ(count, 1);
      }
      if (packing == Packing::several && !ends) {
        EXPECT_GT(bytes + elements.at(next), room);
      }
    }
    EXPECT_EQ(next, elements.size());
  }
}

}  // namespace cutting
}  // namespace
}  // namespace morgana::pcaal
