#include "pvmshim/channel/agreement_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/pvmshim/channel_support.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using testing::Forked;
using testing::settings_for;
using Words = AgreementTable::Words;

constexpr Bytes agreement_room(1 << 20);

Words words(std::uint32_t first) {
  Words all{};
  all.front() = first;
  all.back() = ~first;
  return all;
}

TEST(AgreementTable, GivesTheBitsThatAllHaveSet) {
  const EmulatorChannel emulator(settings_for(3), agreement_room);
  AgreementTable one(emulator.path()), other(emulator.path());
  const auto place = one.join({Context{7}, 0}, 3);
  ASSERT_EQ(other.join({Context{7}, 0}, 3), place);
  one.give(place, words(0b1110), false);
  EXPECT_FALSE(other.others_have_given(place));
  other.give(place, words(0b0111), false);
  EXPECT_TRUE(other.others_have_given(place));
  EXPECT_FALSE(other.all_have_given(place));
  EXPECT_EQ(one.result(place).front(), 0b0110U);
  one.give(place, words(0b0100), true);
  EXPECT_TRUE(other.all_have_given(place));
  EXPECT_EQ(other.result(place).front(), 0b0100U);
  EXPECT_EQ(other.result(place).back(), ~0b1111U);
  EXPECT_EQ(other.result(place)[1], 0U);
}

TEST(AgreementTable, TheLastMemberMayGiveBeforeTheOthers) {
  const EmulatorChannel emulator(settings_for(2), agreement_room);
  AgreementTable table(emulator.path());
  const auto place = table.join({Context{7}, 0}, 2);
  table.give(place, words(1), true);
  EXPECT_FALSE(table.others_have_given(place));
  EXPECT_FALSE(table.all_have_given(place));
  table.give(place, words(3), false);
  EXPECT_TRUE(table.others_have_given(place));
  EXPECT_TRUE(table.all_have_given(place));
}

TEST(AgreementTable, TellsAgreementsApart) {
  const EmulatorChannel emulator(settings_for(2), agreement_room);
  AgreementTable table(emulator.path());
  const auto first = table.join({Context{7}, 0}, 2);
  const auto second = table.join({Context{7}, 1}, 2);
  const auto elsewhere = table.join({Context{8}, 0}, 2);
  EXPECT_NE(first, second);
  EXPECT_NE(first, elsewhere);
  EXPECT_NE(second, elsewhere);
  EXPECT_EQ(table.join({Context{7}, 1}, 2), second);
}

TEST(AgreementTable, AnEntryIsTakenAgainWhenAllHaveLeftIt) {
  const EmulatorChannel emulator(settings_for(2), agreement_room);
  AgreementTable table(emulator.path());
  const auto place = table.join({Context{7}, 0}, 2);
  table.join({Context{7}, 0}, 2);
  table.give(place, words(0), false);
  table.give(place, words(0), true);
  table.leave(place);
  EXPECT_NE(table.join({Context{7}, 1}, 2), place) << "one member has still to read it";
  table.leave(place);
  EXPECT_EQ(table.join({Context{7}, 2}, 2), place);
  EXPECT_FALSE(table.others_have_given(place));
  EXPECT_FALSE(table.all_have_given(place));
  EXPECT_EQ(table.result(place).front(), ~std::uint32_t{0});
}

/// What a member gives, of which all know that all give it.
Words share(std::uint64_t seed, std::size_t round, std::size_t member) {
  RandomStream random(seed, std::to_string(round) + "/" + std::to_string(member));
  Words all;
  for (std::uint32_t& word : all) word = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32) | 1);
  return all;
}

Words expected(std::uint64_t seed, std::size_t round, const std::vector<std::size_t>& members) {
  Words all;
  all.fill(~std::uint32_t{0});
  for (const std::size_t member : members) {
    const Words one = share(seed, round, member);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] &= one[i];
  }
  return all;
}

// Everybody's groups are of all ranks, and in between of two: the first member gives last.
int agree_for_long(const std::string& path, std::uint64_t seed, std::size_t rank, std::size_t ranks) {
  AgreementTable table(path);
  for (std::size_t round = 0; round < 300; ++round) {
    std::vector<std::size_t> members;
    for (std::size_t one = 0; one < ranks; ++one)
      if (round % 2 == 0 || one / 2 == rank / 2) members.push_back(one);
    const bool is_last = members.front() == rank;
    const Context context{100 + members.front() * 10 + members.size()};
    const auto place = table.join({context, round}, static_cast<std::uint32_t>(members.size()));
    if (is_last) table.await_others(place);
    table.give(place, share(seed, round, rank), is_last);
    table.await_all(place);
    if (table.result(place) != expected(seed, round, members)) return 1;
    table.leave(place);
  }
  return 0;
}

TEST(AgreementTable, ProcessesAgreeManyTimes) {
  constexpr std::size_t ranks = 6;
  constexpr std::uint64_t seed = 2026;
  const EmulatorChannel emulator(settings_for(ranks), agreement_room);
  std::vector<std::unique_ptr<Forked>> processes;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    processes.push_back(
        std::make_unique<Forked>([&, rank] { return agree_for_long(emulator.path(), seed, rank, ranks); }));
  for (const auto& process : processes) EXPECT_EQ(process->result(), 0) << "seed " << seed;
}

TEST(AgreementTable, WhoSleepsEndsWithTheRun) {
  auto emulator = std::make_unique<EmulatorChannel>(settings_for(2), agreement_room);
  Forked waiting([path = emulator->path()] {
    AgreementTable table(path);
    const auto place = table.join({Context{7}, 0}, 2);
    table.give(place, words(1), false);
    table.await_all(place);
    return 0;
  });
  AgreementTable table(emulator->path());
  const auto place = table.join({Context{7}, 0}, 2);
  while (!table.others_have_given(place)) std::this_thread::yield();
  emulator.reset();
  EXPECT_EQ(waiting.result(), EXIT_FAILURE);
}

TEST(AgreementTable, NeedsAChannel) {
  EXPECT_THROW(AgreementTable("/proc/0/fd/0"), Error);
}

}  // namespace
}  // namespace morgana
