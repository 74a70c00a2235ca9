#include "emulator/transport/overlay/direct_channels.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace morgana::overlay {

void DirectChannel::open(SimTime now) {
  state = State::open;
  lower_may_send = higher_may_send = true;
  used_last = now;
  ++set_up;
}

DirectChannels::DirectChannels(std::size_t stations, std::optional<std::uint32_t> identifiers)
    : limited_(identifiers.has_value()),
      free_(limited_ ? stations : 0, identifiers.value_or(0)),
      peers_(stations) {}

bool DirectChannels::take(HostId station) {
  if (!limited_) return true;
  if (free_[index(station)] == 0) return false;
  --free_[index(station)];
  return true;
}

void DirectChannels::give_back(HostId station) {
  if (limited_) ++free_[index(station)];
}

std::uint64_t DirectChannels::key(HostId a, HostId b) const {
  return index(std::min(a, b)) * peers_.size() + index(std::max(a, b));
}

DirectChannel& DirectChannels::between(HostId a, HostId b) {
  const auto [place, added] = place_.try_emplace(key(a, b), channels_.size());
  if (added) {
    channels_.push_back({});
    channels_.back().lower = std::min(a, b);
    channels_.back().higher = std::max(a, b);
  }
  return channels_[place->second];
}

const DirectChannel* DirectChannels::find(HostId a, HostId b) const {
  const auto place = place_.find(key(a, b));
  return place == place_.end() ? nullptr : &channels_[place->second];
}

DirectChannel* DirectChannels::longest_idle(HostId station, SimTime until) {
  DirectChannel* longest = nullptr;
  for (const HostId peer : peers_[index(station)]) {
    DirectChannel& channel = between(station, peer);
    if (channel.state != DirectChannel::State::open || channel.used_last > until) continue;
    if (longest == nullptr || channel.used_last < longest->used_last) longest = &channel;
  }
  return longest;
}

void DirectChannels::opened(DirectChannel& channel, SimTime now) {
  channel.open(now);
  const auto add = [&](HostId at, HostId peer) {
    std::vector<HostId>& peers = peers_[index(at)];
    peers.insert(std::lower_bound(peers.begin(), peers.end(), peer), peer);
  };
  add(channel.lower, channel.higher);
  add(channel.higher, channel.lower);
}

void DirectChannels::closed(DirectChannel& channel) {
  assert(channel.state == DirectChannel::State::closing);
  channel.state = DirectChannel::State::closed;
  channel.lower_may_send = channel.higher_may_send = false;
  ++channel.released;
  std::erase(peers_[index(channel.lower)], channel.higher);
  std::erase(peers_[index(channel.higher)], channel.lower);
}

CounterTable DirectChannels::counted() const {
  CounterTable table{"overlay direct channels",
                     {{"between"}, {"set up"}, {.name = "refused", .trouble = true}, {"released"}},
                     {}};
  for (const DirectChannel& channel : channels_)
    table.rows.push_back(
        {"host " + std::to_string(index(channel.lower)) + " and " + std::to_string(index(channel.higher)),
         channel.set_up, channel.refused, channel.released});
  return table;
}

}  // namespace morgana::overlay
