#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/network.h"

namespace morgana::am2 {

enum class PacketType : std::uint8_t { data, ack, nack };

/// Between two interfaces. Stop and wait on a channel needs two sequence numbers only; a channel that was
/// given up begins a new session, which stands for the sequence number marked as uninitialised.
struct Packet {
  PortId from{}, to{};  ///< different
  PacketType type = PacketType::data;
  std::uint32_t channel = 0;
  bool sequence = false;  ///< of an ACK or NACK: the data packet's, like timestamp and session
  std::uint32_t session = 0;
  SimTime timestamp;          ///< when this copy was sent
  std::uint32_t message = 0;  ///< of data: the sender's number of what it is a part of
  Bytes payload{};
  std::uint32_t retries = 0;  ///< of data: since the last feedback, or since its endpoint was loaded
  bool again = false;         ///< of data: not for the first time
};

/// An entry of the send table.
struct SendChannel {
  bool in_use = false;
  bool waits = false;  ///< the packet is on its way to the network, so that no scan looks at it
  bool next_sequence = false;
  std::uint32_t session = 0;
  std::uint32_t retries = 0;  ///< since the last feedback
  bool feedback = false;      ///< a NACK has come for the latest copy: no older answer is under way
  Packet unacknowledged;      ///< with the time at which its latest copy was sent
};

/// An entry of the receive table.
struct ReceiveChannel {
  bool expected = false;
  std::uint32_t session = 0;
};

/// Where the host's endpoint is. It is unloaded to the host's memory when all of its packets have an ACK or a
/// NACK for their latest copy, and takes nothing in from the moment on at which that was asked for.
enum class Residency : std::uint8_t { resident, unloading, absent, loading };

/// What a host has posted for a peer, of which `taken` bytes are in packets already.
struct Posted {
  std::uint32_t message = 0;
  Bytes bytes, taken;
  bool again = false;  ///< a packet that was refused, and that an unloaded endpoint has taken back
};

/// The rows of both tables for one peer, and what waits for it.
struct Peer {
  PortId port{};
  std::deque<Posted> queue;
  bool in_line = false;
  std::int64_t unacknowledged = 0;  ///< channels in use: a scan skips a peer that has none
  std::vector<SendChannel> send;
  std::vector<ReceiveChannel> receive;
};

}  // namespace morgana::am2
