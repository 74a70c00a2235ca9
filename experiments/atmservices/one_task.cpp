#include "experiments/atmservices/one_task.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/transport/ece/ece.h"
#include "emulator/transport/pcaal/pcaal.h"
#include "runs/figures.h"
#include "runs/scripted_ranks.h"

namespace morgana::atm_services_paper {
namespace {

constexpr Rank task{0}, peer{1};
constexpr double bits_of_cell = 424;

/// Messages that go on their own, whatever becomes of those before.
class Stream {
 public:
  void send(Bytes bytes) {
    sends_.push_back(ranks_.begin_send(task, peer, bytes));
    ranks_.receive(peer, task, bytes);
  }
  void pause(double seconds) {
    ranks_.compute(task, SimTime::from_seconds(seconds));
    seconds_ += seconds;
  }
  /// For which the task sends.
  double seconds() const { return seconds_; }
  ScriptedRanks& finish() {
    for (const RequestId send : sends_) ranks_.wait(task, send);
    ranks_.exit(task);
    ranks_.exit(peer);
    return ranks_;
  }

 private:
  ScriptedRanks ranks_{2};
  std::vector<RequestId> sends_;
  double seconds_ = 0;
};

/// What the task's host sent and what came out, cells of all connections of a category.
void add_carried(Figures& figures, AtmNetwork& network, double seconds) {
  double sent = 0, lost = 0;
  figures["ubr_kbps"] = figures["abr_kbps"] = figures["vbr_kbps"] = 0;
  for (std::size_t number = 0; number < network.connections(); ++number) {
    const atm::Connection& connection = network.connection(ChannelId(number));
    const double kbps =
        static_cast<double>(connection.counters.cells_delivered) * bits_of_cell / seconds * 1e-3;
    if (connection.contract.category == ServiceCategory::vbr) figures["vbr_kbps"] += kbps;
    if (connection.from != 0 || connection.returned_of) continue;
    sent += static_cast<double>(connection.counters.cells_in);
    lost += static_cast<double>(connection.counters.cells_lost);
    if (connection.contract.category == ServiceCategory::ubr) figures["ubr_kbps"] += kbps;
    if (connection.contract.category == ServiceCategory::abr) figures["abr_kbps"] += kbps;
  }
  figures["loss"] = sent > 0 ? lost / sent : 0;
}

void add_share(Figures& figures, const EceCounters& counters, Service engine) {
  const auto over_abr = static_cast<double>(counters.of(ece::Path::backup).data);
  const double all = engine == Service::duplicating
                         ? static_cast<double>(counters.data)
                         : over_abr + static_cast<double>(counters.of(ece::Path::ordinary).data);
  figures["abr_share"] = all > 0 ? over_abr / all : 0;
}

/// 0 for a transport that knows no cells of its own.
double latency_of_cells(const Transport& transport) {
  if (const auto* engine = dynamic_cast<const Ece*>(&transport)) return engine->mean_latency_of_data();
  if (const auto* layer = dynamic_cast<const PcAal*>(&transport)) return layer->mean_latency_of_data();
  return 0;
}

RunOutcome play(Stream& stream, const Platform& platform, std::uint64_t seed,
                std::optional<Service> engine = std::nullopt) {
  ScriptedRanks& ranks = stream.finish();
  Machine machine = platform.build(ranks.ranks(), Placement(), seed);
  RunStatistics statistics(ranks.ranks());
  OperationObserver* const observers[] = {&statistics};
  Engine run(machine, ranks, observers);
  run.run();
  RunOutcome outcome{"finished", figures_of(statistics, run, machine)};
  outcome.figures["latency_s"] = statistics.latency().summary().mean();
  outcome.figures["cell_latency_s"] = latency_of_cells(*machine.transport);
  // What still goes after the last message belongs to the time before.
  const double seconds = stream.seconds() > 0 ? stream.seconds() : statistics.simulated_time().seconds();
  add_carried(outcome.figures, dynamic_cast<AtmNetwork&>(*machine.network), seconds);
  if (engine) add_share(outcome.figures, dynamic_cast<const Ece&>(*machine.transport).counters(), *engine);
  return outcome;
}

/// What a worker sends to a neighbour in a W-cycle: `visit` at each level, the coarser one twice.
template <class Visit>
void w_cycle(int level, const Visit& visit) {
  visit(Bytes(8 * ((std::int64_t{1} << level) + 1)));
  if (level == 2) return;
  w_cycle(level - 1, visit);
  w_cycle(level - 1, visit);
}

constexpr int finest = 8;
constexpr double messages_of_cycle = 127;

std::string platform_of(Service service) {
  switch (service) {
    case Service::switching:
      return "atm-oc3-ece";
    case Service::duplicating:
      return "atm-oc3-ece-duplicating";
    default:
      return "atm-oc3-abr";
  }
}

std::optional<Service> engine_of(const std::string& platform) {
  if (platform == platform_of(Service::switching)) return Service::switching;
  if (platform == platform_of(Service::duplicating)) return Service::duplicating;
  return std::nullopt;
}

}  // namespace

std::string word_of(Service service) {
  switch (service) {
    case Service::ubr:
      return "ubr";
    case Service::abr:
      return "abr";
    case Service::switching:
      return "switching";
    case Service::duplicating:
      return "duplicating";
  }
  return "";
}

std::string to_text(Service service) {
  switch (service) {
    case Service::ubr:
      return "UBR only";
    case Service::abr:
      return "ABR only";
    default:
      return word_of(service) + " ECE";
  }
}

Condition loaded(const Point& point) {
  Condition condition{point.program, platform_of(point.service)};
  condition.overrides = {"network.rate=155 Mb/s",
                         "network.buffer=200 cells",
                         fmt::format("network.background.load={} %", point.load),
                         "network.background.sources=10 sources",
                         "network.background.on-share=50 %",
                         "network.background.mean-on=300 ms",
                         "network.background.copies=100 %",
                         "network.background.hosts=1",
                         "network.background.category=ubr, abr",
                         "transport.no-response=1000 s",
                         "transport.tries=unlimited"};
  const auto set = [&](const std::string& override) { condition.overrides.push_back(override); };
  if (!point.interrupts_hold_up) {
    set("interface.receive-per-packet=0 us");
    set("network.switch-delay=13 us");  // the switch's 0.5 us and the interrupt's
  }
  if (!has_engine(point.service)) set("transport.poll=100 ms");
  if (point.service == Service::ubr) {
    set("transport.category=ubr");
    set("network.abr.feedback=none");
  } else {
    set(fmt::format("network.abr.peak={} Mb/s", point.peak_mbps));
    if (point.minimum_mbps > 0) set(fmt::format("network.abr.minimum={} Mb/s", point.minimum_mbps));
  }
  condition.random = true;
  return condition;
}

Condition fair_share(int others, int interval) {
  Condition condition{greedy, "atm-oc3"};
  condition.overrides = {"network.rate=155 Mb/s",
                         "network.buffer=1000 cells",
                         "network.drop=push-out",
                         "network.abr.feedback=erica",
                         "network.abr.peak=80 Mb/s",
                         fmt::format("network.abr.interval={} cells", interval),
                         "network.background.load=50 %",
                         fmt::format("network.background.sources={} sources", others),
                         "network.background.on-share=100 %",
                         "network.background.copies=100 %",
                         "network.background.hosts=1",
                         "interface.controller=0 us",
                         "interface.transfer=0 us",
                         "interface.receive-per-packet=0 us",
                         "transport.category=abr"};
  condition.random = true;
  return condition;
}

RunOutcome play_pde1(const Condition& condition, const Platform& platform, std::uint64_t seed,
                     double seconds) {
  Stream stream;
  for (double at = 0; at < seconds; at += interval_of_pde1) {
    stream.send(Bytes(8192));
    stream.pause(interval_of_pde1);
  }
  return play(stream, platform, seed, engine_of(condition.platform));
}

RunOutcome play_pde2(const Condition& condition, const Platform& platform, std::uint64_t seed,
                     double seconds) {
  Stream stream;
  for (double at = 0; at < seconds; at += cycle_of_pde2) {
    w_cycle(finest, [&](Bytes bytes) {
      stream.send(bytes);
      stream.pause(cycle_of_pde2 / messages_of_cycle);
    });
  }
  return play(stream, platform, seed, engine_of(condition.platform));
}

RunOutcome play_greedy(const Platform& platform, std::uint64_t seed, double megabytes) {
  Stream stream;
  stream.send(Bytes(static_cast<std::int64_t>(megabytes * 1e6)));
  return play(stream, platform, seed);
}

}  // namespace morgana::atm_services_paper
