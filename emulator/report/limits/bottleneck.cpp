#include "emulator/report/limits/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>

#include "emulator/report/limits/communication_limit.h"
#include "emulator/report/limits/critical_path_report.h"
#include "emulator/report/limits/link_tiers.h"
#include "emulator/report/link_report.h"
#include "emulator/report/readable.h"

namespace morgana {
namespace {

/// Of a link that others wait for.
constexpr double telling_utilisation = 0.5;
/// Of a link that its receiver keeps from sending.
constexpr double telling_stop = 0.01;
constexpr double least_share_named = 0.0005;       // less is 0.0 %
constexpr std::string_view placed_by_pvm = "pvm";  // in place of a placement
constexpr std::size_t busiest_shown = 3, congested_shown = 2;

std::string imbalance_of(const RunStatistics& statistics) {
  const auto ranks = statistics.ranks();
  if (ranks.size() < 2) return "";
  double sum = 0, most = 0;
  std::size_t who = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double one = ranks[i].compute().seconds();
    sum += one;
    if (one <= most) continue;
    most = one;
    who = i;
  }
  const double mean = sum / static_cast<double>(ranks.size());
  constexpr double least_share = 0.005;  // of the run, by which others would have to wait
  if (!(mean > 0) || most - mean < least_share * statistics.simulated_time().seconds()) return "";
  return fmt::format("rank {} computes longest, {:.2f} times the mean ({} against {})",
                     statistics.first_rank() + who, most / mean, readable_seconds(most),
                     readable_seconds(mean));
}

std::string waiting_of(const RunStatistics& statistics) {
  CallUse all;
  for (const CallUse& use : statistics.calls()) {
    all.late_sender += use.late_sender;
    all.late_receiver += use.late_receiver;
    all.collective_wait += use.collective_wait;
  }
  const double time = statistics.total().time().seconds();
  if (all.waiting() == SimTime() || !(time > 0)) return "";
  std::string parts;
  const auto add = [&](const char* name, SimTime part) {
    if (part > SimTime())
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, readable_share(part.seconds() / time));
  };
  add("late senders", all.late_sender);
  add("late receivers", all.late_receiver);
  add("others in collectives", all.collective_wait);
  return fmt::format("{} of the ranks' time for ranks that come later: {}",
                     readable_share(all.waiting().seconds() / time), parts);
}

constexpr const char* of_job = "; of the links that job 1 used";
constexpr const char* of_program = "; of the links that the program used";
constexpr const char* of_all = "; of all links, those that only others used included";

/// What counters are of, where that is not the program alone.
std::string whose(std::size_t jobs, bool background) {
  std::string text;
  if (jobs > 1) text = fmt::format("of all {} jobs", jobs);
  if (background) text += jobs > 1 ? " and the background" : "of the program and the background";
  return text.empty() ? text : text + ", ";
}

std::string text_of(const PauseReport::Link& link) {
  return text_of(LinkLoad{link.from, link.to, 0, 0, {}, {}});
}

/// "job 1 (62.0 %), job 2 (38.0 %)"; of one job, which has others' background beside it, "the program's hosts
/// (62.0 %), other hosts (38.0 %)"; without jobs "15 hosts, most by host 3 (8.1 %)".
std::string senders_of(const PauseReport::Congested& congested, std::span<const JobResult> jobs) {
  if (congested.senders.empty()) return "";
  if (jobs.empty()) {
    const auto& [host, share] = congested.senders.front();
    if (congested.senders.size() == 1) return fmt::format("host {}", host);
    return fmt::format("{} hosts, most by host {} ({})", congested.senders.size(), host,
                       readable_share(share));
  }
  std::vector<double> shares(jobs.size() + 1);  // the last one: others'
  for (const auto& [host, share] : congested.senders) {
    const auto job = std::ranges::find_if(jobs, [&, number = host](const JobResult& one) {
      return std::ranges::binary_search(one.host_numbers, number);
    });
    shares[static_cast<std::size_t>(job - jobs.begin())] += share;
  }
  std::string text;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] >= least_share_named)
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ",
                          i == jobs.size()   ? "other hosts"
                          : jobs.size() == 1 ? "the program's hosts"
                                             : fmt::format("job {}", i + 1),
                          readable_share(shares[i]));
  return text;
}

/// The program as the one job, by its links from hosts; none where these are not known.
std::vector<JobResult> job_beside_background(const NetworkLinks& links) {
  std::vector<JobResult> jobs;
  if (links.others_unknown) return jobs;
  std::set<std::int64_t> hosts;
  for (const LinkLoad& link : links.loads)
    if (link.from.is_host() && link.of_program) hosts.insert(link.from.number);
  if (!hosts.empty()) jobs.emplace_back().host_numbers.assign(hosts.begin(), hosts.end());
  return jobs;
}

bool between_switches(const LinkLoad& link) {
  return !link.from.is_host() && !link.to.is_host();
}

}  // namespace

std::string trouble_text(std::span<const TroubleCount> troubles) {
  std::string text, title;
  for (const TroubleCount& one : troubles) {
    if (one.count == 0) continue;
    if (one.title == title)
      text += ", ";
    else
      text += fmt::format("{}{}: ", text.empty() ? "" : "; ", one.title);
    title = one.title;
    text += fmt::format("{} {}", one.count, one.name);
  }
  return text;
}

std::string busiest_links_text(const NetworkLinks& links, std::size_t most, double least) {
  std::vector<const LinkLoad*> busy;
  for (const LinkLoad& link : links.loads)
    if (link.utilisation > least) busy.push_back(&link);
  std::ranges::stable_sort(busy, std::greater<>(), &LinkLoad::utilisation);
  busy.resize(std::min(most, busy.size()));
  std::string text;
  for (const LinkLoad* const link : busy)
    text += fmt::format(
        "{}{} ({}{})", text.empty() ? "" : ", ", text_of(*link), readable_share(link->utilisation),
        link->stopped.value_or(0) > telling_stop ? ", held up " + readable_share(*link->stopped)
                                                 : std::string());
  return text;
}

std::string pauses_text(const PauseReport& pauses, std::span<const JobResult> jobs) {
  if (pauses.paused.empty()) return "";
  std::string text;
  if (pauses.paused.size() > 1) text = fmt::format("{} links, most of all ", pauses.paused.size());
  for (std::size_t i = 0; i < std::min(busiest_shown, pauses.paused.size()); ++i) {
    const PauseReport::Paused& one = pauses.paused[i];
    text += fmt::format("{}{} (traffic class {} for {} of the run)", i == 0 ? "" : ", ", text_of(one.link),
                        one.traffic_class, readable_share(one.share));
  }
  for (std::size_t i = 0; i < std::min(congested_shown, pauses.congested.size()); ++i) {
    const PauseReport::Congested& one = pauses.congested[i];
    const bool by_host = std::ranges::any_of(pauses.paused, [&](const PauseReport::Paused& paused) {
      return paused.link == one.link && paused.cause == one.link && paused.traffic_class == one.traffic_class;
    });
    if (by_host) {  // a storm
      text +=
          fmt::format("; {}{} itself, which pauses {} (traffic class {})", i == 0 ? "the cause is " : "also ",
                      text_of(one.link.to), text_of(one.link), one.traffic_class);
      continue;
    }
    text +=
        fmt::format("; {} the queue of {} (traffic class {})",
                    i == 0 ? "the cause is congestion in" : "also in", text_of(one.link), one.traffic_class);
    if (const std::string senders = senders_of(one, jobs); !senders.empty()) text += ", filled by " + senders;
  }
  if (pauses.congested.size() > congested_shown)
    text += fmt::format("; and {} more", pauses.congested.size() - congested_shown);
  return text;
}

std::string idle_cables_text(const NetworkLinks& links, std::string_view map, bool beside_others) {
  bool any_between = false;
  std::set<std::string> switches;
  for (const LinkLoad& link : links.loads) {
    if (between_switches(link)) {
      if (link.carried > 0 && link.of_program) return "";
      any_between = true;
    } else if (link.carried > 0 && link.of_program) {
      switches.insert(text_of(link.from.is_host() ? link.to : link.from));
    }
  }
  if (!any_between || switches.empty()) return "";
  std::string none =
      fmt::format("no message{} crossed a cable between switches", beside_others ? " of the program" : "");
  if (switches.size() > 1) return none;
  if (map.empty())
    return fmt::format("no message{} went through a NIC: all GPUs in use are in one node, at {}",
                       beside_others ? " of the program" : "", *switches.begin());
  std::string text = fmt::format("{}: all {} are at {}", none, beside_others ? "its hosts" : "hosts in use",
                                 *switches.begin());
  if (map == placed_by_pvm) return text;
  return text +
         fmt::format("; {}",
                     map == "spread" || map.starts_with("spread:") ? "set hosts.count higher, or leave it out"
                     : map.starts_with("block:") || map.starts_with("cyclic:")
                         ? "--map spread with --ranks-per-host places them at equal distances over all hosts"
                         : "--map spread places ranks at equal distances over all hosts");
}

NetworkLinks links_of_program(const NetworkLinks& links) {
  NetworkLinks own{links.unit, {}, links.others_unknown};
  std::ranges::copy_if(links.loads, std::back_inserter(own.loads), &LinkLoad::of_program);
  return own;
}

NetworkLoads loads_of_program(const NetworkLinks& links, std::span<const CounterTable> counters,
                              SimTime end) {
  NetworkLoads loads(links_of_program(links));
  const bool uses_no_link = loads.loads.empty() && !links.loads.empty();
  if (end == SimTime() || uses_no_link) return loads;
  std::set<std::uint32_t> hosts;
  for (const LinkLoad& link : loads.loads)
    for (const LinkEnd& one : {link.from, link.to})
      if (one.is_host()) hosts.insert({one.number, one.on_rail ? one.on_rail->number : one.number});
  for (ResourceLoad& one : resources_in(counters, end))
    // A memory has its host's number, links and buses have those of the host's NICs.
    if (hosts.empty() || one.place == ResourceLoad::Place::shared ||
        one.place == ResourceLoad::Place::memory || hosts.contains(one.number))
      loads.resources.push_back(std::move(one));
  return loads;
}

std::vector<BottleneckLine> bottleneck_lines(const RunStatistics& statistics, const CriticalPath* path,
                                             std::span<const CounterTable> counters,
                                             const NetworkLinks& links, const StragglerReport* straggler,
                                             std::string_view map, std::span<const JobResult> several,
                                             const ExecutionUse* execution) {
  const std::size_t jobs = std::max<std::size_t>(1, several.size());
  std::vector<BottleneckLine> lines;
  const auto add = [&](const char* label, std::string text) {
    if (!text.empty()) lines.push_back({label, std::move(text)});
  };
  if (path != nullptr) add("critical path", critical_path_shares(*path, statistics.first_rank()));
  add("imbalance", imbalance_of(statistics));
  if (straggler != nullptr) add("straggler", straggler_text(*straggler));
  add("waiting", waiting_of(statistics));
  const std::string trouble = trouble_text(troubles_in(counters));
  if (!trouble.empty()) add("trouble", whose(jobs, statistics.background().has_value()) + trouble);
  add("pauses", several.empty() && statistics.background()
                    ? pauses_text(pauses_in(counters), job_beside_background(links))
                    : pauses_text(pauses_in(counters), several));
  const NetworkLinks own = links_of_program(links);
  const bool others = std::ranges::any_of(
      links.loads, [](const LinkLoad& link) { return !link.of_program && link.utilisation > 0; });
  const auto add_links = [&](const char* label, const std::string& text) {
    if (!text.empty())
      add(label, text + (links.others_unknown ? of_all : !others ? "" : jobs > 1 ? of_job : of_program));
  };
  add_links("limit",
            limit_text(statistics, path, loads_of_program(links, counters, statistics.simulated_time()),
                       execution, map.empty() ? LinkedHosts::gpus : LinkedHosts::computers));
  add_links("busiest links",
            busiest_links_text(own, busiest_shown, trouble.empty() ? telling_utilisation : 0));
  const bool places_itself = !map.empty() && statistics.first_rank() > 0;  // PVM's daemon comes first
  add("idle cables", idle_cables_text(links, places_itself ? placed_by_pvm : map,
                                      jobs > 1 || statistics.background().has_value()));
  return lines;
}

std::string bottleneck_text(std::span<const BottleneckLine> lines) {
  std::string text;
  for (const BottleneckLine& line : lines) text += fmt::format("{:<16}{}\n", line.label, line.text);
  return text;
}

}  // namespace morgana
