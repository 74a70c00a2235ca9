#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "emulator/core/time.h"
#include "emulator/network/myrinet/packet_store.h"
#include "emulator/network/myrinet/worm_channels.h"

namespace morgana::myrinet {

/// Reports packets' departures and fates to the network's listener and counts them. Each packet departs first
/// and is then delivered or lost, once: a loss that comes first is reported with the departure.
///
/// The listener may inject within a report, so that callers hold no reference into the store then.
class PacketFates {
 public:
  struct Totals {
    std::uint64_t injected = 0, delivered = 0;
    std::array<std::uint64_t, loss_kinds> lost{};
    std::uint64_t lost_for(UnitLoss why) const { return lost[static_cast<std::size_t>(why)]; }
    std::uint64_t lost_in_all() const;
  };

  /// @param listener  is read at each report; the pointer must outlive this object
  PacketFates(PacketStore& packets, UnitListener* const& listener) : packets_(packets), listener_(listener) {}

  void injected() { ++totals_.injected; }
  void departed(Index packet);
  void delivered(Index packet);
  /// @param channel  the failed one; else the one whose receiver has lost it or cut it off
  void lost(Index packet, UnitLoss why, Index channel);

  const Totals& totals() const { return totals_; }
  /// As LossDiagnostics, of the last loss; there was one.
  std::string how_lost(const WormChannels& channels, SimTime deadlock_timeout) const;
  std::string hint() const;

 private:
  PacketStore& packets_;
  UnitListener* const& listener_;
  Totals totals_;
  LossPlace last_loss_;
};

}  // namespace morgana::myrinet
