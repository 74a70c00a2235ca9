#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/host/host_id.h"
#include "emulator/network/diagnostics.h"
#include "emulator/operations/outcome.h"

namespace morgana {

class ShipmentListener;

/// A message that a transport carries: the number by which its sender knows it, unique among the sender's
/// while it is under way, and who gets the reports about it.
struct MessageId {
  std::uint64_t number = 0;
  ShipmentListener* listener = nullptr;  ///< of whatever is handed to a transport: not null
  bool operator==(const MessageId&) const = default;
};

/// A part of a message: elements of one size, one behind the other; the last may be shorter.
struct ElementRun {
  Bytes element;  ///< > 0
  Bytes bytes;    ///< of all of them
  bool operator==(const ElementRun&) const = default;
};

/// What a message does at the other host. A transport without remote memory (Transport::remote_memory) knows
/// sends only.
enum class Verb : std::uint8_t {
  send,             ///< goes into a buffer that the receiving host has posted
  write,            ///< goes into the receiving host's memory, and its software has no part in it
  write_immediate,  ///< likewise, but its software learns of it: takes a buffer as a send does
  read,             ///< brings the bytes from the memory of `to` to `from`
};

/// By which NICs of its host a message goes, where hosts have several (StripedMessages).
enum class Stripes : std::uint8_t {
  none,   ///< by that of `from`
  parts,  ///< an equal part of its bytes by each
  each,   ///< all of it by each: it is there when the last one is
};

struct Shipment {
  MessageId id;
  HostId from;
  HostId to;    ///< another host than `from`
  Bytes bytes;  ///< >= 0
  /// Where the transport streams: the listener gets reports of how much has come.
  bool streamed = false;
  // Where the transport serves kernels (Transport::asks):
  bool by_program = false;  ///< the program's processor has brought it to the NIC
  bool asks = false;        ///< the receiving host may refuse parts of it, which come again then
  /// Of the two hosts: what is refused, or repeated, holds up only what is sent behind it on the same
  /// channel. Where the transport knows channels (Transport::asks, Transport::connects_processes).
  std::uint64_t channel = 0;
  /// Where the transport divides no elements: what its last bytes are, as far as that is known; at most all
  /// of them. Only within Transport::send.
  std::span<const ElementRun> elements = {};
  Verb verb = Verb::send;  ///< others where the transport has remote memory (Transport::remote_memory)
  /// The listener gets a report when the sending host has learned of the delivery. Where the transport has
  /// remote memory, and by TCP.
  bool completes = false;
  /// Of the data of its channel, of which all messages have the same; nothing: the transport's own choice.
  /// Where the transport connects processes (Transport::connects_processes).
  std::optional<std::uint8_t> traffic_class = {};
  /// Where the transport copies in kernels (Transport::copies_in_kernels): it comes in pieces of this size,
  /// of which the first is what is left over; shipment_reached() reports when each but the last is there;
  /// 0: in one. A transport that does not know it delivers all pieces with the message.
  Bytes piece = {};
  Stripes stripes = Stripes::none;  ///< others where the transport is StripedMessages
};

/// What a receiving host does with a part of a message that asks.
enum class Admission : std::uint8_t {
  taken,
  no_room,  ///< dropped; the host may take it when it comes again
  dropped,  ///< as if it had been lost
};

/// Is called, at the simulated time at which it happens, with what became of the messages that name it.
class ShipmentListener {
 public:
  /// The sending host's buffer is free again. Always comes before the delivery.
  virtual void shipment_departed(MessageId id) = 0;
  /// Of a message that is streamed, or comes in pieces: its first `prefix` bytes are at the receiving host
  /// and may be taken out there; more than before, fewer than all. Never after the delivery or the loss; the
  /// message may still be lost after this report.
  virtual void shipment_reached(MessageId /*id*/, Bytes /*prefix*/) {}
  /// Of a message that asks: its next `size` bytes, `before` of which have come before, are at the receiving
  /// host. What that does not take comes again.
  virtual Admission shipment_admitted(MessageId /*id*/, Bytes /*before*/, Bytes /*size*/) {
    return Admission::taken;
  }
  /// The whole message is at the receiving host (of a read: at the host that reads).
  virtual void shipment_delivered(MessageId id) = 0;
  /// Of a message that completes: the sending host has learned that it has been delivered. Not of reads.
  virtual void shipment_completed(MessageId /*id*/) {}
  /// An unreliable transport has lost it. (Each message is delivered, lost or returned, once.)
  virtual void shipment_lost(MessageId id) = 0;
  /// A reliable transport gives it back to the sending host, which learns that it will not be delivered. That
  /// its departure may still be reported after this.
  /// @param why  not Outcome::delivered
  virtual void shipment_returned(MessageId id, Outcome why) = 0;

 protected:
  ~ShipmentListener() = default;
};

/// What a library still has to do on a rank's processor: it is busy for `cost` from `released` on, or from
/// when it is free if that is later. (Pieces that come one by one are such a piece of work: in the end the
/// processor is late by the same, whenever it begins.)
struct ProcessorWork {
  SimTime released, cost;
};

/// How many pieces of a message (Shipment::piece) are to come, of which `rest` bytes are to come.
constexpr std::int64_t pieces_to_come(Bytes rest, Bytes piece) {
  return (rest.count() + piece.count() - 1) / piece.count();
}

/// What a transport promises of its messages; the same all the time.
struct TransportGuarantees {
  /// Messages between the same two hosts are delivered in the order in which they were sent, those of each
  /// channel or pair of endpoints by themselves.
  bool ordered = true;
  /// Every message is delivered, however long that takes, as long as no part of the network fails. A message
  /// that is given up all the same must end the run.
  bool reliable = false;
  /// The listener gets reports of how much of a streamed message has come. A transport whose frames come out
  /// of order reports the part without gaps (ArrivedPrefix). One that does not stream delivers every message
  /// whole.
  bool streams = false;
  /// It may return messages.
  bool returns = false;
};

/// What a transport reports for people. Of losses: within shipment_lost and shipment_returned.
class TransportDiagnostics : public LossDiagnostics {
 public:
  /// What the protocol did so far.
  virtual std::vector<CounterTable> counted() const { return {}; }

 protected:
  ~TransportDiagnostics() = default;
};

/// Messages between hosts, made of a network's units.
class Transport : public TransportDiagnostics {
 public:
  virtual ~Transport() = default;
  /// Hands a message to the sending host's NIC, now (the event queue's).
  virtual void send(const Shipment& shipment) = 0;
  /// Whether its library works on the ranks' processors.
  virtual bool works_on_processors() const { return false; }
  /// Of a transport whose library copies messages piece by piece while pieces are under way: the processor
  /// time that sending takes the sending rank, from send() on.
  virtual SimTime sending_work(Bytes /*bytes*/) { return SimTime(); }
  /// Within shipment_delivered: the same of the receiving rank.
  virtual ProcessorWork receiving_work() const { return {}; }
  /// Within shipment_departed, shipment_delivered and shipment_completed: for how much of the time since it
  /// was handed over the message has waited for retransmission timers (TimerWait).
  virtual SimTime timer_wait() const { return {}; }
  virtual TransportGuarantees guarantees() const { return {}; }
  /// Whether it cares for Shipment::elements. The same all the time.
  virtual bool keeps_elements_whole() const { return false; }
  /// Whether it knows channels, and asks for messages that want it.
  virtual bool asks() const { return false; }
  /// Whether a message is one unit of the network and needs nothing else to be sent. The same all the time.
  virtual bool sends_single_units() const { return false; }
  /// Whether it writes and reads the memory of the other host by itself (Verb).
  virtual bool remote_memory() const { return false; }
  /// Whether two processes have a connection of their own: Shipment::channel is to name their pair.
  virtual bool connects_processes() const { return false; }
  /// Messages of up to so many bytes are in the work request, so that they need not lie in registered memory.
  virtual Bytes inline_limit() const { return Bytes(); }
  /// Whether the hosts' kernels copy what it carries between the programs' memory and sockets, so that no
  /// protocol of the library's moves data without a copy on each side. The same all the time.
  virtual bool copies_in_kernels() const { return false; }
  /// What its header takes of each unit of a message.
  virtual Bytes unit_header() const { return Bytes(); }
};

}  // namespace morgana
