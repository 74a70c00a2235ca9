#include "runs/collective_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/collectives/nccl/nccl_tuner.h"
#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/engine/engine.h"
#include "emulator/operations/collective_names.h"
#include "emulator/report/limits/bottleneck.h"
#include "emulator/report/limits/communication_limit.h"
#include "emulator/report/limits/critical_path.h"
#include "emulator/report/limits/link_tiers.h"
#include "emulator/report/readable.h"
#include "replay/network_watch.h"
#include "runs/path_alone.h"
#include "runs/scripted_ranks.h"

namespace morgana {
namespace {

constexpr const char* automatic_choice = "auto";

/// "\"ring\", \"tree\"": what NCCL has for a collective.
std::string nccl_names(MeasuredCollective collective) {
  std::string names;
  for (const nccl::Algorithm one : nccl::algorithms_for(collective))
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", nccl::name_of(one));
  return names;
}

/// Nothing for none of that name.
template <class Choice, std::size_t count>
std::optional<Choice> choice_named(const std::string& name, const std::array<Choice, count>& all) {
  const auto found = std::ranges::find(all, name, [](Choice one) { return nccl::name_of(one); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

/// @throws Error if there is none of that name, naming those for the collective
std::optional<nccl::Algorithm> nccl_algorithm(const std::string& name, MeasuredCollective collective) {
  using nccl::Algorithm;
  if (name == automatic_choice) return std::nullopt;
  if (const auto found = choice_named(name, std::array{Algorithm::ring, Algorithm::tree, Algorithm::direct,
                                                       Algorithm::pat, Algorithm::nvls, Algorithm::nvls_tree,
                                                       Algorithm::collnet_chain, Algorithm::collnet_direct}))
    return found;
  throw Error(fmt::format("NCCL has no algorithm \"{}\" for {} here; choose {} or \"auto\"", name,
                          name_of(collective), nccl_names(collective)));
}

std::optional<nccl::Protocol> nccl_protocol(const std::string& name) {
  using nccl::Protocol;
  if (name == automatic_choice) return std::nullopt;
  if (const auto found = choice_named(name, std::array{Protocol::ll, Protocol::ll128, Protocol::simple}))
    return found;
  throw Error(fmt::format(
      "NCCL has no protocol \"{}\" here; choose \"ll\", \"ll128\", \"simple\" or \"auto\"", name));
}

/// The end of a refusal: what the other library has.
std::string nccl_algorithms_for(MeasuredCollective collective) {
  const std::string names = nccl_names(collective);
  return names.empty() ? "" : fmt::format("; NCCL (--library nccl) has {}", names);
}

}  // namespace

namespace {

constexpr const char* latencies_and_hosts = "latencies, and what the hosts do";

LinkedHosts linked_hosts(const Platform& platform) {
  return platform.collective_library() == CollectiveLibrary::nccl ? LinkedHosts::gpus
                                                                  : LinkedHosts::computers;
}

/// @param otherwise  what takes the time where no link does
/// @param path  null: not known
void name_limits(CollectiveTime& measured, const NetworkLoads& links, LinkedHosts hosts,
                 const std::string& otherwise, const CriticalPath* path = nullptr) {
  constexpr std::size_t most = 3;
  constexpr double least = 0.5;
  const std::vector<LinkTier> tiers = link_tiers(links, hosts);
  if (tiers.empty()) return;
  const LinkTier& busiest = busiest_tier(tiers);
  if (links_limit(links, path))
    measured.limit = limiting_tier_text(loads_that_hold_up(links, path), hosts);
  else if (busiest.busiest > least)
    measured.limit = fmt::format("{}; {} for {} of the time", otherwise, are_busy(busiest),
                                 readable_share(busiest.busiest));
  else
    measured.limit = is_one_medium(links) ? fmt::format("{} is busy for {} of the time: {}", busiest.name,
                                                        readable_share(busiest.busiest), otherwise)
                                          : fmt::format("no {} is busy for half of the time: {}",
                                                        links.loads.empty() ? "host" : "link", otherwise);
  measured.busiest = busiest_links_text(links, most, least);
}

/// "on the critical path copies, reductions and calls on hosts take 71.2 %, ...": the greatest first.
std::string parts_of(const CriticalPath& path) {
  struct Part {
    PathKind kind;
    const char* name;
  };
  std::array parts{Part{PathKind::host, "copies, reductions and calls on hosts"},
                   Part{PathKind::protocol, "the protocol's requests and answers"},
                   Part{PathKind::wire, "NICs and network"},
                   Part{PathKind::retransmission, "retransmission timers"}};
  std::ranges::stable_sort(parts, std::greater<>(), [&](const Part& one) { return path.time(one.kind); });
  SimTime all;  // but what ranks wait until background traffic has settled
  for (const Part& one : parts) all += path.time(one.kind);
  if (all == SimTime()) return latencies_and_hosts;
  std::string text;
  for (const Part& one : parts)
    if (path.time(one.kind) > SimTime()) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.name,
                          readable_share(path.time(one.kind).seconds() / all.seconds()));
      if (const std::string divided = network_parts_text(path, all.seconds());
          one.kind == PathKind::wire && !divided.empty())
        text += fmt::format(" ({})", divided);
    }
  return "of the critical path " + text;
}

}  // namespace

CollectiveTimer::CollectiveTimer(Platform platform, CollectiveLibrary library, Group group)
    : platform_(std::move(platform)),
      group_(std::move(group)),
      library_(library == CollectiveLibrary::automatic ? CollectiveLibrary::mpich : library) {
  if (library_ == CollectiveLibrary::nccl)
    nccl_.emplace(platform_, group_.ranks, group_.placement, group_.seed);
  else if (const auto tuner = platform_.nccl().tuner)
    nccl::refuse_tuner(*tuner);
}

nccl::Choice CollectiveTimer::nccl_choice(Bytes bytes, const How& how) const {
  return nccl_->choose(group_.collective, bytes.count(), nccl_algorithm(how.algorithm, group_.collective),
                       nccl_protocol(how.protocol));
}

/// With the algorithm that is asked for.
Machine CollectiveTimer::mpi_machine(const How& how) const {
  if (how.protocol != automatic_choice)
    throw Error(fmt::format("{} has no protocol \"{}\": protocols are NCCL's (--library nccl)",
                            library_ == CollectiveLibrary::openmpi ? "Open MPI" : "MPICH", how.protocol));
  Machine machine = platform_.build(group_.ranks, group_.placement, group_.seed);
  machine.collectives.library = library_;
  if (how.algorithm != automatic_choice) {
    machine.collectives.algorithm[std::string(name_of(kind_of(group_.collective)))] = how.algorithm;
    try {
      check(machine.collectives);
    } catch (const Error& refused) {
      throw Error(fmt::format("{}, or \"auto\" for the library's choice by size{}", refused.what(),
                              nccl_algorithms_for(group_.collective)));
    }
  }
  return machine;
}

/// What each rank passes to MPI's call.
Bytes CollectiveTimer::given(Bytes bytes) const {
  return has_blocks(group_.collective) ? Bytes(bytes.count() / static_cast<std::int64_t>(group_.ranks))
                                       : bytes;
}

std::string CollectiveTimer::mpi_algorithm(Bytes bytes, const How& how, const Machine& machine) const {
  CollectivePart part;
  part.kind = kind_of(group_.collective);
  part.bytes = given(bytes);
  part.element = measured_element;
  std::string algorithm = algorithm_text(part, static_cast<std::int32_t>(group_.ranks), machine.collectives);
  return algorithm.empty() ? how.algorithm : algorithm;
}

CollectiveTime CollectiveTimer::time_of_mpi(Bytes bytes, const How& how) const {
  Machine machine = mpi_machine(how);
  const SimTime start = machine.background ? machine.background->settles_after() : SimTime();
  ScriptedRanks ranks(group_.ranks);
  ranks.start_at(start);
  for (std::size_t i = 0; i < group_.ranks; ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    ranks.collective(rank, kind_of(group_.collective), given(bytes), measured_element);
    ranks.exit(rank);
  }
  constexpr std::size_t longest_path = 4'000'000;  // stretches and waits, 60 B each
  CriticalPathRecorder causes(longest_path);
  const std::array<OperationObserver*, 1> observers{&causes};
  Engine engine(machine, ranks, observers, &causes);
  NetworkWatch watch(machine, true, true, false, false);
  CollectiveTime measured;
  try {
    const std::vector<SimTime> ends = engine.run([&watch](SimTime end) { watch.close(end); });
    const SimTime end = *std::max_element(ends.begin(), ends.end());
    watch.close(end);  // unless the run has
    measured.time = end - start;
    std::optional<CriticalPath> path;
    if (causes.has_path()) path = causes.path();
    if (path) find_alone(*path, platform_, group_.ranks, group_.placement, group_.seed);
    name_limits(measured, loads_of_program(watch.account().links(), watch.account().counters(), end),
                linked_hosts(platform_), path ? parts_of(*path) : latencies_and_hosts,
                path ? &*path : nullptr);
    return measured;
  } catch (const Deadlock&) {
    throw Error(platform_.name() + ": " +
                never_arrived(machine, fmt::format("a message of {} of {}", name_of(group_.collective),
                                                   to_text(bytes))));
  }
}

std::string CollectiveTimer::carried_out_by(Bytes bytes, const How& how) const {
  if (!nccl_) return mpi_algorithm(bytes, how, mpi_machine(how));
  const nccl::Choice choice = nccl_choice(bytes, how);
  std::string text = fmt::format("{} {}", nccl::name_of(choice.algorithm), nccl::name_of(choice.protocol));
  if (choice.tuner_line > 0) text += fmt::format(" (tuner, line {})", choice.tuner_line);
  return text;
}

CollectiveTime CollectiveTimer::time(Bytes bytes, const How& how,
                                     const std::function<void(double)>& progress) const {
  CollectiveTime measured;
  measured.carried_out_by = carried_out_by(bytes, how);
  Way way{bytes, measured.carried_out_by,
          library_ == CollectiveLibrary::openmpi && how.algorithm != automatic_choice};
  std::string carried_out_by = measured.carried_out_by;
  if (const auto known = known_.find(way); known != known_.end()) {
    measured = known->second;
  } else if (nccl_) {
    NetworkLinks links;
    measured.time = nccl_->time_of(nccl_->plan(group_.collective, bytes.count(), nccl_choice(bytes, how)),
                                   progress, &links);
    name_limits(measured, links, linked_hosts(platform_), "latencies, and what the GPUs do");
  } else {
    measured = time_of_mpi(bytes, how);
  }
  known_.emplace(std::move(way), measured);
  measured.carried_out_by = std::move(carried_out_by);
  if (measured.time > SimTime())
    measured.algorithm_bandwidth = static_cast<double>(bytes.count()) / measured.time.seconds();
  measured.bus_bandwidth = measured.algorithm_bandwidth * bus_factor(group_.collective, group_.ranks);
  return measured;
}

}  // namespace morgana
