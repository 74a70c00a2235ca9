#include "emulator/network/myrinet/channel_loads.h"

namespace morgana::myrinet {
namespace {

double share_of_window(SimTime part, SimTime whole) {
  return whole > SimTime() ? static_cast<double>(part.ps()) / static_cast<double>(whole.ps()) : 0;
}

}  // namespace

ChannelLoads::ChannelLoads(Agenda agenda, WormChannels& channels, const FlitRuns& runs)
    : agenda_(agenda),
      channels_(channels),
      runs_(runs),
      start_(agenda.now()),
      before_(channels.count()),
      followed_(channels.all().size()) {}

void ChannelLoads::begin_window() {
  start_ = agenda_.now();
  for (Index index = 0; index < channels_.count(); ++index) {
    Channel& channel = channels_.all()[index];
    before_[index] += flits_carried(index);
    channel.stopped_for = 0;
    if (channel.stopped) channel.stopped_since = agenda_.now();
  }
}

std::int64_t ChannelLoads::flits_carried(Index index) const {
  const Channel& channel = channels_[index];
  return (channel.dead ? channel.carried_in_life : runs_.started(channel)) - before_[index];
}

SimTime ChannelLoads::time_stopped(Index index) const {
  const Channel& channel = channels_[index];
  return SimTime::from_ps(channel.stopped_for +
                          (channel.stopped ? agenda_.now() - channel.stopped_since : 0));
}

double ChannelLoads::utilisation(Index channel) const {
  if (window() == 0) return 0;
  return static_cast<double>(flits_carried(channel)) * static_cast<double>(runs_.flit()) /
         static_cast<double>(window());
}

NetworkLinks ChannelLoads::links(SimTime until) const {
  const SimTime time = until - SimTime::from_ps(start_);
  NetworkLinks links{"flits", {}};
  for (Index index = 0; index < channels_.count(); ++index) {
    const Channel& channel = channels_[index];
    if (channel.at == none) continue;
    const std::int64_t flits = flits_carried(index);
    SimTime stopped = time_stopped(index);
    if (channel.stopped) stopped = stopped + (until - SimTime::from_ps(agenda_.now()));
    links.loads.push_back({channels_.sender(index), channels_.receiver(index), flits,
                           share_of_window(SimTime::from_ps(runs_.flit()) * flits, time),
                           share_of_window(stopped, time)});
    links.loads.back().of_program = followed_ports_.empty() || followed_[index];
  }
  return links;
}

}  // namespace morgana::myrinet
