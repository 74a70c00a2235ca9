#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/network/fabric/credits.h"
#include "emulator/network/fabric/link_counts.h"
#include "emulator/network/fabric/packet.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/network/fabric/pause_causes.h"
#include "emulator/network/fabric/pauses.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana::fabric {

/// The virtual channels of every channel: `classes` x `of_routing` groups of `lanes` channels.
/// docs/fabric.md, "Packets, links, virtual channels".
struct VirtualChannels {
  unsigned of_routing = 1;  ///< virtual channels that the routing distinguishes
  unsigned classes = 1;     ///< traffic classes
  unsigned lanes = 1;       ///< interchangeable virtual channels of a group
  unsigned groups() const { return classes * of_routing; }
  unsigned count() const { return groups() * lanes; }
  unsigned group_of(unsigned traffic_class, unsigned routing_channel) const {
    return traffic_class * of_routing + routing_channel;
  }
  /// All groups of a traffic class.
  GroupSet groups_of(unsigned traffic_class) const {
    return (only(of_routing) - 1) << group_of(traffic_class, 0);
  }
  unsigned first_of(unsigned group) const { return group * lanes; }
  /// The routing's number for a virtual channel.
  VirtualChannel routing_channel_of(unsigned virtual_channel) const {
    return static_cast<VirtualChannel>(virtual_channel / lanes % of_routing);
  }
};

/// The capacity of the queue at an output, and when its packets are marked.
struct QueueLimits {
  Bytes size{0};  ///< FabricParameters::output_queue
  MarkParameters marks;
};

/// The sending end of every channel: when it is free, what credits it has, what it has carried.
class Links {
 public:
  Links(const CabledGraph& network, const FabricParameters& parameters, const VirtualChannels& channels);

  std::size_t size() const { return ends_.size(); }
  bool has_credits() const { return has_credits_; }
  std::int64_t unit_bytes() const { return unit_bytes_; }
  const Neighbour& to(CableChannel channel) const { return ends_[channel].to; }
  SimTime propagation(CableChannel channel) const { return cable(channel).propagation; }
  BitRate rate(CableChannel channel) const { return cable(channel).rate; }
  /// Gives one direction of a cable another rate, before anything is sent.
  void slow_down(CableChannel channel, BitRate rate);
  /// The limits of the queue in front of the channel.
  const QueueLimits& limits(CableChannel channel) const {
    if (own_limits_.empty()) return limits_;
    const auto own = own_limits_.find(channel);
    return own == own_limits_.end() ? limits_ : own->second;
  }
  /// Sets other limits than the network's. Marks need a network that marks.
  void limit(CableChannel channel, const QueueLimits& limits) { own_limits_[channel] = limits; }
  /// Whether its cable has failed: nothing can start on it.
  bool is_down(CableChannel channel) const { return ends_[channel].down; }
  void set_down(CableChannel channel, bool down, SimTime now);
  /// When its last transmission ends.
  SimTime free_at(CableChannel channel) const { return ends_[channel].free; }
  /// To send that much.
  SimTime time_for(CableChannel channel, Bytes size) { return cables_[ends_[channel].cable].time_for(size); }

  /// Fetches into the caches what the start of a packet on a virtual channel, or the return of its credits,
  /// reads. Always inline: gcc 12 takes a function that only prefetches for one without effect.
  [[gnu::always_inline]] void prefetch(CableChannel channel, unsigned virtual_channel) const {
    __builtin_prefetch(&ends_[channel]);
    if (virtual_channel > 0 && has_credits_)
      __builtin_prefetch(&more_credits_[channel * (channels_.count() - 1) + virtual_channel - 1]);
  }
  /// The virtual channel of the group that a packet which may start now takes.
  unsigned lane(CableChannel channel, unsigned group, SimTime now) {
    return channels_.lanes == 1 || !has_credits_ ? channels_.first_of(group)
                                                 : emptiest_lane(channel, group, now);
  }
  /// When a packet of the group may start: a lane of the group has credits for so many units, and the group
  /// is not paused. SimTime::max() if that is not known yet.
  SimTime allowed_at(CableChannel channel, unsigned group, std::int64_t units, SimTime now) {
    if (has_credits_)
      return channels_.lanes == 1 ? credits(channel, group).when(units, now, later_)
                                  : credits_at(channel, group, units, now);
    return pauses_.empty() ? now : pauses_[channel].may_send(group, now);
  }
  /// The credit units in use, over all virtual channels.
  std::int64_t units_out(CableChannel channel, SimTime now);
  /// A packet's space at the receiving end of the channel is free from `free` on.
  /// @return when the sender knows it
  SimTime give_back(CableChannel channel, unsigned virtual_channel, std::uint32_t units, SimTime free) {
    const SimTime known = free + cable(channel).credits_take;
    if (has_credits_) credits(channel, virtual_channel).give(known, units, later_);
    return known;
  }
  /// Starts a packet of that size. @return when its tail has left
  SimTime start(CableChannel channel, unsigned virtual_channel, const Packet& packet, SimTime now) {
    if (has_credits_) credits(channel, virtual_channel).take(packet.units);
    return send(channel, counts_.place_of(channel, virtual_channel), packet,
                cables_[ends_[channel].cable].time_for(packet.size), now);
  }
  /// A packet that starts, and until when its input is busy with that.
  struct Started {
    SimTime left, read;
  };
  /// Starts a packet on a channel that has one virtual channel, and credits, if it may start now.
  /// @return nothing if it may not
  [[gnu::always_inline]] std::optional<Started> start_at_once(CableChannel channel, const Packet& packet,
                                                              SimTime now) {
    End& end = ends_[channel];
    const SimTime takes = cables_[end.cable].time_for(packet.size);
    if (end.free > now || packet.tail_ready - takes > now ||
        end.credits.free(now, later_) < std::int64_t{packet.units})
      return std::nullopt;
    end.credits.take(packet.units);
    const SimTime left = send(channel, channel, packet, takes, now);
    return Started{left, now + read_time(end, takes, packet)};
  }
  /// How long an input is busy with sending a packet on the channel: as fast as the packet has come to it.
  SimTime read_time(CableChannel channel, const Packet& packet) {
    const End& end = ends_[channel];
    return read_time(end, cables_[end.cable].time_for(packet.size), packet);
  }
  /// Starts a pause frame, which sets at the other end what is paused on the reverse channel.
  /// @return when that has its effect
  SimTime start_pause_frame(CableChannel channel, CableChannel reverse, GroupSet paused, SimTime now);
  bool can_pause() const { return !pauses_.empty(); }
  /// Of all pauses; only where channels can be paused.
  PauseCauses& causes() { return *causes_; }
  /// Something could start, but for credits or a pause.
  void stall(CableChannel channel, SimTime now);
  bool stalls(CableChannel channel) const { return ends_[channel].stalls; }

  /// What channels have carried; what stands in front of them is counted there, too.
  LinkCounts& counts() { return counts_; }
  const LinkCounts& counts() const { return counts_; }
  /// All that it has carried but pause frames, with gaps.
  Bytes sent(CableChannel channel) const;
  /// Time in which it was sending or in a gap, up to `until`.
  SimTime busy(CableChannel channel, SimTime until) const;
  /// Time in which only the lack of credits, or a pause, kept it from sending, up to `until`.
  SimTime stalled(CableChannel channel, SimTime until) const;
  /// Free units at the sender now; none without credits.
  std::int64_t free_units(CableChannel channel, unsigned virtual_channel, SimTime now);

 private:
  /// What cables of one rate and length have in common. There are few, so that they stay in the caches.
  struct Cable {
    /// To send that much.
    SimTime time_for(Bytes size) {
      Timed& one = timed[static_cast<std::size_t>(size.count()) % timed.size()];
      if (one.size != size) one = {size, rate.time_for(size)};
      return one.time;
    }

    BitRate rate;
    SimTime propagation, gap;
    SimTime credits_take;  ///< from a receiver to its sender
    struct Timed {
      Bytes size{-1};
      SimTime time;
    };
    std::array<Timed, 16> timed;  ///< the last sizes asked for
  };
  /// What every start needs, with the credits of the first virtual channel: a cache line.
  struct alignas(64) End {
    SimTime free, busy;
    Neighbour to;
    std::uint32_t cable = 0;  // its kind
    bool stalls = false;
    bool down = false;
    Credits credits;
  };
  static_assert(sizeof(End) == 64);
  struct Seldom {
    SimTime stalled, stalled_since;
  };
  /// @param takes  on the channel of that end
  SimTime read_time(const End& end, SimTime takes, const Packet& packet) {
    const std::uint32_t came_by = ends_[packet.came_by].cable;
    return came_by == end.cable ? takes : std::min(takes, cables_[came_by].time_for(packet.size));
  }
  /// @param count  LinkCounts::place_of() its virtual channel. @return when it has left
  SimTime send(CableChannel channel, std::size_t count, const Packet& packet, SimTime takes, SimTime now) {
    End& end = ends_[channel];
    const SimTime left = now + takes, free = left + cables_[end.cable].gap;
    end.free = free;
    end.busy += free - now;
    end_stall(channel, now);
    counts_.carry(count, channel, packet);
    return left;
  }
  const Cable& cable(CableChannel channel) const { return cables_[ends_[channel].cable]; }
  void end_stall(CableChannel channel, SimTime now) {
    if (ends_[channel].stalls) end_stall_that_is(channel, now);
  }
  void end_stall_that_is(CableChannel channel, SimTime now);
  unsigned emptiest_lane(CableChannel channel, unsigned group, SimTime now);
  SimTime credits_at(CableChannel channel, unsigned group, std::int64_t units, SimTime now);
  Credits& credits(CableChannel channel, unsigned virtual_channel) {
    return virtual_channel == 0 ? ends_[channel].credits
                                : more_credits_[channel * (channels_.count() - 1) + virtual_channel - 1];
  }

  VirtualChannels channels_;
  QueueLimits limits_;
  std::unordered_map<CableChannel, QueueLimits> own_limits_;  // of channels that have others
  SimTime pause_delay_;
  Bytes pause_frame_, gap_;
  std::int64_t unit_bytes_;
  bool has_credits_;  // otherwise there is no flow control by them
  std::vector<Cable> cables_;
  std::vector<End> ends_;
  std::vector<Seldom> seldom_;          // likewise, what few starts need
  std::vector<std::int64_t> capacity_;  // of each virtual channel, by channel; with credits
  std::vector<Credits> more_credits_;   // by channel and virtual channel, without the first
  LaterCredits later_;
  std::vector<Pauses> pauses_;         // by channel; empty without pauses
  std::optional<PauseCauses> causes_;  // where channels can be paused
  LinkCounts counts_;
};

}  // namespace morgana::fabric
