#pragma once

#include <array>
#include <cstdint>

#include "emulator/core/host_use.h"
#include "emulator/process/machine.h"

namespace morgana {

/// Takes bytes from one rank's host to another's, through the transport or the memory of a common host.
class Carrier : private ShipmentListener {
 public:
  /// Those who send through it; each is told of its own shipments only.
  enum class Desk : std::uint8_t { messages, remote_access };

  explicit Carrier(Machine& machine);

  void serve(Desk desk, ShipmentListener& listener) {
    listeners_[static_cast<std::size_t>(desk)] = &listener;
  }
  bool is_local(Rank a, Rank b) const { return machine_.host_of[index(a)] == machine_.host_of[index(b)]; }
  /// Between hosts, now. @param id  below 2^62; comes back to the desk's listener
  void ship(Desk desk, std::uint64_t id, Rank from, Rank to, Bytes bytes, bool streamed = false);
  /// Between hosts, now, with what else the shipment says; its number and hosts are filled in.
  void ship(Desk desk, std::uint64_t id, Rank from, Rank to, Shipment shipment);
  /// Notes what the program has sent. @param local  through the memory of a common host
  void count(bool local, Bytes bytes) { (local ? within_ : between_).add(bytes); }
  const Traffic& within_hosts() const { return within_; }
  const Traffic& between_hosts() const { return between_; }
  /// What the transport's library does on a rank's processor for a message between hosts
  /// (Transport::sending_work, receiving_work).
  SimTime sending_work(Bytes bytes) const { return machine_.transport->sending_work(bytes); }
  ProcessorWork receiving_work() const { return machine_.transport->receiving_work(); }
  /// Whether streamed shipments are told of before they are whole.
  bool streams() const { return machine_.transport && machine_.transport->streams(); }

 private:
  void shipment_departed(MessageId id) override;
  void shipment_reached(MessageId id, Bytes prefix) override;
  Admission shipment_admitted(MessageId id, Bytes before, Bytes size) override;
  void shipment_delivered(MessageId id) override;
  void shipment_lost(MessageId id) override;
  void shipment_returned(MessageId id, Outcome why) override;
  ShipmentListener& listener(MessageId id) const;

  Machine& machine_;
  Traffic within_, between_;
  std::array<ShipmentListener*, 2> listeners_{};
};

}  // namespace morgana
