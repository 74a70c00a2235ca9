#include "emulator/network/myrinet/mapping/exploration.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {
namespace {

std::vector<RouteByte> joined(std::vector<RouteByte> first, const std::vector<RouteByte>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Exploration::Exploration(HostName own_name, const MappingOptions& options)
    : own_name_(own_name), options_(options) {
  if (options.attempts < 1 || options.control_attempts < 1) {
    throw Error("a mapper sends every probe at least once");
  }
  if (options.most_ports < 1 || options.most_ports > widest_turn + 1) {
    throw Error(fmt::format("a mapper can't try {} ports: 1 to {}", options.most_ports, widest_turn + 1));
  }
  ask();
}

/// From a found switch back to the mapping host, out of the port that the way there came in by.
Exploration::RouteBytes Exploration::home_from(const Found& at) const {
  return joined({at.entry}, way_back(at.there));
}

void Exploration::ask() {
  tries_ = 0;
  const auto port = static_cast<RouteByte>(port_), entry = static_cast<RouteByte>(entry_);
  switch (step_) {
    case Step::own_port:
      probe_ = {{port}, {}};
      break;
    case Step::host:
      there_ = joined(found_[from_].there, {turn_byte(port - found_[from_].entry)});
      probe_ = {there_, way_back(there_)};
      break;
    case Step::any_switch:
      probe_ = {joined(joined(there_, {turn_byte(0)}), way_back(there_)), {}};
      break;
    case Step::control:
      probe_ = {joined(joined(found_[from_].there, {turn_byte(0)}), way_back(found_[from_].there)), {}};
      break;
    case Step::known_switch:
      probe_ = {joined(there_, home_from(found_[known_])), {}};
      break;
    case Step::entry:
      probe_ = {joined(joined(there_, {entry}), way_back(there_)), {}};
      break;
    case Step::done:
      break;
  }
}

void Exploration::tell(std::optional<HostName> answer) {
  ++probes_;
  const unsigned attempts = step_ == Step::control ? options_.control_attempts : options_.attempts;
  if (!answer && ++tries_ < attempts) return;
  learn(answer);
  ask();
}

void Exploration::learn(std::optional<HostName> answer) {
  const bool home = answer == own_name_;
  switch (step_) {
    case Step::own_port:
      if (home) {
        add({}, static_cast<RouteByte>(port_));
        hosts_.emplace(own_name_, SwitchPort{0, found_[0].entry});
        port_ = 0;
        return next_port();
      }
      if (++port_ < options_.most_ports) return;
      throw Error(
          fmt::format("host {} finds no switch at its cable: is it plugged in, at one of the first {} ports?",
                      own_name_, options_.most_ports));
    case Step::host: {
      if (!answer) {
        step_ = Step::any_switch;
        return;
      }
      const SwitchPort at{from_, static_cast<PortNumber>(port_)};
      if (!hosts_.emplace(*answer, at).second) {
        throw Error(fmt::format("host {} answers at two places: the network changed; map it again", *answer));
      }
      found_[from_].taken[port_] = true;
      return next_port();
    }
    case Step::any_switch:
      if (!home) {
        step_ = Step::control;
        return;
      }
      known_ = 0;
      return next_known();
    case Step::control:
      if (!home) {
        throw Error(
            fmt::format("a switch that was found is reached no more, after {} probes: the network "
                        "changed, or is blocked; map it again",
                        options_.control_attempts));
      }
      if (tries_ == 0) return next_port();  // nothing is there
      step_ = Step::host;                   // it was blocked
      return;
    case Step::known_switch:
      if (!home) {
        ++known_;
        return next_known();
      }
      entry_ = 0;
      return next_entry();
    case Step::entry:
      if (home) {
        plugged(static_cast<RouteByte>(entry_));
        return next_port();
      }
      ++entry_;
      return next_entry();
    case Step::done:
      return;
  }
}

/// To the next port that is still to be explored, on this switch or the next. Exploring a switch appends
/// those that it leads to.
void Exploration::next_port() {
  for (; from_ < found_.size(); ++from_, port_ = 0) {
    const Found& at = found_[from_];
    while (port_ < options_.most_ports && (at.taken[port_] || at.explored[port_])) ++port_;
    if (port_ == options_.most_ports) continue;
    found_[from_].explored[port_] = true;
    step_ = Step::host;
    return;
  }
  step_ = Step::done;
}

/// A cable may lead to a switch if that has a port at which nothing is known to be; of an explored one, too:
/// a probe may have got lost there.
bool Exploration::may_be(const Found& known) const {
  return std::find(known.taken.begin(), known.taken.end(), false) != known.taken.end();
}

void Exploration::next_known() {
  step_ = Step::known_switch;
  while (known_ < found_.size() && !may_be(found_[known_])) ++known_;
  if (known_ < found_.size()) return;
  entry_ = 0;
  next_entry();
}

void Exploration::next_entry() {
  step_ = Step::entry;
  const bool is_new = known_ == found_.size();
  // The port that is being explored is no other cable's end; it may be a loop's, but not its own.
  const auto impossible = [&](unsigned entry) {
    return !is_new && (found_[known_].taken[entry] || (known_ == from_ && entry == port_));
  };
  while (entry_ < options_.most_ports && impossible(entry_)) ++entry_;
  if (entry_ < options_.most_ports) return;
  throw Error(
      fmt::format("a switch answers, but at none of its first {} ports: it has more, or probes get lost",
                  options_.most_ports));
}

/// The cable that is being explored comes in at that port.
void Exploration::plugged(RouteByte entry) {
  if (known_ == found_.size()) {
    add(there_, entry);
  } else {
    found_[known_].taken[entry] = true;
  }
  found_[from_].taken[port_] = true;
  cables_.push_back({{from_, static_cast<PortNumber>(port_)}, {known_, entry}});
}

void Exploration::add(RouteBytes there, RouteByte entry) {
  const std::vector<bool> none(options_.most_ports);
  found_.push_back({std::move(there), entry, none, none});
  found_.back().taken[entry] = true;
}

NetworkMap Exploration::map() const {
  NetworkMap map;
  map.probes = probes_;
  for (std::size_t n = 0; n < found_.size(); ++n) map.graph.add_switch(options_.most_ports);
  for (const auto& [name, at] : hosts_) {
    const HostNumber host = map.graph.add_host(at);
    map.names.push_back(name);
    if (name == own_name_) map.mapper = host;
  }
  for (const auto& [a, b] : cables_) map.graph.connect(a, b);
  return map;
}

}  // namespace morgana
