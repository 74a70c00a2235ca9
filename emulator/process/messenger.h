#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/process/carrier.h"
#include "emulator/process/losses.h"
#include "emulator/process/matcher.h"

namespace morgana {

/// Who asked for a send or receive and wants to know when it is done; chosen by the client.
enum class Token : std::uint32_t {};

/// A message as its receiver gets it.
struct ReceivedMessage {
  Envelope envelope;
  Bytes bytes;
  std::uint64_t payload = 0;
  SimTime cost;   ///< processor time that completing the receive takes, without copying the data
  ByteCost copy;  ///< of the bytes that are there when it completes, and of the others later
  Bytes coming;   ///< of a streamed message: bytes that are not there yet
  SimTime begun;  ///< when its send began; 0 of a service's
};

/// Told, at the simulated time at which it happens, how the messages fare.
class MessengerClient {
 public:
  /// A send that was not complete at once is: its buffer is free, or its receive has matched (synchronous).
  virtual void sent(Token token) = 0;
  /// A posted receive has left the line: its message comes, maybe much later; it can't be cancelled.
  virtual void matched(Token token) = 0;
  /// The receive has matched the send, which can't complete before: it is synchronous, or waits for a
  /// clearance.
  virtual void met(Token send, Token receive) = 0;
  /// A receive has its whole message, or the head of a streamed one if it takes that (maybe from within
  /// Messenger::receive).
  virtual void received(Token token, const ReceivedMessage& message) = 0;
  /// Whether a receive is content with the head of a message.
  virtual bool takes_heads(Token token) const = 0;
  /// More of a message whose head a receive has got is there. @param coming  0: it is whole
  virtual void more_came(Token token, Bytes coming) = 0;
  /// A send or a matched receive ends because what it has sent (the message, or a part of its protocol) was
  /// returned; nothing more is told of it. @param payload  the message's, which nobody else will get
  virtual void returned(Token token, const Envelope& envelope, std::uint64_t payload, Outcome why) = 0;
  /// A message (or the request of a rendezvous) has come that no receive was posted for.
  virtual void waits_unmatched(Rank receiver, const Envelope& envelope, Bytes bytes) = 0;
  /// A message's data are wholly at the receiver's host.
  virtual void delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) = 0;

 protected:
  ~MessengerClient() = default;
};

/// Carries messages between ranks: eager, by rendezvous or synchronous, through the transport or the memory
/// of a common host, and matches them with receives. Whoever calls it keeps the ranks' clocks.
///
/// A message with parts is streamed where the transport streams and the sender does not wait for an
/// acknowledgement: it is matched when its head is there, which is the envelope and whatever the transport
/// tells of with it; of a rendezvous, the head of the data. What asks for the whole still waits for that.
///
/// Rendezvous (request, clearance, data) is carried on by the interfaces: once a receive has matched, it
/// costs network time but does not wait for either processor. Within a host the data are copied once, from
/// one rank's memory to the other's, as soon as the receive has matched; what goes to the same receiver is
/// copied one after the other, in the order of the matches. An eager synchronous send completes when an
/// acknowledgement of the match has come back.
///
/// In general a message is pushed in part and pulled for the rest, of which eager (all is pushed) and
/// rendezvous (nothing is) are the two ends: its request brings the first bytes, others follow at once, and
/// the clearance asks for what is left. Where all that is left has been pushed there is no clearance. A
/// receiver has room for so many pushed bytes of messages that no receive was posted for; what finds none is
/// dropped and pulled with the rest. K.-P. Wong and C.-L. Wang, "Push-Pull Messaging", 1999, sections 2
/// and 3.
///
/// What the transport returns ends whatever still waits at the host that had sent it: the send, if its
/// message or request is returned before it was complete, or the receive that had cleared a rendezvous. At
/// the other host nobody learns of it, and who waits there waits for ever. Nothing is told where nobody
/// waits: of a send that was complete when it began or when all of it had been pushed, or of an
/// acknowledgement.
class Messenger : private ShipmentListener, private EventHandler {
 public:
  Messenger(Machine& machine, Carrier& carrier, MessengerClient& client);

  struct Send {
    Envelope envelope;
    Rank receiver;
    Bytes bytes;
    SendMode mode = SendMode::standard;
    std::uint64_t payload = 0;
    SimTime begun;  ///< when the send began, for the latency
    SimTime ready;  ///< when the sender's processor has done its part, >= now
    Token token{};
    bool has_parts = false;
    bool serves = false;  ///< from or to a service: no traffic of the program's
  };
  /// Processor time that the sender spends before the message is ready.
  SimTime send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const;
  /// @return whether the send is complete when it is ready; if not, sent() will tell
  bool send(const Send& send);
  /// Posts a receive. @return its place in line, Matcher::no_place if it has a message already
  Matcher::Place receive(Rank receiver, const Envelope& pattern, Token token);
  void cancel(Rank receiver, const Envelope& pattern, Matcher::Place place);

  struct Found {
    Envelope envelope;
    Bytes bytes;
    std::uint32_t message = 0;  ///< for receive_taken()
    SimTime begun;              ///< when its send began; 0 of a service's
  };
  /// The message that a receive posted now would get.
  std::optional<Found> find(Rank receiver, const Envelope& pattern);
  /// The same, and takes it out of the line: only receive_taken() gets it then, once.
  std::optional<Found> take(Rank receiver, const Envelope& pattern);
  void receive_taken(std::uint32_t message, Token token) { match(message, token); }

  /// Messages that came and were never received.
  std::uint64_t unreceived() const;
  /// How many of them the program's ranks sent to each other, and which was the first; empty if none.
  std::string unreceived_report() const;
  const Losses& losses() const { return losses_; }
  const std::vector<Matcher>& matchers() const { return matchers_; }

 private:
  enum class Leg : std::uint8_t { data, request, clearance, acknowledgement, second_push, start };
  struct Message {
    Send send;
    Token receive{};
    bool rendezvous = false, local = false, acknowledged = false;
    Bytes left;                 ///< of what is sent as data: all of an eager message
    Bytes pushed, second;       ///< of a rendezvous: with the request, right behind it
    Bytes kept;                 ///< in the unexpected buffer
    bool pushed_whole = false;  ///< with a second push: there is nothing left, unless the receiver drops it
    bool has_come = false;      ///< its head or request: it has matched, or waits for that
    bool second_is_there = false;
    // Of a streamed message:
    bool streamed = false;  ///< and not whole yet
    bool head_is_there = false;
    bool matched = false;  ///< its receive is `receive`
    bool head_is_taken = false;
    Bytes there;  ///< without the envelope
  };

  static SimTime begin_of(const Send& send);
  Found found(std::uint32_t number) const;
  void handle(std::uint64_t what) override;
  void shipment_departed(MessageId id) override;
  void shipment_reached(MessageId id, Bytes prefix) override;
  void shipment_delivered(MessageId id) override;
  void shipment_lost(MessageId id) override;
  void shipment_returned(MessageId id, Outcome why) override;

  struct Push {
    Bytes first, second;
  };
  Push push_of(bool local, Bytes bytes) const;
  bool may_drop() const { return machine_.messages.unexpected_buffer < MessageLayer().unexpected_buffer; }
  static bool has_second_push(const Message& message) {
    return message.second == Bytes() || message.second_is_there;
  }
  bool takes_room(std::uint32_t message, Bytes bytes);
  bool keep_unexpected(std::uint32_t message);
  void second_push_arrived(std::uint32_t message);
  void whole(std::uint32_t message);
  bool goes_by_rendezvous(bool local, Bytes bytes, SendMode mode) const;
  void start(std::uint32_t message);
  void ship(std::uint32_t message, Leg leg);
  void later(SimTime at, std::uint32_t message, Leg leg);
  bool come_to(std::uint32_t message);
  void match(std::uint32_t message, Token receive);
  void copy_within_host(std::uint32_t message);
  void hand_over(std::uint32_t message);
  void data_arrived(std::uint32_t message);
  void leg_done(std::uint32_t message, Leg leg);
  void forget(std::uint32_t message);
  void note_undelivered(MessageId id, std::optional<Outcome> returned);

  Machine& machine_;
  Carrier& carrier_;
  MessengerClient& client_;
  std::vector<Matcher> matchers_;       // by receiver
  std::vector<SimTime> copying_until_;  // by receiver: end of the last copy of a rendezvous within its host
  std::vector<Bytes> unexpected_;       // by receiver: bytes kept
  Pool<Message> messages_;
  Losses losses_;
};

}  // namespace morgana
