#pragma once

#include <cstdint>

#include "emulator/host/host_id.h"
#include "emulator/transport/infiniband/flow.h"
#include "emulator/transport/infiniband/flow_receiver.h"
#include "emulator/transport/infiniband/nics.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/requester.h"
#include "emulator/transport/infiniband/responder.h"
#include "emulator/transport/infiniband/shared.h"

namespace morgana::rc {

/// A queue pair: what one process has of its connection to another one. It sends requests, answers those of
/// its peer, keeps the pace of what it sends, and reports what of its peer's data comes.
struct QueuePair {
  QueuePair(Shared& all, QueuePairId number, HostId at)
      : shared(all), id(number), host(at), requester(*this), responder(*this), flow(*this), receiver(*this) {}
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  /// In the error state: it sends nothing and drops all that comes.
  bool has_failed() const { return requester.has_failed(); }

  /// Its turn at the port has come. Who may not send loses it.
  void take_turn(Turn turn);
  /// Whether the packet whose turn it is has a payload that the NIC fetches from memory.
  bool fetches_for(Turn turn) const;
  /// Hands a packet to the network. @param extension  as Rules::packet_size
  void send(Header header, Bytes extension, Bytes payload);
  /// A packet that it has sent has left its port.
  void packet_departed(PacketKind kind);
  void packet_came(const Header& header);

  /// Requests and read responses, whose turn it is first, of a flow whose window may have opened.
  void flow_may_send();
  /// The requests, read responses or pace of the connection may be ready, at either end.
  void became_ready();

  Shared& shared;
  const QueuePairId id;
  const HostId host;
  QueuePair* peer = nullptr;          ///< at the other host; set before anything is sent
  std::uint8_t traffic_class = 0;     ///< of all its packets but CNPs
  std::uint16_t udp_source_port = 0;  ///< of all its packets; its peer's is the same
  Requester requester;
  Responder responder;
  Flow flow;              ///< of the data that it sends
  FlowReceiver receiver;  ///< of its peer's flow
};

}  // namespace morgana::rc
