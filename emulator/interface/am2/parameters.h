#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/interface/lanai/parameters.h"

namespace morgana::am2 {

/// What a NIC's processor and the firmware of Active Messages II on it cost, and what the firmware
/// does about losses. Where each default comes from: docs/decisions/0031-active-messages-ii.md.
struct Parameters {
  LanaiParameters lanai;

  std::int64_t dispatch = 10;   ///< cycles until a pending event has its handler, > 0
  std::int64_t message = 214;   ///< cycles of serving a message and of receiving one, >= 0
  std::int64_t completion = 0;  ///< cycles of what follows when one has left, >= 0
  std::int64_t control = 59;    ///< cycles of making or taking in an ACK or NACK, >= 0
  std::int64_t transfer = 62;   ///< cycles of what follows a host DMA, >= 0
  std::int64_t scan = 20;       ///< cycles of a scan for each peer, >= 0

  std::int64_t channels = 4;        ///< logical channels for each peer, >= 1
  std::int64_t loiter = 8;          ///< messages of one endpoint in a visit, >= 1
  std::int64_t frames = 7;          ///< of endpoints in the NIC's memory, >= 1
  std::int64_t receive_queue = 16;  ///< entries of each of an endpoint's two receive queues, >= 1
  /// Each for one longer message until it is in the host's memory, or for short ones and ACKs side by side
  /// until they are looked at. With none that is empty the link is stopped. >= 1
  std::int64_t receive_buffers = 4;
  std::int64_t send_buffers = 1;  ///< medium messages that are in the NIC on their way out, >= 1
  Bytes short_message{32};        ///< up to this the host's processor moves a message, and no DMA
  Bytes largest_payload{8192};    ///< of a message of the NIC: longer ones take several; > 0
  Bytes header{24};               ///< of every message on the network, behind its type
  Bytes control_size{16};         ///< of an ACK or NACK, behind its type
  SimTime quantum = SimTime::from_ps(20'000'000'000);  ///< between two scans, > 0
  std::uint32_t tries = 255;  ///< retransmissions without an ACK or NACK, then the message is returned; >= 1

  /// The segment driver takes a host's endpoints away each so often, as if others needed their frames; 0:
  /// never, but where there are more endpoints than frames.
  SimTime evict_every;
  SimTime residence =
      SimTime::from_ps(40'000'000'000);  ///< for which an endpoint keeps its frame at least, >= 0
  SimTime load = SimTime::from_ps(
      100'000'000);  ///< until the segment driver has loaded an endpoint into a free frame, > 0

  /// Whether the host's processor moves a message with this payload.
  bool is_short(Bytes payload) const { return payload <= short_message; }
  /// @throws Error naming what is out of range
  void check() const;
};

}  // namespace morgana::am2
