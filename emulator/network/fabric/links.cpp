#include "emulator/network/fabric/links.h"

#include <algorithm>
#include <map>
#include <utility>

namespace morgana::fabric {

Links::Links(const CabledGraph& network, const FabricParameters& parameters, const VirtualChannels& channels)
    : channels_(channels),
      limits_{parameters.output_queue, parameters.marks},
      pause_delay_(parameters.shared.pause_delay),
      pause_frame_(parameters.shared.pause_frame),
      gap_(parameters.packet.gap),
      unit_bytes_(parameters.credit_unit.count()),
      has_credits_(parameters.flow_control == FlowControl::credits),
      ends_(network.graph.channels()),
      seldom_(ends_.size()),
      pauses_(parameters.flow_control == FlowControl::pause ? ends_.size() : 0),
      counts_(ends_.size(), channels.count()) {
  if (can_pause()) causes_.emplace(ends_.size(), channels.groups());
  const std::vector<Link> links = network.links();
  std::map<std::pair<std::int64_t, SimTime>, std::uint32_t> known;
  for (CableChannel channel = 0; channel < ends_.size(); ++channel) {
    const Link& link = links[channel];
    const auto [place, is_new] = known.try_emplace({link.rate.bits_per_second(), link.propagation},
                                                   static_cast<std::uint32_t>(cables_.size()));
    if (is_new)
      cables_.push_back({.rate = link.rate,
                         .propagation = link.propagation,
                         .gap = link.rate.time_for(parameters.packet.gap),
                         .credits_take = link.propagation + parameters.credit_delay,
                         .timed = {}});
    ends_[channel].cable = place->second;
    ends_[channel].to = network.graph.receiver(channel);
  }
  if (!has_credits_) return;
  more_credits_.reserve(ends_.size() * (channels.count() - 1));
  for (End& end : ends_) {
    const Bytes buffer = end.to.is_host() ? parameters.host_buffer : parameters.buffer;
    capacity_.push_back(std::min(buffer.count() / unit_bytes_, Credits::most));
    end.credits = Credits(capacity_.back());
    more_credits_.insert(more_credits_.end(), channels.count() - 1, end.credits);
  }
}

void Links::slow_down(CableChannel channel, BitRate rate) {
  const Cable its = cable(channel);
  cables_.push_back({.rate = rate,
                     .propagation = its.propagation,
                     .gap = rate.time_for(gap_),
                     .credits_take = its.credits_take,
                     .timed = {}});
  ends_[channel].cable = static_cast<std::uint32_t>(cables_.size() - 1);
}

unsigned Links::emptiest_lane(CableChannel channel, unsigned group, SimTime now) {
  const unsigned first = channels_.first_of(group);
  unsigned best = first;
  std::int64_t most = credits(channel, first).free(now, later_);
  for (unsigned lane = first + 1; lane < first + channels_.lanes; ++lane) {
    if (const std::int64_t free = credits(channel, lane).free(now, later_); free > most) {
      most = free;
      best = lane;
    }
  }
  return best;
}

SimTime Links::credits_at(CableChannel channel, unsigned group, std::int64_t units, SimTime now) {
  const unsigned first = channels_.first_of(group);
  SimTime soonest = SimTime::max();
  for (unsigned lane = first; lane < first + channels_.lanes; ++lane)
    soonest = std::min(soonest, credits(channel, lane).when(units, now, later_));
  return soonest;
}

std::int64_t Links::units_out(CableChannel channel, SimTime now) {
  if (!has_credits_) return 0;
  std::int64_t out = 0;
  for (unsigned one = 0; one < channels_.count(); ++one)
    out += capacity_[channel] - credits(channel, one).free(now, later_);
  return out;
}

SimTime Links::start_pause_frame(CableChannel channel, CableChannel reverse, GroupSet paused, SimTime now) {
  End& end = ends_[channel];
  end_stall(channel, now);
  Cable& its = cables_[end.cable];
  const SimTime left = now + its.time_for(pause_frame_);
  end.free = left + its.gap;
  end.busy += end.free - now;
  counts_.send_pause_frame(channel);
  const SimTime effect = left + its.propagation + pause_delay_;
  pauses_[reverse].tell(effect, paused);
  return effect;
}

void Links::end_stall_that_is(CableChannel channel, SimTime now) {
  Seldom& seldom = seldom_[channel];
  seldom.stalled += now - seldom.stalled_since;
  ends_[channel].stalls = false;
}

void Links::set_down(CableChannel channel, bool down, SimTime now) {
  ends_[channel].down = down;
  end_stall(channel, now);
}

void Links::stall(CableChannel channel, SimTime now) {
  if (ends_[channel].stalls) return;
  ends_[channel].stalls = true;
  seldom_[channel].stalled_since = now;
}

Bytes Links::sent(CableChannel channel) const {
  const LinkCount all = counts_.carried(channel);
  return Bytes(all.bytes) + all.packets * gap_;
}

SimTime Links::busy(CableChannel channel, SimTime until) const {
  const End& end = ends_[channel];
  return end.free > until ? end.busy - (end.free - until) : end.busy;
}

SimTime Links::stalled(CableChannel channel, SimTime until) const {
  const SimTime since = seldom_[channel].stalled_since, ended = seldom_[channel].stalled;
  return stalls(channel) && until > since ? ended + (until - since) : ended;
}

std::int64_t Links::free_units(CableChannel channel, unsigned virtual_channel, SimTime now) {
  return !has_credits_ ? 0 : credits(channel, virtual_channel).free(now, later_);
}

}  // namespace morgana::fabric
