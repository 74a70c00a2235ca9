#include "emulator/messaging/matcher.h"

#include <gtest/gtest.h>

#include <map>

#include "emulator/core/random.h"
#include "tests/messaging/reference_matcher.h"

namespace morgana {
namespace {

Envelope envelope(int context, int source, int tag) {
  return {Context{static_cast<std::uint64_t>(context)}, Rank{source}, Tag{tag}};
}

TEST(Matcher, GivesAMessageToTheReceivePostedFirstAmongThoseItFits) {
  Matcher matcher;
  matcher.post(envelope(0, 1, 5), 10);
  matcher.post({Context{0}, any_rank, any_tag}, 11);
  matcher.post(envelope(0, 2, 5), 12);
  EXPECT_EQ(matcher.arrive(envelope(0, 2, 5), 1), 11U);
  EXPECT_EQ(matcher.arrive(envelope(0, 2, 5), 2), 12U);
  EXPECT_EQ(matcher.arrive(envelope(0, 1, 5), 3), 10U);
  EXPECT_EQ(matcher.arrive(envelope(0, 1, 5), 4), std::nullopt);
}

TEST(Matcher, GivesAReceiveTheMessageThatCameFirst) {
  Matcher matcher;
  matcher.arrive(envelope(0, 3, 7), 1);
  matcher.arrive(envelope(0, 2, 7), 2);
  matcher.arrive(envelope(1, 2, 7), 3);
  EXPECT_EQ(matcher.post({Context{1}, any_rank, any_tag}, 10).message, 3U);
  EXPECT_EQ(matcher.post({Context{0}, any_rank, Tag{7}}, 11).message, 1U);
  EXPECT_EQ(matcher.messages_waiting(), 1U);
}

TEST(Matcher, KeepsServiceMessagesFromReceivesOfAnyContext) {
  Matcher matcher;
  const Context service = service_context;
  matcher.arrive({service, Rank{1}, Tag{5}}, 1);
  EXPECT_EQ(matcher.post({any_context, any_rank, any_tag}, 10).message, std::nullopt);
  EXPECT_EQ(matcher.arrive({service, Rank{1}, Tag{6}}, 2), std::nullopt);
  EXPECT_EQ(matcher.arrive(envelope(7, 1, 5), 3), 10U);
  EXPECT_EQ(matcher.post({service, any_rank, Tag{6}}, 11).message, 2U);
}

class RandomMatching : public testing::TestWithParam<int> {};

TEST_P(RandomMatching, IsThatOfTheReference) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomStream random(seed, "matcher");
  const std::uint64_t sources = 1 + random.below(6), tags = 1 + random.below(4),
                      contexts = 1 + random.below(3);
  const double wildcards = random.uniform() * 0.6, receives = 0.3 + random.uniform() * 0.4;
  Matcher matcher;
  ReferenceMatcher reference;
  std::map<std::uint32_t, std::pair<Envelope, Matcher::Place>> waiting;
  std::uint32_t next = 0;
  for (int step = 0; step < 2000; ++step) {
    Envelope at = envelope(static_cast<int>(random.below(contexts)), static_cast<int>(random.below(sources)),
                           static_cast<int>(random.below(tags)));
    const double action = random.uniform();
    if (action > receives) {
      const auto taken = matcher.arrive(at, next);
      ASSERT_EQ(taken, reference.arrive(at, next));
      if (taken) waiting.erase(*taken);
      ++next;
      continue;
    }
    if (random.chance(wildcards / 2)) at.context = any_context;
    if (random.chance(wildcards)) at.source = any_rank;
    if (random.chance(wildcards)) at.tag = any_tag;
    if (action < 0.05) {
      ASSERT_EQ(matcher.find(at), reference.find(at));
    } else if (action < 0.08 && !waiting.empty()) {
      const auto victim = std::next(waiting.begin(), static_cast<long>(random.below(waiting.size())));
      matcher.cancel(victim->second.first, victim->second.second);
      reference.cancel(victim->first);
      waiting.erase(victim);
    } else {
      const Matcher::Posted posted = matcher.post(at, next);
      ASSERT_EQ(posted.message, reference.post(at, next));
      if (!posted.message) waiting[next] = {at, posted.place};
      ++next;
    }
    ASSERT_EQ(matcher.messages_waiting(), reference.messages_waiting());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMatching, testing::Range(0, 200));

}  // namespace
}  // namespace morgana
