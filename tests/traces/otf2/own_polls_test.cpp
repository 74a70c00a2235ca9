#include "traces/otf2/own_polls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "traces/otf2/attributes.h"

namespace morgana {
namespace {

constexpr SimTime us(std::int64_t n) {
  return SimTime::from_ps(n * 1'000'000);
}

SimTime polled_before(OwnPolls& polls, SimTime time, std::int64_t announced) {
  TraceRecord record;
  record.kind = TraceRecord::Kind::enter;
  record.time = time;
  return polls.before(record, {1U << static_cast<unsigned>(Attribute::polled), &announced}).time;
}

// A damaged trace may announce anything; a replay takes it for as much.
TEST(OwnPolls, TakeNoMoreThanTheTimeSinceTheRecordBeforeAndNoLess) {
  for (const auto& [announced, taken] : {std::pair{us(3).ps(), us(3)},
                                         {us(11).ps(), us(10)},
                                         {std::numeric_limits<std::int64_t>::max(), us(10)},
                                         {std::int64_t{-5}, SimTime()}}) {
    OwnPolls polls;
    EXPECT_EQ(taken, polled_before(polls, us(10), announced)) << announced;
  }
}

}  // namespace
}  // namespace morgana
