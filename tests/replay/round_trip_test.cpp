#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "replay/trace_source.h"
#include "tests/replay/random_program.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_folder.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {
namespace {

using testing::Ended;
using testing::RandomProgram;
using testing::TemporaryFolder;

TraceProperties properties_of(std::size_t ranks) {
  TraceProperties properties;
  properties.program = "./program with arguments";
  properties.platform = "loggp-example";
  properties.compute_scale = 0.37;
  for (std::size_t i = 0; i < ranks; ++i) properties.host_of.push_back("host" + std::to_string(i / 2));
  return properties;
}

/// What a replay makes of a rank's operations: operations that take no time and move nothing are left out,
/// tests and probes that found something wait for it, waits name what completed, wildcards what they got.
std::vector<Operation> replayed(const std::vector<Ended>& recorded) {
  struct Received {
    Rank source;
    Tag tag;
  };
  std::map<RequestId, std::vector<Received>> received;  // by request: it may be used again
  for (const Ended& ended : recorded)
    for (const Completed& completed : ended.completed)
      if (completed.source != any_rank && !completed.cancelled)
        received[completed.request].push_back({completed.source, completed.tag});
  std::vector<Operation> operations;
  std::vector<Operation> call;
  SimTime carried, polled;  // of operations that are left out
  for (const Ended& ended : recorded) {
    Operation operation = ended.operation;
    const bool clock_only = operation.kind == OperationKind::read_clock && ended.begin == ended.end;
    const bool left_out = clock_only || operation.kind == OperationKind::nothing ||
                          operation.kind == OperationKind::context_created;
    carried += operation.elapsed;
    polled += operation.polled;
    if (!left_out) {
      operation.elapsed = std::exchange(carried, SimTime());
      operation.polled = std::exchange(polled, SimTime());
      const auto found = received.find(operation.request);
      if (operation.kind == OperationKind::receive && found != received.end() && !found->second.empty()) {
        operation.peer = found->second.front().source;
        operation.tag = found->second.front().tag;
      }
      if (!ended.completed.empty()) {
        if (operation.kind == OperationKind::test) operation.kind = OperationKind::wait;
        if (operation.kind == OperationKind::test_probe) operation.kind = OperationKind::probe;
      }
      if (operation.kind == OperationKind::probe) {
        operation.peer = ended.completed[0].source;
        operation.tag = ended.completed[0].tag;
      }
      if (operation.kind == OperationKind::test_probe) operation.taken = no_request;
      if (operation.kind == OperationKind::wait) {
        operation.completion = Completion::all;
        const auto unfinished = [&](RequestId request) {
          return std::ranges::find(ended.completed, request, &Completed::request) == ended.completed.end();
        };
        operation.requests.erase(
            std::remove_if(operation.requests.begin(), operation.requests.end(), unfinished),
            operation.requests.end());
        if (operation.requests.empty()) operation.kind = OperationKind::nothing;
      }
      call.push_back(operation);
    }
    if (!ends_call(operation.part) || (clock_only && call.empty())) continue;
    if (call.empty() || carried > SimTime()) {  // a call of which nothing is left, or only computing
      Operation nothing;
      nothing.call = operation.call;
      nothing.elapsed = std::exchange(carried, SimTime());
      nothing.polled = std::exchange(polled, SimTime());
      call.push_back(nothing);
    }
    for (std::size_t i = 0; i < call.size(); ++i) {
      call[i].part = call.size() == 1      ? CallPart::whole
                     : i == 0              ? CallPart::first
                     : i + 1 < call.size() ? CallPart::middle
                                           : CallPart::last;
      operations.push_back(call[i]);
    }
    call.clear();
  }
  return operations;
}

/// Reads a rank's operations back and compares them with what they were, up to names: of requests and
/// contexts.
class Comparer {
 public:
  Comparer(TraceSource& source, Rank rank, const std::map<Context, std::vector<Rank>>& contexts)
      : source_(source), rank_(rank), contexts_(contexts) {}

  void expect(const std::vector<Operation>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(::testing::Message()
                   << "rank " << index(rank_) << ", operation " << i << ", " << name_of(expected[i].call));
      Operation actual = next();
      compare(expected[i], actual);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  /// The next one that is no announcement; those are kept for later comparisons.
  Operation next() {
    for (;;) {
      source_.next(rank_, storage_);
      if (storage_.kind != OperationKind::context_created) return storage_;
      EXPECT_EQ(storage_.elapsed, SimTime());
      EXPECT_TRUE(announced_.emplace(storage_.context, storage_.members).second);
    }
  }

  void compare(const Operation& expected, const Operation& actual) {
    ASSERT_EQ(expected.kind, actual.kind);
    EXPECT_EQ(expected.elapsed, actual.elapsed);
    EXPECT_EQ(expected.polled, actual.polled);
    if (expected.kind != OperationKind::exit) {
      EXPECT_EQ(expected.call, actual.call);
      EXPECT_EQ(expected.part, actual.part);
    }
    switch (expected.kind) {
      case OperationKind::send:
        EXPECT_EQ(expected.mode, actual.mode);
        EXPECT_EQ(expected.parts, actual.parts);
        [[fallthrough]];
      case OperationKind::receive:
        EXPECT_EQ(expected.bytes, actual.bytes);
        EXPECT_EQ(expected.peer, actual.peer);
        EXPECT_EQ(expected.tag, actual.tag);
        EXPECT_EQ(expected.taken, actual.taken);
        same_context(expected.context, actual.context);
        requests_[expected.request] = actual.request;
        return;
      case OperationKind::collective:
        EXPECT_EQ(expected.collective, actual.collective);
        same_context(expected.context, actual.context);
        requests_[expected.request] = actual.request;
        return;
      case OperationKind::access:
        EXPECT_EQ(expected.bytes, actual.bytes);
        EXPECT_EQ(expected.reply, actual.reply);
        [[fallthrough]];
      case OperationKind::lock:
      case OperationKind::unlock:
        EXPECT_EQ(expected.exclusive, actual.exclusive);
        EXPECT_EQ(expected.peer, actual.peer);
        EXPECT_EQ(expected.context, actual.context);
        requests_[expected.request] = actual.request;
        return;
      case OperationKind::test:
      case OperationKind::wait:
        if (!expected.requests.empty()) {
          EXPECT_EQ(expected.completion, actual.completion);
        }
        ASSERT_EQ(expected.requests.size(), actual.requests.size());
        for (std::size_t i = 0; i < expected.requests.size(); ++i)
          EXPECT_EQ(requests_[expected.requests[i]], actual.requests[i]);
        return;
      case OperationKind::probe:
      case OperationKind::test_probe:
        EXPECT_EQ(expected.peer, actual.peer);
        EXPECT_EQ(expected.tag, actual.tag);
        EXPECT_EQ(expected.taken, actual.taken);
        same_context(expected.context, actual.context);
        return;
      case OperationKind::cancel:
        EXPECT_EQ(requests_[expected.request], actual.request);
        return;
      case OperationKind::sleep:
        EXPECT_EQ(expected.duration, actual.duration);
        return;
      default:
        return;
    }
  }

  void same_context(Context expected, Context actual) {
    if (expected == world_context) {
      EXPECT_EQ(actual, world_context);
      return;
    }
    EXPECT_EQ(contexts_.at(expected), announced_[actual]);
    const auto [entry, fresh] = names_.try_emplace(expected, actual);
    EXPECT_EQ(entry->second, actual);
  }

  TraceSource& source_;
  Rank rank_;
  const std::map<Context, std::vector<Rank>>& contexts_;
  std::map<Context, std::vector<Rank>> announced_;
  std::map<Context, Context> names_;
  std::map<RequestId, RequestId> requests_;
  Operation storage_;
};

/// Writes the ranks' operations interleaved at random, as an emulated run may.
void write_interleaved(const std::filesystem::path& folder, const std::vector<std::vector<Ended>>& ranks,
                       RandomStream& random) {
  TraceWriter writer(folder, properties_of(ranks.size()));
  std::vector<std::size_t> next(ranks.size());
  std::vector<std::size_t> unfinished;
  for (std::size_t i = 0; i < ranks.size(); ++i) unfinished.push_back(i);
  while (!unfinished.empty()) {
    const std::size_t which = random.below(unfinished.size());
    const std::size_t rank = unfinished[which];
    const Ended& ended = ranks[rank][next[rank]++];
    writer.operation_ended(Rank(static_cast<std::int32_t>(rank)), ended.operation, ended.begin, ended.end,
                           ended.completed);
    if (next[rank] == ranks[rank].size())
      unfinished.erase(unfinished.begin() + static_cast<std::ptrdiff_t>(which));
  }
  writer.finish();
}

class RoundTrip : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RoundTrip, WhatIsWrittenIsReplayed) {
  const std::uint64_t seed = GetParam();
  RecordProperty("seed", std::to_string(seed));
  RandomStream random(seed, "test");
  const auto count = static_cast<std::int32_t>(1 + random.below(6));
  std::vector<std::vector<Ended>> ranks;
  std::vector<RandomProgram> programs;
  for (std::int32_t i = 0; i < count; ++i) {
    programs.emplace_back(seed, Rank(i), count);
    ranks.push_back(programs.back().run(50 + random_cases(random.below(2000))));
  }
  const TemporaryFolder folder;
  write_interleaved(folder / "trace", ranks, random);

  TraceSource source(folder / "trace", 0.37);
  ASSERT_EQ(source.ranks(), ranks.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    Comparer(source, Rank(i), programs[place].contexts()).expect(replayed(ranks[place]));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_EQ(source.progress(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip, ::testing::Range<std::uint64_t>(1, 41));

TEST(RoundTripOfComputing, ScalesWhatLiesBetweenCallsByTheReplayedPlatform) {
  const TemporaryFolder folder;
  {
    TraceProperties properties = properties_of(1);
    properties.compute_scale = 2.0;
    TraceWriter writer(folder / "trace", properties);
    Operation operation;
    operation.kind = OperationKind::nothing;
    operation.call = Call::MPI_Init;
    writer.operation_ended(Rank{0}, operation, SimTime::from_ps(1000), SimTime::from_ps(1500), {});
    operation.kind = OperationKind::exit;
    writer.operation_ended(Rank{0}, operation, SimTime::from_ps(1700), SimTime::from_ps(1700), {});
    writer.finish();
  }
  TraceSource source(folder / "trace", 3.0);
  Operation operation;
  source.next(Rank{0}, operation);
  EXPECT_EQ(operation.kind, OperationKind::nothing);
  EXPECT_EQ(operation.elapsed, SimTime::from_ps(1500));
  source.next(Rank{0}, operation);
  EXPECT_EQ(operation.kind, OperationKind::exit);
  EXPECT_EQ(operation.elapsed, SimTime::from_ps(300));
}

}  // namespace
}  // namespace morgana
