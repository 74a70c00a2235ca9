#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/cells.h"
#include "emulator/transport/arrived_prefix.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Which adaptation layer cuts packets into cells.
enum class AdaptationLayer : std::uint8_t {
  aal5,    ///< 48 bytes of each cell, a trailer of 8 in the last, CRC-32
  aal3_4,  ///< 44 bytes of each cell, 8 of convergence header and trailer, CRC-10 in every cell
};

/// AAL5 or AAL3/4 at the hosts. The network's parameters have their work on each packet and cell.
struct Aal5Parameters {
  AdaptationLayer layer = AdaptationLayer::aal5;
  Bytes packet{65535};          ///< data in one packet, 1 to 65535; longer messages take several
  SimTime send_per_message;     ///< the sending host's work, one message at a time
  SimTime receive_per_message;  ///< the receiving host's work, one message at a time
  ServiceCategory category = ServiceCategory::ubr;
  bool stream = false;  ///< the arrival of streamed messages is reported packet by packet
};

struct Aal5Counters {
  std::uint64_t packets = 0;
  /// A missing cell loses the packet, with AAL5 a missing last cell the next packet, too; a missing packet
  /// loses the message.
  std::uint64_t packets_lost = 0;
  std::uint64_t cells = 0;
};

/// Messages cut into packets and these into cells, with no protocol on top: what is lost is lost, and the
/// listener learns so. One channel for each ordered pair of hosts; host n is at port n.
///
///   - A message of no bytes takes one packet. A message's packets are handed to the NIC together, when
///     the host's work on the message is done.
///   - A message whose last packet has come is worked on by the receiving host, first come, first served, and
///     delivered when that is done.
///   - If it streams, the receiving host works on a streamed message when the first of its packets has come,
///     and after that what has come without gaps is there for the receiver.
///   - A message that has lost a packet is reported lost when the last of its packets has met its fate.
///
/// Sources: ITU-T I.363.5, I.363.3; J. Vila i Sallent: A Network Architecture for Supporting Parallel
/// Computing over ATM, 1997, appendix B.
class Aal5 : public Transport, private UnitListener, private EventHandler {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error if a parameter is out of range
  Aal5(EventQueue& events, CellNetwork& network, std::size_t hosts, const Aal5Parameters& parameters);
  void send(const Shipment& shipment) override;
  TransportGuarantees guarantees() const override { return {.streams = parameters_.stream}; }
  std::string how_lost() const override { return loss_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  const Aal5Counters& counters() const { return counters_; }

 private:
  struct Message {
    Shipment shipment;
    std::int64_t packets = 0;
    std::int64_t undecided = 0;  ///< packets that have neither come nor been lost
    bool lost = false;
    std::string loss;        ///< of the first packet that was lost
    SimTime there_from;      ///< when the receiving host's work on it is done
    bool worked_on = false;  ///< whether that is known
    ArrivedPrefix arrived;   ///< of a message that is streamed
  };

  struct HostState {
    SimTime sender_free, receiver_free;
  };

  ChannelId channel(HostId from, HostId to);
  void hand_over(std::uint32_t slot);
  void packet_came(UnitId id);
  void end_packet(std::uint32_t slot);
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void handle(std::uint64_t what) override;

  // A unit bears its message's slot, and below it its place among the message's packets.
  static constexpr unsigned place_bits = 36;
  static UnitId unit(std::uint32_t slot, std::int64_t place) {
    return UnitId{std::uint64_t{slot} << place_bits | static_cast<std::uint64_t>(place)};
  }
  static std::uint32_t slot_of(UnitId id) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(id) >> place_bits);
  }
  static std::int64_t place_of(UnitId id) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(id) & ((std::uint64_t{1} << place_bits) - 1));
  }
  bool is_streamed(const Message& message) const { return parameters_.stream && message.shipment.streamed; }
  bool is_last(UnitId id) const { return place_of(id) + 1 == messages_[slot_of(id)].packets; }

  EventQueue& events_;
  CellNetwork& network_;
  Aal5Parameters parameters_;
  Aal5Counters counters_;
  std::vector<HostState> hosts_;
  std::unordered_map<std::uint64_t, ChannelId> channel_;  ///< by pair of hosts; never iterated
  Pool<Message> messages_;
  std::string loss_;  ///< of the message that is reported lost
};

/// Cells that a packet takes.
std::uint32_t cells_of_packet(AdaptationLayer layer, Bytes packet);

}  // namespace morgana
