#include "emulator/interface/lanai/processor.h"

#include <gtest/gtest.h>

#include "emulator/core/random.h"
#include "tests/interface/lanai/reference_processor.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {

/// Gives a script to the shipped processor.
class ScriptedProcessor : private LanaiHandlers, private EventHandler {
 public:
  explicit ScriptedProcessor(const ProcessorScript& script)
      : script_(script),
        processor_(events_, *this, SimTime::from_ps(script.cycle), script.dispatch,
                   script.in_turn ? DispatchOrder::in_turn : DispatchOrder::by_priority) {
    for (const auto& [at, event] : script.arrivals) events_.schedule(SimTime::from_ps(at), *this, event);
  }
  std::vector<HandlerRun> run() {
    while (!events_.empty()) events_.handle_next();
    return runs_;
  }
  const LanaiProcessor& processor() const { return processor_; }

 private:
  void handle(std::uint64_t event) override { processor_.raise(static_cast<unsigned>(event)); }
  std::int64_t begin(unsigned event) override {
    runs_.push_back({event, events_.now().ps(), 0});
    return script_.events[event].cycles;
  }
  void end(unsigned event) override {
    EXPECT_EQ(runs_.back().event, event);
    runs_.back().ended = events_.now().ps();
    for (const unsigned next : script_.events[event].raises)
      if (script_.raises_left-- > 0) processor_.raise(next);
  }

  ProcessorScript script_;
  EventQueue events_;
  LanaiProcessor processor_;
  std::vector<HandlerRun> runs_;
};

ProcessorScript random_script(std::uint64_t seed) {
  RandomStream random(seed, "processor script");
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  ProcessorScript script;
  script.cycle = 1 + below(4);
  script.dispatch = 1 + below(6);
  script.raises_left = static_cast<int>(below(40));
  script.events.resize(1 + random.below(9));
  for (ScriptedEvent& event : script.events) {
    event.cycles = below(12);
    for (std::int64_t more = below(3); more > 0; --more)
      event.raises.push_back(static_cast<unsigned>(random.below(script.events.size())));
  }
  const std::uint64_t span = 1 + random.below(1000);
  for (std::int64_t more = 1 + below(60); more > 0; --more)
    script.arrivals.emplace_back(below(span), static_cast<unsigned>(random.below(script.events.size())));
  std::sort(script.arrivals.begin(), script.arrivals.end());
  return script;
}

TEST(LanaiProcessor, AgreesWithTheEventHandlerPicosecondByPicosecondOnRandomScripts) {
  std::size_t handlers = 0, waited = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(2000); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    ProcessorScript script = random_script(seed);
    script.in_turn = seed % 2 == 0;
    // Every arrival and every raise is a dispatch and a handler of less than 80 ps each, at most.
    const std::vector<HandlerRun> expected = run_by_picoseconds(script, 1000 + (60 + 40) * 80);
    ScriptedProcessor shipped(script);
    const std::vector<HandlerRun> runs = shipped.run();
    ASSERT_EQ(runs.size(), expected.size());
    for (std::size_t i = 0; i < runs.size(); ++i) ASSERT_TRUE(runs[i] == expected[i]) << "handler " << i;
    ASSERT_EQ(shipped.processor().dispatches(), runs.size());
    handlers += runs.size();
    for (std::size_t i = 1; i < runs.size(); ++i)
      waited += runs[i].begun == runs[i - 1].ended + script.dispatch * script.cycle;
  }
  EXPECT_GT(waited, handlers / 4);  // they do get into each other's way
  EXPECT_LT(waited, handlers);
}

// Ten cycles of 1 ps a dispatch.
TEST(LanaiProcessor, ServesTheHighestPriorityFirstAndInterruptsNothing) {
  ProcessorScript script{.cycle = 1, .dispatch = 10, .events = {{5, {}}, {100, {}}, {20, {}}}};
  script.arrivals = {{0, 1}, {20, 2}, {30, 0}};
  const std::vector<HandlerRun> expected = {{1, 10, 110}, {0, 120, 125}, {2, 135, 155}};
  EXPECT_EQ(ScriptedProcessor(script).run(), expected);
}

// Event 0 raises itself: in turn, event 1 goes between.
TEST(LanaiProcessor, HandlesWhatIsBehindAnEventThatNeverCeases) {
  ProcessorScript script{.cycle = 1, .dispatch = 10, .events = {{50, {0}}, {20, {}}}};
  script.raises_left = 2;
  script.arrivals = {{0, 0}, {5, 1}};
  const std::vector<HandlerRun> starved = {{0, 10, 60}, {0, 70, 120}, {0, 130, 180}, {1, 190, 210}};
  EXPECT_EQ(ScriptedProcessor(script).run(), starved);
  script.in_turn = true;
  const std::vector<HandlerRun> fair = {{0, 10, 60}, {1, 70, 90}, {0, 100, 150}, {0, 160, 210}};
  EXPECT_EQ(ScriptedProcessor(script).run(), fair);
}

TEST(LanaiProcessor, HasABitForAnEventHoweverOftenItIsRaised) {
  ProcessorScript script{.cycle = 1, .dispatch = 10, .events = {{5, {}}, {100, {}}}};
  script.arrivals = {{0, 1}, {20, 0}, {30, 0}, {40, 0}};
  const std::vector<HandlerRun> expected = {{1, 10, 110}, {0, 120, 125}};
  EXPECT_EQ(ScriptedProcessor(script).run(), expected);
}

TEST(LanaiProcessor, AnEventThatComesBackDuringItsHandlerIsHandledAgain) {
  ProcessorScript script{.cycle = 1, .dispatch = 10, .events = {{50, {}}}};
  script.arrivals = {{0, 0}, {9, 0}, {11, 0}};
  const std::vector<HandlerRun> expected = {{0, 10, 60}, {0, 70, 120}};
  ScriptedProcessor shipped(script);
  EXPECT_EQ(shipped.run(), expected);
  EXPECT_EQ(shipped.processor().cycles(), 120);
  EXPECT_FALSE(shipped.processor().busy());
}

}  // namespace
}  // namespace morgana::testing
