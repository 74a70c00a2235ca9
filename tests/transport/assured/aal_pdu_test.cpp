#include "emulator/transport/aal5/pdu.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>

#include "emulator/core/random.h"

namespace morgana::aal {
namespace {

Octets numbers(std::size_t count) {
  Octets data(count);
  std::iota(data.begin(), data.end(), std::uint8_t{1});
  return data;
}

std::uint32_t crc_of(const Octets& packet) {
  std::uint32_t crc = 0;
  for (std::size_t i = packet.size() - 4; i < packet.size(); ++i) crc = crc << 8 | packet[i];
  return crc;
}

// The example packets of ITU-T I.363.5, appendix II: 40 octets of 0, of 255, and counting from 1.
TEST(AalPdu, Aal5PacketsHaveTheCrcOfTheStandardsExamples) {
  EXPECT_EQ(crc_of(aal5_packet(Octets(40, 0))), 0x864d7f99U);
  EXPECT_EQ(crc_of(aal5_packet(Octets(40, 255))), 0xc55e457aU);
  EXPECT_EQ(crc_of(aal5_packet(numbers(40))), 0xbf671ed0U);
}

// The check values under which these CRCs are catalogued (of the digits 1 to 9).
TEST(AalPdu, CrcsHaveTheirCatalogueValues) {
  const std::string_view digits = "123456789";
  const Octets octets(digits.begin(), digits.end());
  EXPECT_EQ(crc32(octets), 0xfc891918U);
  EXPECT_EQ(crc10(octets, 72), 0x199U);
}

TEST(AalPdu, Aal5GivesBackTheDataOfAnyLength) {
  for (std::size_t size = 0; size < 300; ++size) {
    const Octets data = numbers(size);
    const Octets packet = aal5_packet(data);
    EXPECT_EQ(packet.size(), (size + 8 + 47) / 48 * 48);
    EXPECT_EQ(aal5_data(packet), data);
  }
}

TEST(AalPdu, Aal5NoticesAMissingCellAndAChangedBit) {
  RandomStream random(3, "aal5 damage");
  for (int time = 0; time < 200; ++time) {
    const Octets packet = aal5_packet(numbers(100 + random.below(400)));
    Octets shorter = packet;
    const auto cell = static_cast<std::ptrdiff_t>(48 * random.below(packet.size() / 48));
    shorter.erase(shorter.begin() + cell, shorter.begin() + cell + 48);
    EXPECT_FALSE(aal5_data(shorter));
    Octets changed = packet;
    changed[random.below(changed.size())] ^= static_cast<std::uint8_t>(1U << random.below(8));
    EXPECT_FALSE(aal5_data(changed));
  }
}

TEST(AalPdu, Aal34GivesBackTheDataOfAnyLength) {
  for (std::size_t size = 0; size < 300; ++size) {
    const Octets data = numbers(size);
    auto cells = aal34_packet(data, 17, 513);
    EXPECT_EQ(cells.size(), (8 + (size + 3) / 4 * 4 + 43) / 44);
    for (Aal34Cell& cell : cells) {
      const auto payload = encode(cell);
      EXPECT_EQ(crc10(payload, 384), 0);
      const auto back = decode_aal34(payload);
      ASSERT_TRUE(back);
      EXPECT_EQ(*back, cell);
    }
    EXPECT_EQ(aal34_data(cells), data);
  }
}

TEST(AalPdu, Aal34NoticesAMissingCellAndAChangedBit) {
  auto cells = aal34_packet(numbers(400), 1, 2);
  for (std::size_t missing = 0; missing < cells.size(); ++missing) {
    auto fewer = cells;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(aal34_data(fewer));
  }
  for (std::size_t bit = 0; bit < 384; ++bit) {
    auto payload = encode(cells[1]);
    payload[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_FALSE(decode_aal34(payload));
  }
}

}  // namespace
}  // namespace morgana::aal
