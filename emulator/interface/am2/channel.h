#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/endpoints.h"
#include "emulator/network/network.h"

namespace morgana::am2 {

enum class PacketType : std::uint8_t { data, ack, nack };

/// Between two NICs. Stop and wait on a channel needs two sequence numbers only; a channel that was
/// given up begins a new session, which stands for the sequence number marked as uninitialised.
struct Packet {
  PortId from{}, to{};  ///< different
  PacketType type = PacketType::data;
  std::uint32_t channel = 0;
  bool sequence = false;  ///< of an ACK or NACK: the data packet's, like timestamp and session
  std::uint32_t session = 0;
  SimTime timestamp;          ///< when this copy was sent
  std::uint32_t message = 0;  ///< of data: the sender's number of what it is a part of
  std::uint64_t number = 0;   ///< of data: among all that its sender has given a channel
  Bytes payload{};
  Ends ends{};                ///< of data
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
  SimTime refused = SimTime::from_ps(-1);  ///< timestamp of the copy that was refused last
};

}  // namespace morgana::am2
