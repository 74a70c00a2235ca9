// A probe that names requests, too, and may have a limit: what the threads of a rank wait for together.

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

constexpr int early = 5, late = 6;  // tags of what rank 1 sends at 50 and at 200 us
constexpr SimTime transit = o_s + L + 7 * SimTime::from_ps(1'000);  // of 8 bytes, until a probe can see them

Operation probe(int tag, std::initializer_list<std::uint64_t> requests, SimTime limit = SimTime()) {
  Operation operation = plain(OperationKind::probe);
  operation.call = Call::MPI_Probe;
  operation.peer = Rank{1};
  operation.tag = Tag{tag};
  operation.duration = limit;
  operation.wants_answer = true;
  for (const std::uint64_t request : requests) operation.requests.push_back(RequestId{request});
  return operation;
}

/// What a trace would be made of: rank 0's operations as they have ended.
class EndedOperations : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime /*begin*/, SimTime /*end*/,
                       std::span<const Completed> /*completed*/) override {
    if (rank == Rank{0}) operations.push_back(operation);
  }
  std::vector<Operation> operations;
};

struct Course {
  std::vector<Answer> answers;
  std::vector<Operation> seen;
};

Course course_of(std::vector<Operation> receiver) {
  receiver.push_back(exit());
  ScriptedSource source({receiver,
                         {after(50_us, send(0, 8, early, 1)), after(149_us, send(0, 8, late, 2)),
                          script::wait({1, 2}), exit()}});
  Machine machine = logp_machine(2);
  EndedOperations seen;
  OperationObserver* const observer = &seen;
  Engine engine(machine, source, {&observer, 1});
  engine.run();
  return {source.answers[0], seen.operations};
}

TEST(ProbeThatWaits, EndsWithTheMessageAndLeavesTheRequestPending) {
  const Course course =
      course_of({receive(1, 8, late, 1), probe(early, {1}), receive(1, 8, early, 2), script::wait({1, 2})});
  ASSERT_EQ(course.answers.size(), 2U);
  EXPECT_EQ(course.answers[0].clock, 50_us + transit);
  ASSERT_EQ(course.answers[0].completed.size(), 1U);
  EXPECT_EQ(course.answers[0].completed[0].tag, Tag{early});
  EXPECT_EQ(course.answers[1].completed.size(), 2U);
}

TEST(ProbeThatWaits, IsAsLongAsAPlainOne) {
  const Course alone = course_of({probe(early, {})});
  const Course both = course_of({receive(1, 8, late, 1), probe(early, {1}, 1_s), script::wait({1})});
  EXPECT_EQ(alone.answers.at(0), both.answers.at(0));
  // A replay can do the same without knowing for what else the rank's threads have waited.
  EXPECT_EQ(both.seen.at(1).kind, OperationKind::probe);
  EXPECT_EQ(both.seen.at(1).requests.size(), 0U);
  EXPECT_EQ(both.seen.at(1).duration, SimTime());
}

TEST(ProbeThatWaits, EndsWithTheFirstRequestAndIsThenAWait) {
  const Course probes =
      course_of({receive(1, 8, early, 1), receive(1, 8, late, 2), probe(7, {1, 2}), script::wait({2})});
  const Course waits = course_of({receive(1, 8, early, 1), receive(1, 8, late, 2),
                                  script::wait({1, 2}, Completion::some), script::wait({2})});
  EXPECT_EQ(probes.answers, waits.answers);
  EXPECT_EQ(probes.seen.at(2).kind, OperationKind::wait);
  EXPECT_EQ(probes.seen.at(2).completion, Completion::some);
}

TEST(ProbeThatWaits, EndsAtOnceWithARequestThatIsReady) {
  const Course course = course_of({receive(1, 8, early, 1), after(100_us, probe(late, {1}))});
  ASSERT_EQ(course.answers.size(), 1U);
  EXPECT_EQ(course.answers[0].clock, 100_us + o_r);
  EXPECT_EQ(course.answers[0].completed.at(0).request, RequestId{1});
}

TEST(ProbeThatWaits, EndsEmptyHandedAtItsLimit) {
  for (const bool with_request : {true, false}) {
    SCOPED_TRACE(with_request);
    Operation limited = probe(early, {}, 10_us);
    if (with_request) limited.requests.push_back(RequestId{1});
    const Course course = course_of({receive(1, 8, late, 1), limited, probe(early, {}), script::wait({1})});
    ASSERT_EQ(course.answers.size(), 3U);
    EXPECT_EQ(course.answers[0].clock, 10_us);
    EXPECT_TRUE(course.answers[0].completed.empty());
    EXPECT_EQ(course.answers[1].clock, 50_us + transit);
    EXPECT_EQ(course.seen.at(1).kind, OperationKind::wait);  // one that has reached its limit: a sleep
  }
}

TEST(ProbeThatWaits, TellsOfAllThatNeverComes) {
  try {
    course_of({receive(1, 8, 7, 1), probe(8, {1})});
    FAIL() << "nothing ever comes with tags 7 and 8";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("waits in MPI_Probe for a message from rank 1 with tag 8"), std::string::npos)
        << what;
    EXPECT_NE(what.find(" or for a message from rank 1 with tag 7"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace morgana
