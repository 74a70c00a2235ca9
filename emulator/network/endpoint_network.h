#pragma once

#include <cstdint>

#include "emulator/network/endpoints.h"
#include "emulator/network/network.h"

namespace morgana {

/// Learns when a write is over that has suspended its program (a page fault).
class EndpointWriter {
 public:
  /// The endpoint that the program writes to is in the NIC's memory, so that the program goes on. Never after
  /// the message's delivery, and never within EndpointNetwork::address_next or Network::inject.
  /// @param write  EndpointAddress::write
  virtual void endpoint_written(std::uint64_t write) = 0;

 protected:
  ~EndpointWriter() = default;
};

/// Between which endpoints a message travels, and who waits for its write.
struct EndpointAddress {
  Ends ends{};
  EndpointWriter* writer = nullptr;  ///< is notified when the write is over; none: no program is suspended
  std::uint64_t write = 0;           ///< by which the writer knows the write
};

/// Networks whose NICs hold programs' endpoints in their memory (Active Messages II) provide this interface
/// in addition to Network (NetworkExtensions::endpoints).
class EndpointNetwork {
 public:
  /// The next unit that is injected travels between these endpoints. A unit without an address travels
  /// between the endpoints 0 of its hosts. The sender calls this before it hands a message to a transport
  /// that injects the message as one unit, within the same call; so transports know nothing of endpoints.
  virtual void address_next(const EndpointAddress& address) = 0;
  /// Whether a program is suspended that now writes a message to this endpoint: a page fault.
  virtual bool suspends(PortId at, EndpointId endpoint) const = 0;
  /// A program has taken a held message out of its receiving endpoint's queue.
  virtual void consumed(PortId at, const Ends& ends) = 0;

 protected:
  ~EndpointNetwork() = default;
};

}  // namespace morgana
