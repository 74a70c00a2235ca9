#include "emulator/network/fabric/links.h"

#include <algorithm>

namespace morgana::fabric {

Links::Links(const CabledGraph& network, const FabricParameters& parameters, const VirtualChannels& channels)
    : channels_(channels),
      credit_delay_(parameters.credit_delay),
      pause_delay_(parameters.shared.pause_delay),
      pause_frame_(parameters.shared.pause_frame),
      gap_(parameters.packet.gap),
      unit_bytes_(parameters.credit_unit.count()),
      ends_(network.graph.channels()),
      seldom_(ends_.size()),
      down_(ends_.size()),
      pauses_(parameters.flow_control == FlowControl::pause ? ends_.size() : 0),
      counts_(network.graph.channels() * channels.count()),
      marked_(counts_.size()),
      trimmed_(counts_.size()) {
  if (can_pause()) causes_.emplace(ends_.size(), channels.groups());
  const std::vector<Link> links = network.links();
  for (CableChannel channel = 0; channel < ends_.size(); ++channel) {
    End& end = ends_[channel];
    seldom_[channel].rate = links[channel].rate;
    end.propagation = links[channel].propagation;
    end.gap = rate(channel).time_for(parameters.packet.gap);
    end.to = network.graph.receiver(channel);
  }
  if (parameters.flow_control != FlowControl::credits) return;
  credits_.reserve(counts_.size());
  for (const End& end : ends_) {
    const Bytes buffer = end.to.is_host() ? parameters.host_buffer : parameters.buffer;
    capacity_.push_back(buffer.count() / unit_bytes_);
    for (unsigned one = 0; one < channels.count(); ++one) credits_.emplace_back(capacity_.back());
  }
}

unsigned Links::emptiest_lane(CableChannel channel, unsigned group, SimTime now) {
  const unsigned first = channels_.first_of(group);
  unsigned best = first;
  std::int64_t most = credits(channel, first).free(now);
  for (unsigned lane = first + 1; lane < first + channels_.lanes; ++lane) {
    if (const std::int64_t free = credits(channel, lane).free(now); free > most) {
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
    soonest = std::min(soonest, credits(channel, lane).when(units, now));
  return soonest;
}

std::int64_t Links::units_out(CableChannel channel, SimTime now) {
  if (credits_.empty()) return 0;
  std::int64_t out = 0;
  for (unsigned one = 0; one < channels_.count(); ++one)
    out += capacity_[channel] - credits(channel, one).free(now);
  return out;
}

SimTime Links::give_back(CableChannel channel, unsigned virtual_channel, std::uint32_t units, SimTime free) {
  const SimTime known = free + ends_[channel].propagation + credit_delay_;
  if (!credits_.empty()) credits(channel, virtual_channel).give(known, units);
  return known;
}

SimTime Links::start(CableChannel channel, unsigned virtual_channel, const Packet& packet, SimTime now) {
  End& end = ends_[channel];
  const SimTime left = now + time_for(channel, packet.size);
  end.free = left + end.gap;
  end.busy += end.free - now;
  end_stall(channel, now);
  if (!credits_.empty()) credits(channel, virtual_channel).take(packet.units);
  LinkCount& count = counts_[channel * channels_.count() + virtual_channel];
  ++count.packets;
  count.bytes += packet.size.count();
  if (!followed_.empty() && are_both(ports_, {packet.id, packet.from, packet.to, Bytes(0)}))
    followed_[channel] = true;
  return left;
}

SimTime Links::start_pause_frame(CableChannel channel, CableChannel reverse, GroupSet paused, SimTime now) {
  End& end = ends_[channel];
  end_stall(channel, now);
  const SimTime left = now + rate(channel).time_for(pause_frame_);
  end.free = left + end.gap;
  end.busy += end.free - now;
  ++seldom_[channel].pause_frames;
  const SimTime effect = left + end.propagation + pause_delay_;
  pauses_[reverse].tell(effect, paused);
  return effect;
}

void Links::end_stall(CableChannel channel, SimTime now) {
  SimTime& since = ends_[channel].stalled_since;
  if (since == never) return;
  seldom_[channel].stalled += now - since;
  since = never;
}

void Links::set_down(CableChannel channel, bool down, SimTime now) {
  down_[channel] = down;
  end_stall(channel, now);
}

void Links::stall(CableChannel channel, SimTime now) {
  SimTime& since = ends_[channel].stalled_since;
  if (since == never) since = now;
}

Bytes Links::sent(CableChannel channel) const {
  std::int64_t packets = 0, bytes = 0;
  for (unsigned virtual_channel = 0; virtual_channel < channels_.count(); ++virtual_channel) {
    const LinkCount& count = counted(channel, virtual_channel);
    packets += count.packets;
    bytes += count.bytes;
  }
  return Bytes(bytes) + packets * gap_;
}

SimTime Links::busy(CableChannel channel, SimTime until) const {
  const End& end = ends_[channel];
  return end.free > until ? end.busy - (end.free - until) : end.busy;
}

SimTime Links::stalled(CableChannel channel, SimTime until) const {
  const SimTime since = ends_[channel].stalled_since, ended = seldom_[channel].stalled;
  return since != never && until > since ? ended + (until - since) : ended;
}

std::int64_t Links::free_units(CableChannel channel, unsigned virtual_channel, SimTime now) {
  return credits_.empty() ? 0 : credits(channel, virtual_channel).free(now);
}

}  // namespace morgana::fabric
