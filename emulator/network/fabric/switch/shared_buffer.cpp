#include "emulator/network/fabric/switch/shared_buffer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace morgana::fabric {

SharedBuffer::SharedBuffer(const SharedBufferParameters& parameters,
                           const std::vector<std::int64_t>& headrooms, std::int64_t pool)
    : alpha_(parameters.alpha),
      reserve_(parameters.reserve.count()),
      resume_(parameters.resume.count()),
      pool_(pool),
      accounts_(headrooms.size()) {
  for (std::size_t account = 0; account < headrooms.size(); ++account)
    accounts_[account].headroom = headrooms[account];
}

std::int64_t SharedBuffer::threshold() const {
  return static_cast<std::int64_t>(std::floor(alpha_ * static_cast<double>(pool_ - used_)));
}

bool SharedBuffer::admit(std::size_t number, std::int64_t bytes) {
  Account& account = accounts_[number];
  const std::int64_t taken = of_pool(account.held + bytes) - of_pool(account.held);
  if (account.held + bytes <= reserve_ + threshold() && used_ + taken <= pool_) {
    account.held += bytes;
    used_ += taken;
    return true;
  }
  if (account.in_headroom + bytes > account.headroom) return false;
  account.in_headroom += bytes;
  return true;
}

void SharedBuffer::release(std::size_t number, std::int64_t bytes) {
  Account& account = accounts_[number];
  const std::int64_t from_headroom = std::min(account.in_headroom, bytes);
  account.in_headroom -= from_headroom;
  const std::int64_t left = account.held - (bytes - from_headroom);
  assert(left >= 0);
  used_ -= of_pool(account.held) - of_pool(left);
  account.held = left;
}

bool SharedBuffer::is_full(std::size_t number) const {
  const Account& account = accounts_[number];
  return account.in_headroom > 0 || of_pool(account.held) >= threshold();
}

bool SharedBuffer::has_room(std::size_t number) const {
  const Account& account = accounts_[number];
  const std::int64_t part = of_pool(account.held);
  return account.in_headroom == 0 && (part == 0 || part + resume_ <= threshold());
}

std::int64_t headroom_for(const Link& cable, const FabricParameters& parameters) {
  const SharedBufferParameters& shared = parameters.shared;
  if (shared.headroom > Bytes(0)) return shared.headroom.count();
  const Bytes largest = parameters.packet.on_link(parameters.packet.largest);
  // Before the frame, a packet or another frame may have to end.
  SimTime delay = cable.rate.time_for(std::max(largest, shared.pause_frame)) +
                  cable.rate.time_for(parameters.packet.gap) + cable.rate.time_for(shared.pause_frame) +
                  2 * cable.propagation + shared.pause_delay + parameters.latency;
  if (parameters.forwarding == Forwarding::store_and_forward) delay += cable.rate.time_for(largest);
  // rate * delay, rounded up: in 128 bits, as bits per second times picoseconds pass 2^63 at 9 us of 1 Tb/s.
  __extension__ using Wide = unsigned __int128;
  constexpr Wide bit_picoseconds_per_byte = Wide{8} * 1'000'000'000'000;
  const Wide bits = Wide(cable.rate.bits_per_second()) * Wide(delay.ps());
  return static_cast<std::int64_t>((bits + bit_picoseconds_per_byte - 1) / bit_picoseconds_per_byte) +
         2 * largest.count();
}

SharedBufferShares shares_of(const CabledGraph& network, SwitchId at, unsigned groups,
                             const FabricParameters& parameters) {
  const SwitchGraph& graph = network.graph;
  const std::vector<Link> links = network.links();
  SharedBufferShares shares{std::vector<std::int64_t>(std::size_t{graph.ports(at)} * groups),
                            parameters.shared.size.count()};
  for (unsigned number = 0; number < graph.ports(at); ++number) {
    const auto port = static_cast<PortNumber>(number);
    if (graph.neighbour({at, port}).is_nothing()) continue;
    const std::int64_t headroom =
        parameters.flow_control == FlowControl::pause
            ? headroom_for(links[graph.channel_from(SwitchPort{at, port})], parameters)
            : 0;
    for (unsigned group = 0; group < groups; ++group) {
      shares.headrooms[std::size_t{port} * groups + group] = headroom;
      shares.pool -= headroom + parameters.shared.reserve.count();
    }
  }
  return shares;
}

}  // namespace morgana::fabric
