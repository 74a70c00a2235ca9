#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/operations/collective_names.h"
#include "tests/collectives/schedule_cases.h"
#include "tests/support/effort.h"

namespace morgana::schedule_tests {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::int32_t most_members = 40;

struct Chosen {
  CollectiveKind kind{};
  std::string algorithm;  // "" for the library's choice
  CollectiveLibrary library = CollectiveLibrary::mpich;
};

std::vector<Chosen> everything() {
  std::vector<Chosen> all;
  for (const CollectiveLibrary library : {CollectiveLibrary::mpich, CollectiveLibrary::openmpi})
    for (int kind = 0; kind <= static_cast<int>(CollectiveKind::create_context); ++kind)
      all.push_back({static_cast<CollectiveKind>(kind), "", library});
  for (const AlgorithmChoice& choice : algorithm_choices())
    all.push_back({collective_named(choice.kind).value(), std::string(choice.algorithm), choice.library});
  return all;
}

std::string title(const testing::TestParamInfo<Chosen>& info) {
  std::string text = fmt::format("{}_{}", name_of(info.param.kind),
                                 info.param.algorithm.empty() ? "mpich" : info.param.algorithm);
  if (info.param.library == CollectiveLibrary::openmpi)
    text = fmt::format("{}_openmpi_{}", name_of(info.param.kind),
                       info.param.algorithm.empty() ? "choice" : info.param.algorithm);
  std::ranges::replace(text, '-', '_');
  return text;
}

bool is_rooted(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::gather ||
         kind == CollectiveKind::gatherv || kind == CollectiveKind::scatter ||
         kind == CollectiveKind::scatterv || kind == CollectiveKind::reduce;
}

/// All roots of small groups, a few of large ones.
std::vector<std::int32_t> roots_of(CollectiveKind kind, std::int32_t members, RandomStream& random) {
  if (!is_rooted(kind)) return {0};
  std::vector<std::int32_t> roots;
  if (members > 9)
    for (int i = 0; i < 3; ++i)
      roots.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(members))));
  else
    for (std::int32_t root = 0; root < members; ++root) roots.push_back(root);
  return roots;
}

/// About one of `pieces` of the longest message that is cut.
Bytes piece_of(const Parts& parts, std::int64_t pieces) {
  const CollectivePart& part = parts.front();
  std::int64_t message = part.bytes.count();
  if (part.kind == CollectiveKind::allgather || part.kind == CollectiveKind::reduce_scatter_block)
    message *= static_cast<std::int64_t>(parts.size());
  for (const std::vector<Bytes>& sizes : {part.send_sizes, part.receive_sizes})
    for (const Bytes size : sizes) message += size.count();
  return Bytes(message / pieces + 1);
}

class Schedules : public testing::TestWithParam<Chosen> {
 protected:
  /// Calls `check` with every number of members, roots, forms, and several draws of sizes.
  void for_every_case(const std::function<void(const Parts&, const std::vector<Schedule>&)>& check) {
    const auto& [kind, algorithm, library] = GetParam();
    CollectiveTuning tuning = algorithm.empty() ? CollectiveTuning{} : tuned(kind, algorithm);
    tuning.library = library;
    const std::string name = title({GetParam(), 0});
    RandomStream roots(seed, name);
    std::uint64_t cases = 0;
    for (std::int32_t members = 1; members <= most_members; ++members)
      for (const std::int32_t root : roots_of(kind, members, roots))
        for (int form = 0; form < 8; ++form)
          for (int draw = 0; draw < (is_rooted(kind) ? 1 : 3); ++draw) {
            const std::uint64_t number = cases++;
            if (!is_tried(number)) continue;
            const Shape shape{kind, members, root, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
            RandomStream random(seed, fmt::format("{} {}", name, number));
            const Parts parts = draw_parts(shape, random);
            if (library == CollectiveLibrary::openmpi) {  // whole messages, and two ways of cutting them
              tuning.segment = number % 3 == 0 ? Bytes() : piece_of(parts, number % 3 == 1 ? 2 : 8);
              tuning.chains = number % 2 == 0 ? 1 : 4;
            }
            SCOPED_TRACE(
                fmt::format("seed {}: {} members, root {}, in place {}, blocking {}, commutative {}, "
                            "draw {}, {} bytes of {}",
                            seed, members, root, shape.in_place, shape.blocking, shape.commutative, draw,
                            parts[0].bytes.count(), parts[0].element.count()));
            check(parts, schedules_of(parts, tuning));
            if (HasFailure()) return;
          }
  }
};

TEST_P(Schedules, CompleteAndMatchWhenSendsAreEager) {
  for_every_case([](const Parts&, const std::vector<Schedule>& schedules) {
    EXPECT_EQ(execute(schedules, Sends::eager).failure, "");
  });
}

TEST_P(Schedules, CompleteAndMatchWhenSendsWaitForTheirReceives) {
  for_every_case([](const Parts&, const std::vector<Schedule>& schedules) {
    EXPECT_EQ(execute(schedules, Sends::synchronous).failure, "");
  });
}

TEST_P(Schedules, EndOnlyWhenAllWhoseDataAreNeededHaveEntered) {
  for_every_case([](const Parts& parts, const std::vector<Schedule>& schedules) {
    const Execution execution = execute(schedules, Sends::eager);
    for (std::size_t me = 0; me < parts.size(); ++me) {
      const MemberSet missing = needed_by(parts, me) & ~execution.members[me].heard_of;
      EXPECT_TRUE(missing.none()) << "member " << me << " has not heard of " << missing;
    }
  });
}

TEST_P(Schedules, HaveNoFenceAtTheirEndsOrAfterAnother) {
  for_every_case([](const Parts&, const std::vector<Schedule>& schedules) {
    const auto is_fence = [](const ScheduleStep& step) { return step.kind == ScheduleStep::Kind::fence; };
    for (const Schedule& schedule : schedules) {
      if (schedule.empty()) continue;
      EXPECT_FALSE(is_fence(schedule.front()) || is_fence(schedule.back()));
      EXPECT_EQ(std::ranges::adjacent_find(
                    schedule, [&](const auto& a, const auto& b) { return is_fence(a) && is_fence(b); }),
                schedule.end());
    }
  });
}

using Group = std::span<const ScheduleStep>;

std::vector<Group> groups_of(const Schedule& schedule) {
  std::vector<Group> groups;
  for (auto step = schedule.begin(); step != schedule.end();) {
    const auto end = std::find_if(
        step, schedule.end(), [](const ScheduleStep& one) { return one.kind == ScheduleStep::Kind::fence; });
    groups.emplace_back(step, end);
    step = end == schedule.end() ? end : end + 1;
  }
  return groups;
}

// Beside what came before the last fence, Open MPI's algorithms receive the next operand, and send what is
// reduced when that has ended.
TEST_P(Schedules, ReduceWhatCameBeforeTheLastFence) {
  using enum ScheduleStep::Kind;
  const bool is_alone = GetParam().library == CollectiveLibrary::mpich;
  const auto kind_is = [](ScheduleStep::Kind kind) {
    return [kind](const ScheduleStep& step) { return step.kind == kind; };
  };
  for_every_case([&](const Parts&, const std::vector<Schedule>& schedules) {
    for (const Schedule& schedule : schedules) {
      const std::vector<Group> groups = groups_of(schedule);
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto reduction = std::ranges::find_if(groups[i], kind_is(reduce));
        if (reduction == groups[i].end()) continue;
        ASSERT_GT(i, 0U);
        if (is_alone || groups[i].size() == 1) {
          EXPECT_EQ(groups[i].size(), 1U);
          continue;
        }
        EXPECT_TRUE(std::all_of(groups[i].begin(), reduction, kind_is(receive)));
        EXPECT_TRUE(std::all_of(reduction + 1, groups[i].end(), kind_is(ScheduleStep::Kind::send)));
        EXPECT_TRUE(std::ranges::any_of(groups[i - 1], [&](const ScheduleStep& step) {
          return step.kind == receive && step.bytes == reduction->bytes;
        }));
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Schedules, testing::ValuesIn(everything()), title);

// The executor has to be able to fail.

ScheduleStep send(std::int32_t to, std::int64_t bytes) {
  return {ScheduleStep::Kind::send, to, Bytes(bytes)};
}
ScheduleStep receive(std::int32_t from, std::int64_t bytes) {
  return {ScheduleStep::Kind::receive, from, Bytes(bytes)};
}
constexpr ScheduleStep fence{ScheduleStep::Kind::fence, -1, Bytes()};

TEST(ScheduleExecutor, FindsTheDeadlockOfTwoBlockingSends) {
  const std::vector<Schedule> schedules{{send(1, 8), fence, receive(1, 8)},
                                        {send(0, 8), fence, receive(0, 8)}};
  EXPECT_EQ(execute(schedules, Sends::eager).failure, "");
  EXPECT_NE(execute(schedules, Sends::synchronous).failure, "");
}

TEST(ScheduleExecutor, FindsASendWithoutAReceive) {
  EXPECT_NE(execute({{send(1, 8)}, {}}, Sends::eager).failure, "");
}

TEST(ScheduleExecutor, FindsAReceiveWithoutASend) {
  EXPECT_NE(execute({{receive(1, 8)}, {}}, Sends::eager).failure, "");
}

TEST(ScheduleExecutor, FindsSizesThatDisagree) {
  EXPECT_NE(execute({{send(1, 8)}, {receive(0, 9)}}, Sends::eager).failure, "");
}

TEST(ScheduleExecutor, DoesNotTakeAReceiveIntoAccountBeforeItsFence) {
  const Execution execution =
      execute({{send(1, 8)}, {receive(0, 8), send(2, 8)}, {receive(1, 8)}}, Sends::eager);
  EXPECT_EQ(execution.members[2].heard_of, MemberSet(0b110));
  const Execution fenced =
      execute({{send(1, 8)}, {receive(0, 8), fence, send(2, 8)}, {receive(1, 8)}}, Sends::eager);
  EXPECT_EQ(fenced.members[2].heard_of, MemberSet(0b111));
  EXPECT_EQ(fenced.rounds, 2);
}

}  // namespace
}  // namespace morgana::schedule_tests
