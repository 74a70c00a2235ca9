#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/messaging/endpoint_settings.h"
#include "emulator/messaging/machine.h"
#include "emulator/network/endpoint_network.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// Whether a message's tag says which they are. @param named  what a machine's endpoints are
bool tag_names_endpoints(EndpointSettings::Named named, Tag tag);

/// The endpoints between which a message of the ranks travels.
Ends ends_of(EndpointSettings::Named named, Rank from, Rank to, Tag tag);

/// What a message layer does for a network whose NICs hold endpoints: it addresses messages, asks for page
/// faults, and takes messages out of endpoints' queues. All of this does nothing on other networks.
class MessageEndpoints {
 public:
  /// @param machine  must outlive it; its network stays the same
  explicit MessageEndpoints(const Machine& machine)
      : machine_(machine), network_(machine.network ? machine.network->extensions().endpoints : nullptr) {}

  /// The tag names endpoints, so that the message is in its endpoint's queue until it is received.
  bool named_by(Tag tag) const { return tag_names_endpoints(machine_.endpoints.named, tag); }
  /// Whether a rank is suspended that now sends such a message to another host. @param nic  of its host
  bool suspends(Rank from, Rank to, Tag tag, std::size_t nic) const {
    return network_ != nullptr &&
           network_->suspends(static_cast<PortId>(machine_.port_of(from, nic)), ends_of(from, to, tag).from);
  }

  /// How a message is addressed.
  struct Address {
    Rank from{}, to{};  ///< of the program's message
    Tag tag{};
    bool answers = false;              ///< what is sent now travels from `to` to `from`
    bool held = false;                 ///< it is in its queue until take_out()
    EndpointWriter* writer = nullptr;  ///< EndpointAddress::writer
    std::uint64_t write = 0;           ///< EndpointAddress::write
  };
  /// Must come right before Transport::send of the message, to another host.
  void address(const Address& address) {
    if (network_ != nullptr) pass_on(address);
  }
  /// The receiver takes a held message out of its endpoint's queue. @param nic  of the receiver's host
  void take_out(Rank from, Rank to, Tag tag, std::size_t nic) {
    if (network_ != nullptr)
      network_->consumed(static_cast<PortId>(machine_.port_of(to, nic)), ends_of(from, to, tag));
  }

 private:
  Ends ends_of(Rank from, Rank to, Tag tag) const {
    return morgana::ends_of(machine_.endpoints.named, from, to, tag);
  }
  void pass_on(const Address& address);

  const Machine& machine_;
  EndpointNetwork* network_;  // null: there is none
};

}  // namespace morgana
