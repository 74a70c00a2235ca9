#include "experiments/atmtransport/bursts_of_pde1.h"

#include <fmt/format.h>

#include "emulator/engine/engine.h"
#include "runs/figures.h"
#include "runs/scripted_ranks.h"

namespace morgana::atm_transport_paper {
namespace {

constexpr Bytes burst_of_pde1(8192);
constexpr std::int32_t tasks = 4;

double sum_of(const CounterTable& table, const std::string& column_name) {
  double sum = 0;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    if (table.columns[column].name == column_name)
      for (const auto& row : table.rows) sum += static_cast<double>(std::get<std::int64_t>(row[column]));
  return sum;
}

/// The share of values that are `limit` or more.
double share_from(const Distribution& values, double limit) {
  const auto count = static_cast<double>(values.summary().count());
  double below = 0;
  while (below < count && values.quantile((below + 1) / count) < limit) ++below;
  return 1 - below / count;
}

RunOutcome play_until_given_up(ScriptedRanks& ranks, const Platform& platform, std::uint64_t seed) {
  Machine machine = platform.build(ranks.ranks(), Placement(), seed);
  RunStatistics statistics(ranks.ranks());
  OperationObserver* const observers[] = {&statistics};
  Engine engine(machine, ranks, observers);
  try {
    engine.run();
  } catch (const Deadlock& deadlock) {
    // Who waits for a message that was returned to its sender waits for ever.
    if (!deadlock.unstable().empty()) return {unstable_run, {}};
    throw;
  }
  if (!engine.unstable().empty()) return {unstable_run, {}};
  RunOutcome outcome{"finished", figures_of(statistics, engine, machine)};
  outcome.figures["total_s"] = statistics.simulated_time().seconds();
  outcome.figures["latency_s"] = statistics.latency().summary().mean();
  // What is not data on a network without losses: POLL and STAT, a cell each.
  double control = 0;
  for (const CounterTable& table : machine.transport->counted())
    control += sum_of(table, "POLL") + sum_of(table, "STAT");
  outcome.figures["data_cells"] = outcome.figures["cells"] - control;
  outcome.figures["loss"] = outcome.figures["cells_lost"] / outcome.figures["cells"];
  const CounterTable outputs = machine.network->counted(statistics.simulated_time()).front();
  const double background = sum_of(outputs, "background in");
  outcome.figures["background_loss"] = background > 0 ? sum_of(outputs, "background lost") / background : 0;
  // Anything but a POLL, which goes every half a second at most, takes some hundredths of a second.
  constexpr double waits = 0.25;
  outcome.figures["late"] = share_from(statistics.latency(), waits);
  return outcome;
}

}  // namespace

Condition loaded(const BurstSetting& point) {
  Condition condition = silent(point.platform);
  condition.overrides.insert(
      condition.overrides.end(),
      {fmt::format("network.buffer={} cells", point.buffer),
       fmt::format("network.background.load={} %", point.load), "network.background.sources=1 sources",
       "network.background.low=6.43 %", "network.background.on-share=87 %",
       "network.background.mean-on=0.435 ms", "network.background.copies=50 %",
       fmt::format("transport.poll={} ms", point.poll_ms), "transport.no-response=100 s",
       fmt::format("transport.tries={}", point.tries)});
  if (point.occupying) condition.overrides.push_back("transport.work=occupying");
  if (!point.drop.empty()) condition.overrides.push_back("network.drop=" + point.drop);
  if (point.controller)
    condition.overrides.insert(
        condition.overrides.end(),
        {"interface.model=atm-adapter", "interface.controller=4 us", "interface.transfer=4.25 us"});
  condition.random = true;
  return condition;
}

Condition silent(const std::string& platform) {
  Condition condition{workload, platform};
  // Table 5.3's costs, pipelined unless a setting says otherwise; the bus holds up each cell.
  condition.overrides = {
      "network.switches=2",        "interface.model=atm-adapter",       "interface.controller=0 us",
      "interface.transfer=0 us",   "interface.receive-per-packet=0 us", "interface.bus=0.85 us",
      "transport.pdu-work=100 us", "transport.repetition-work=50 us",   "transport.arrival-work=75 us"};
  return condition;
}

RunOutcome play_ring(const Platform& platform, std::uint64_t seed, int rounds) {
  ScriptedRanks ranks(tasks);
  for (int round = 0; round < rounds; ++round) {
    for (std::int32_t task = 0; task < tasks; ++task) {
      const Rank self{task}, next{(task + 1) % tasks}, last{(task + tasks - 1) % tasks};
      ranks.compute(self, SimTime::from_seconds(0.02));
      const RequestId receive = ranks.begin_receive(self, last, burst_of_pde1);
      const RequestId send = ranks.begin_send(self, next, burst_of_pde1);
      ranks.wait(self, send);
      ranks.wait(self, receive);
    }
  }
  for (std::int32_t task = 0; task < tasks; ++task) ranks.exit(Rank{task});
  return play_until_given_up(ranks, platform, seed);
}

RunOutcome play_one_message(const Platform& platform, std::uint64_t seed) {
  ScriptedRanks ranks(2);
  ranks.send(Rank{0}, Rank{1}, burst_of_pde1);
  ranks.receive(Rank{1}, Rank{0}, burst_of_pde1);
  ranks.exit(Rank{0});
  ranks.exit(Rank{1});
  return play_until_given_up(ranks, platform, seed);
}

}  // namespace morgana::atm_transport_paper
