// replay_on() of replay/comparison.h.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/placement_checks.h"
#include "emulator/report/host_report.h"
#include "replay/comparison.h"
#include "replay/network_watch.h"
#include "replay/schedule_replay.h"
#include "replay/trace_source.h"
#include "replay/translation/trace_translation.h"

namespace morgana {
namespace {

/// Passes on how far a replay has come: seldom enough to cost nothing, and often enough to be broken off
/// soon where every operation means many cells.
class Progress : public OperationObserver {
 public:
  Progress(const TraceSource& source, const std::function<void(double)>& told)
      : source_(source), told_(told) {}
  void operation_ended(Rank, const Operation&, SimTime, SimTime, std::span<const Completed>) override {
    if (++operations_ % every == 0) told_(reading_share + (1 - reading_share) * source_.progress());
  }

 private:
  static constexpr std::uint64_t every = 1 << 10;
  const TraceSource& source_;
  const std::function<void(double)>& told_;
  std::uint64_t operations_ = 0;
};

}  // namespace

ReplayResult replay_on(const Platform& platform, const std::filesystem::path& trace,
                       const ReplayOptions& options) {
  if (platform.native()) {
    throw Error(
        fmt::format("cannot replay on {}: a trace runs on modelled platforms only; "
                    "`morgana platforms` lists them",
                    platform.name()));
  }
  const std::shared_ptr<const ReplayInput> input =
      options.translated ? options.translated : read_trace(trace, options.progress);
  if (input->schedule) return run_schedule_on(platform, *input->schedule, options);
  if (input->execution) return run_execution_on(platform, *input->execution, options);
  std::optional<ComputeTimes> times =
      compute_times_of(options.variation, input->trace->ranks(), options.seed);
  TraceSource source(input->trace, platform.compute_scale(), times ? &*times : nullptr);
  Placement placement = options.placement;
  ReplayedJobs jobs(source, options.beside, platform.compute_scale());
  if (source.places_its_ranks()) {
    if (jobs.several())
      throw Error(
          fmt::format("{}: tasks of PVM are where their own machine starts them, so no other job runs beside "
                      "them; leave --beside out",
                      trace.string()));
    refuse_to_place_tasks(placement);
    placement.kind = Placement::Kind::later;
    placement.open_hosts = source.hosts();
    source.place_on(platform.hosts() == 0 ? source.hosts() : platform.hosts());
  }
  Machine machine = platform.build(jobs.source().ranks(), jobs.place(platform, placement), options.seed);
  machine.name_endpoints(source.tags_name_endpoints() && jobs.tags_name_endpoints());
  const bool for_openmpi = jobs.all_built_for_openmpi(source.built_for_openmpi());
  const std::string two_libraries = !for_openmpi && jobs.any_built_for_openmpi(source.built_for_openmpi())
                                        ? two_libraries_notice(machine, "jobs")
                                        : "";
  machine.collectives.settle(for_openmpi);
  if (jobs.several()) machine.program_ranks = source.ranks();
  machine.pairs = options.traffic;
  const std::size_t early = source.ranks_at_start();
  ReplayResult result{RunStatistics(early, source.services()), {}};
  result.openmpi_collectives = machine.collectives.library == CollectiveLibrary::openmpi;
  result.collectives = machine.collectives;
  std::vector<OperationObserver*> observers{&result.statistics};
  observers.insert(observers.end(), options.observers.begin(), options.observers.end());
  Progress progress(source, options.progress);
  if (options.progress) observers.push_back(&progress);
  std::optional<TraceWriter> writer;
  if (!options.write_trace.empty()) {
    TraceProperties properties =
        modelled_properties(platform, machine, trace.filename().string(), early, source.services());
    properties.tags_name_endpoints |= source.tags_name_endpoints();
    properties.built_for_openmpi = source.built_for_openmpi();
    properties.waits_for_switches = source.waits_for_switches();
    writer.emplace(options.write_trace, properties);
    observers.push_back(&*writer);
  }
  NetworkWatch watch(machine, options.counters, options.links, options.links_over_time, writer.has_value());
  std::optional<BackgroundUse> background;
  bool first_has_ended = false;
  const auto ended = [&](SimTime end) {
    watch.close(end);
    if (!std::exchange(first_has_ended, true)) background = background_use(machine);
  };
  CausalityObserver* causes = options.causes;
  const std::vector<OperationObserver*> parted = jobs.part(observers, causes, ended);
  Engine engine(machine, jobs.source(), parted, causes);
  std::string replaced;
  try {
    engine.run(ended);
  } catch (const Deadlock& deadlock) {
    if (!first_has_ended && writer && options.trace_kept)
      options.trace_kept(keep_broken_off(*writer, options.write_trace, "a deadlock"));
    if (!jobs.several()) throw;
    const Deadlock with_numbers = jobs.with_numbers(deadlock);
    if (!first_has_ended) throw with_numbers;
    result.stands_still = fmt::format("on {} {}; job 1 has ended, and its results are complete:\n{}",
                                      platform.name(), jobs.standing_still(), with_numbers.what());
  }
  if (writer) {
    writer->add(watch.metrics());
    replaced = writer->finish();
  }
  result.statistics.ran_on(engine.host_use());
  result.statistics.ran_beside(background);
  if (options.inspect) options.inspect(result.statistics, engine, machine);
  result.notices = source.notices();
  if (source.waits_for_switches())
    result.notices.push_back(
        fmt::format("{}: ranks waited for switches that add up; these waits last as long as they did on {}, "
                    "whatever the platform: replay the execution trace itself for others",
                    trace.string(), source.platform()));
  std::ranges::move(jobs.notices(), std::back_inserter(result.notices));
  if (!two_libraries.empty()) result.notices.push_back(two_libraries);
  if (!replaced.empty()) result.notices.push_back(std::move(replaced));
  result.jobs = jobs.results(trace.string(), result.statistics, machine);
  std::vector<std::string> found{surplus_notice(jobs.source().ranks(), placement)};
  // A deadlock's text has what was lost, and whose ranks are whose.
  if (result.stands_still.empty()) {
    found.push_back(engine.loss_report());
    // Tasks that place themselves are PVM's, which drops what waits for a task that exits.
    if (!source.places_its_ranks()) found.push_back(engine.unreceived_report());
    if (!engine.loss_report().empty() || !engine.unreceived_report().empty()) found.push_back(jobs.numbers());
  }
  for (std::string& notice : found)
    if (!notice.empty()) result.notices.push_back(std::move(notice));
  result.counters = watch.account().counters();
  result.links = watch.account().links();
  std::ranges::move(jobs.apart(machine, result.links), std::back_inserter(result.notices));
  result.history = watch.account().history();
  if (times) result.computed = times->computed();
  return result;
}

}  // namespace morgana
