#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::testing {

/// The channel that leads to a port of a switch; none if the port has no cable.
inline std::optional<CableChannel> reference_channel_to(const SwitchGraph& graph, SwitchPort port) {
  const Neighbour& other = graph.neighbour(port);
  if (other.is_nothing()) return std::nullopt;
  return other.is_host() ? graph.channel_from(HostNumber{other.id}) : graph.channel_from(other.switch_port());
}

/// What each account of the input at this port may hold in its headroom.
inline Bytes reference_headroom(const CabledGraph& network, const fabric::FabricParameters& parameters,
                                SwitchPort port) {
  if (parameters.flow_control != fabric::FlowControl::pause) return Bytes(0);
  if (parameters.shared.headroom > Bytes(0)) return parameters.shared.headroom;
  const std::vector<Link> links = network.links();
  const Link there = links[*reference_channel_to(network.graph, port)];
  const Link back = links[network.graph.channel_from(port)];
  const Bytes largest = parameters.packet.on_link(parameters.packet.largest);
  SimTime delay = back.rate.time_for(std::max(largest, parameters.shared.pause_frame)) +
                  back.rate.time_for(parameters.packet.gap) +
                  back.rate.time_for(parameters.shared.pause_frame) + 2 * there.propagation +
                  parameters.shared.pause_delay + parameters.latency;
  if (parameters.forwarding == fabric::Forwarding::store_and_forward)
    delay = delay + there.rate.time_for(largest);
  const __int128 bits_by_ps = static_cast<__int128>(there.rate.bits_per_second()) * delay.ps();
  const __int128 byte = static_cast<__int128>(8) * 1'000'000'000'000;
  return Bytes(static_cast<std::int64_t>((bits_by_ps + byte - 1) / byte)) + 2 * largest;
}

/// The memory that a switch has for its packets.
class ReferenceSharedBuffer {
 public:
  /// Of an input and a virtual channel with pauses, of an output and a group without.
  using AccountName = std::pair<PortNumber, unsigned>;
  struct Account {
    Bytes headroom;  // how much there is
    Bytes m, h;      // held in reserve and pool; in the headroom
    bool paused = false, told = false;
  };

  /// @param virtual_channels  of each channel, as many as groups
  ReferenceSharedBuffer(const CabledGraph& network, const fabric::FabricParameters& parameters, SwitchId at,
                        unsigned virtual_channels)
      : has_pauses_(parameters.flow_control == fabric::FlowControl::pause),
        shared_(parameters.shared),
        pool_(parameters.shared.size) {
    for (unsigned number = 0; number < network.graph.ports(at); ++number) {
      const SwitchPort port{at, static_cast<PortNumber>(number)};
      if (network.graph.neighbour(port).is_nothing()) continue;
      for (unsigned one = 0; one < virtual_channels; ++one) {
        Account& account = accounts_[{port.port, one}];
        account.headroom = reference_headroom(network, parameters, port);
        pool_ -= shared_.reserve + account.headroom;
      }
    }
  }

  Bytes pool() const { return pool_; }

  /// @return whether there was space for the packet
  bool admit(AccountName name, Bytes size) {
    Account& account = accounts_.at(name);
    const Bytes before = part(account);
    Account grown = account;
    grown.m += size;
    const bool fits_pool = used() - before + part(grown) <= pool_;
    if (grown.m <= shared_.reserve + threshold() && fits_pool) {
      account.m += size;
    } else if (has_pauses_ && account.h + size <= account.headroom) {
      account.h += size;
    } else {
      return false;
    }
    if (has_pauses_ && (account.h > Bytes(0) || part(account) >= threshold())) account.paused = true;
    return true;
  }
  void free(AccountName name, Bytes size) {
    Account& account = accounts_.at(name);
    const Bytes from_headroom = std::min(account.h, size);
    account.h -= from_headroom;
    account.m -= size - from_headroom;
  }
  /// Follows when all that becomes free at an instant has become free.
  void end_pauses() {
    for (auto& [name, account] : accounts_)
      if (account.h == Bytes(0) &&
          (part(account) == Bytes(0) || part(account) + shared_.resume <= threshold()))
        account.paused = false;
  }

  /// Whether the other end of this port does not know which of the input's virtual channels are paused.
  bool owes_frame(PortNumber port) const {
    for (const auto& [name, account] : accounts_)
      if (name.first == port && account.paused != account.told) return true;
    return false;
  }
  /// The frame starts. @return what it names: the virtual channels that are paused
  std::set<unsigned> tell(PortNumber port) {
    std::set<unsigned> paused;
    for (auto& [name, account] : accounts_) {
      if (name.first != port) continue;
      account.told = account.paused;
      if (account.paused) paused.insert(name.second);
    }
    return paused;
  }

 private:
  /// `s`
  Bytes part(const Account& account) const { return std::max(Bytes(0), account.m - shared_.reserve); }
  /// `u`
  Bytes used() const {
    Bytes sum;
    for (const auto& [name, account] : accounts_) sum += part(account);
    return sum;
  }
  /// `theta`
  Bytes threshold() const {
    const auto left = static_cast<double>((pool_ - used()).count());
    return Bytes(static_cast<std::int64_t>(std::floor(shared_.alpha * left)));
  }

  bool has_pauses_;
  fabric::SharedBufferParameters shared_;
  Bytes pool_;  // `p`
  std::map<AccountName, Account> accounts_;
};

}  // namespace morgana::testing
