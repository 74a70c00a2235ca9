#include "emulator/topology/fault.h"

#include <algorithm>
#include <set>
#include <utility>

namespace morgana {

namespace {

/// Calls visit(channel, fault) for each channel that a fault takes down.
template <typename Visit>
void for_channels_down(const SwitchGraph& graph, const NetworkFaults& faults, Visit visit) {
  const auto visit_cable = [&](SwitchPort end, const NetworkFault& fault) {
    const Neighbour& other = graph.neighbour(end);
    if (other.is_nothing()) return;
    visit(graph.channel_from(end), fault);
    visit(
        other.is_host() ? graph.channel_from(HostNumber{other.id}) : graph.channel_from(other.switch_port()),
        fault);
  };
  for (const NetworkFault& fault : faults) {
    if (fault.part == NetworkFault::Part::cable) {
      visit_cable(fault.at, fault);
      continue;
    }
    for (unsigned port = 0; port < graph.ports(fault.at.at); ++port)
      visit_cable({fault.at.at, static_cast<PortNumber>(port)}, fault);
  }
}

}  // namespace

std::vector<SimTime> times_of_death(const SwitchGraph& graph, const NetworkFaults& faults) {
  std::vector<SimTime> times(graph.channels(), SimTime::max());
  for_channels_down(graph, faults, [&](CableChannel channel, const NetworkFault& fault) {
    times[channel] = std::min(times[channel], fault.when);
  });
  return times;
}

Outages::Outages(const SwitchGraph& graph, const NetworkFaults& faults) {
  if (faults.empty()) return;
  times_.resize(graph.channels());
  for_channels_down(graph, faults, [&](CableChannel channel, const NetworkFault& fault) {
    times_[channel].push_back({fault.when, fault.until});
  });
  std::set<SimTime> changes;
  for (std::vector<Span>& spans : times_) {
    std::ranges::sort(spans, {}, &Span::from);
    std::vector<Span> apart;
    for (const Span& span : spans) {
      if (!apart.empty() && span.from <= apart.back().until)
        apart.back().until = std::max(apart.back().until, span.until);
      else
        apart.push_back(span);
    }
    spans = std::move(apart);
    for (const Span& span : spans) {
      changes.insert(span.from);
      if (span.until != SimTime::max()) changes.insert(span.until);
    }
  }
  changes_.assign(changes.begin(), changes.end());
}

bool Outages::is_down(CableChannel channel, SimTime at) const {
  if (!any()) return false;
  return std::ranges::any_of(times_[channel],
                             [&](const Span& span) { return span.from <= at && at < span.until; });
}

SimTime Outages::next_down(CableChannel channel, SimTime after) const {
  if (!any()) return SimTime::max();
  for (const Span& span : times_[channel])
    if (span.from > after) return span.from;
  return SimTime::max();
}

}  // namespace morgana
