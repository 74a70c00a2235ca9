#pragma once

#include "emulator/network/network.h"

namespace morgana {

/// What the network promises a connection. Sources: ATM Forum, Traffic Management Specification 4.0, 1996;
/// ITU-T I.371, 1996; J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM,
/// 1997, section 1.3.
enum class ServiceCategory : std::uint8_t {
  cbr,  ///< constant bit rate: a circuit
  vbr,  ///< variable bit rate: a guaranteed mean and peak
  abr,  ///< available bit rate: what is left, by feedback, not less than a minimum
  ubr,  ///< unspecified bit rate: what is left, no promise, the first to be dropped
  abt,  ///< ATM block transfer: a rate of its own for each packet, kept while the packet passes
};

/// Whether switches keep capacity for it.
constexpr bool is_guaranteed(ServiceCategory category) {
  return category <= ServiceCategory::vbr || category == ServiceCategory::abt;
}

/// How a receiver finds the boundaries of a channel's packets.
enum class Delimiting : std::uint8_t {
  /// AAL5: only the last cell of a packet is marked, and all cells that come between two marked ones are one
  /// packet. A packet whose last cell is lost spoils the next one, too, unless all of its cells are lost.
  end_marks,
  /// AAL3/4: each cell says where in its packet it stands.
  cell_headers,
};

/// How a connection's cells fare in switches, how fast they may come and how packets are distinguished.
struct TrafficContract {
  ServiceCategory category = ServiceCategory::ubr;
  std::uint8_t priority = 1;  ///< of output queues that know priorities: 0 goes first
  bool evictable = true;      ///< by push-out, for a cell that is not
  Delimiting delimiting = Delimiting::end_marks;

  /// CBR, VBR and ABT go before ABR and UBR; only UBR's cells are evicted (the ATM paper, chapter 6).
  static constexpr TrafficContract of(ServiceCategory category) {
    TrafficContract contract;
    contract.category = category;
    contract.priority = is_guaranteed(category) ? 0 : 1;
    contract.evictable = category == ServiceCategory::ubr;
    return contract;
  }
};

/// A virtual channel from one port to another, set up before the program starts.
enum class ChannelId : std::uint32_t {};

/// A packet's cells, which follow each other on one channel; the last is marked as the packet's end.
struct CellTrain {
  UnitId id;
  ChannelId channel;
  std::uint32_t cells;  ///< > 0
};

/// A network whose units are made of cells, each of which may be lost by itself. It reports a train as it
/// reports a unit: departed when the last cell has left; delivered when the last has come out, none was lost
/// and no cells of an earlier packet without its end came right before them (Delimiting); else lost, when the
/// last of those that came has come out, but not before the train's last cell could have.
/// Reasons: docs/decisions, "Trains of cells" and "A lost end spoils the next packet".
class CellNetwork : public Network {
 public:
  /// Another channel between two ports; there may be many. Channels cost no simulated time to set up.
  virtual ChannelId open(PortId from, PortId to, const TrafficContract& contract) = 0;
  /// Reports a channel's trains to another listener than the network's: each connection may have a
  /// transport of its own. Before the channel's first train.
  virtual void report_to(ChannelId channel, UnitListener& listener) = 0;
  using Network::report_to;
  /// As inject, for a packet that a transport has cut by itself.
  virtual void inject(const CellTrain& train) = 0;
  using Network::inject;
  NetworkExtensions extensions() override { return {.cells = this}; }
};

}  // namespace morgana
