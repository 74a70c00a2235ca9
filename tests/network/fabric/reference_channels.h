#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/reference_arbiters.h"

namespace morgana::testing {

/// The channels of a fabric: until when they are busy, how many units of the buffers at their ends are free,
/// and which groups are paused. Sizes are those on the link.
class ReferenceChannels {
 public:
  ReferenceChannels(const CabledGraph& network, const fabric::FabricParameters& parameters,
                    unsigned virtual_channels)
      : parameters_(parameters) {
    const unsigned of_class = virtual_channels / parameters.lanes / parameters.classes;
    const std::vector<Link> links = network.links();
    for (CableChannel number = 0; number < links.size(); ++number) {
      const Neighbour receiver = network.graph.receiver(number);
      const Bytes buffer = receiver.is_host()     ? parameters.host_buffer
                           : receiver.is_switch() ? parameters.buffer
                                                  : Bytes(0);
      const std::int64_t units = buffer.count() / parameters.credit_unit.count();
      channels_.push_back({links[number], receiver, units, std::vector(virtual_channels, units),
                           ReferenceLaneArbiter(parameters, of_class)});
    }
  }

  bool have_credits() const { return parameters_.flow_control == fabric::FlowControl::credits; }
  const Neighbour& receiver(CableChannel channel) const { return channels_[channel].receiver; }
  BitRate rate(CableChannel channel) const { return channels_[channel].link.rate; }
  SimTime propagation(CableChannel channel) const { return channels_[channel].link.propagation; }
  SimTime sending(CableChannel channel, Bytes size) const { return rate(channel).time_for(size); }
  SimTime busy_until(CableChannel channel) const { return channels_[channel].busy_until; }
  ReferenceLaneArbiter& arbiter(CableChannel channel) { return channels_[channel].arbiter; }

  /// The virtual channel that a packet of this group would take; none if credits or a pause do not allow a
  /// start.
  std::optional<unsigned> lane(CableChannel channel, unsigned group, Bytes size) const {
    const unsigned first = group * parameters_.lanes;
    if (channels_[channel].paused.contains(group)) return std::nullopt;
    if (!have_credits()) return first;
    const std::vector<std::int64_t>& free = channels_[channel].free;
    unsigned best = first;
    for (unsigned other = first + 1; other < first + parameters_.lanes; ++other)
      if (free[other] > free[best]) best = other;
    if (free[best] < units(size)) return std::nullopt;
    return best;
  }
  void begin(CableChannel channel, unsigned virtual_channel, Bytes size, SimTime now) {
    if (have_credits()) channels_[channel].free[virtual_channel] -= units(size);
    channels_[channel].busy_until =
        now + sending(channel, size) + rate(channel).time_for(parameters_.packet.gap);
  }
  void begin_pause_frame(CableChannel channel, SimTime now) {
    channels_[channel].busy_until = now + sending(channel, parameters_.shared.pause_frame) +
                                    rate(channel).time_for(parameters_.packet.gap);
  }
  /// @param groups  that are paused from now on: no others
  void pause(CableChannel channel, const std::set<unsigned>& groups) { channels_[channel].paused = groups; }
  bool is_paused(CableChannel channel, unsigned group) const {
    return channels_[channel].paused.contains(group);
  }
  void give_back(CableChannel channel, unsigned virtual_channel, Bytes size) {
    channels_[channel].free[virtual_channel] += units(size);
  }

  /// What the sender lacks credits for.
  Bytes absent(CableChannel channel) const {
    std::int64_t units = 0;
    if (have_credits())
      for (const std::int64_t free : channels_[channel].free) units += channels_[channel].units - free;
    return units * parameters_.credit_unit;
  }
  /// By channel, then virtual channel; empty without credits.
  std::vector<std::int64_t> free_units() const {
    std::vector<std::int64_t> all;
    if (have_credits())
      for (const Channel& channel : channels_)
        all.insert(all.end(), channel.free.begin(), channel.free.end());
    return all;
  }

 private:
  struct Channel {
    Link link;
    Neighbour receiver;
    std::int64_t units;              // of each virtual channel's buffer
    std::vector<std::int64_t> free;  // of them, by virtual channel
    ReferenceLaneArbiter arbiter;
    SimTime busy_until = SimTime();
    std::set<unsigned> paused = {};  // groups
  };

  std::int64_t units(Bytes size) const {
    const std::int64_t unit = parameters_.credit_unit.count();
    return (size.count() + unit - 1) / unit;
  }

  fabric::FabricParameters parameters_;
  std::vector<Channel> channels_;
};

}  // namespace morgana::testing
