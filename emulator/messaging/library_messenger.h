#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/host/host_memory.h"
#include "emulator/messaging/leg_number.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/message_endpoints.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// The message-passing library carries messages: eager, by rendezvous or synchronous, in the ranks' calls.
///
/// A message with parts is streamed where the transport streams and the sender does not wait for an
/// acknowledgement: it is matched when its head is there, which is the envelope and whatever the transport
/// tells of with it; of a rendezvous, the head of the data. What asks for the whole still waits for that.
///
/// Rendezvous (request, clearance, data) is carried on by the interfaces: once a receive has matched, it
/// costs network time but does not wait for either processor. Within a host the data are copied once, from
/// one rank's memory to the other's, as soon as the receive has matched; what goes to the same receiver is
/// copied one after the other, in the order of the matches; copies to different receivers share the host's
/// memory (HostMemory) if the machine has one. An eager synchronous send completes when an acknowledgement of
/// the match has come back.
///
/// In general a message is pushed in part and pulled for the rest, of which eager (all is pushed) and
/// rendezvous (nothing is) are the two ends: its request brings the first bytes, others follow at once, and
/// the clearance asks for what is left. Where all that is left has been pushed there is no clearance. A
/// receiver has room for so many pushed bytes of messages that no receive was posted for; what finds none is
/// dropped and pulled with the rest. K.-P. Wong and C.-L. Wang, "Push-Pull Messaging", 1999, sections 2
/// and 3.
///
/// Where kernels copy what passes sockets (Transport::copies_in_kernels), a rendezvous spares no copy either.
/// What is left of it is copied at the sender once the clearance has come, a rank's messages one after the
/// other, while data are under way, in pieces of at most the eager limit. So the first piece is copied before
/// the data leave, the sender's buffer is free when all is copied at the earliest, and the data are there no
/// sooner than that. The client is told of each piece that has come into the receiver's socket, which its
/// processor has to read.
///
/// Where hosts read and write each other's memory (RendezvousBy), a receiver that has matched a request reads
/// what is left and then tells the sender, which completes the send with that; or the sender that is cleared
/// writes it and then tells the receiver, which completes the receive with that, and completes the send when
/// the write is acknowledged.
///
/// What the transport returns ends whatever still waits at the host that had sent it: the send, if its
/// message or request is returned before it was complete, or the receive that had cleared a rendezvous. At
/// the other host nobody learns of it, and who waits there waits for ever. Nothing is told where nobody
/// waits: of a send that was complete when it began or when all of it had been pushed, or of an
/// acknowledgement. But where tags name endpoints (EndpointSettings) such a message comes back: its
/// sender can receive it, with a tag that says so, from the rank that it was for.
class LibraryMessenger final : public Messenger,
                               private ShipmentListener,
                               private EventHandler,
                               private EndpointWriter,
                               private MemoryUser {
 public:
  LibraryMessenger(Machine& machine, MessengerClient& client);

  SendCost send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const override;
  Begun send(const Send& send) override;
  void recall(std::uint32_t message) override;
  Posted receive(Rank receiver, const Envelope& pattern, Token token) override;
  Bytes match_matters_beyond() const override;
  SimTime receive_taken(std::uint32_t message, Token token) override {
    match(message, token, true);
    return SimTime();
  }

 private:
  enum class Leg : std::uint8_t {
    data,
    request,
    clearance,
    acknowledgement,
    second_push,
    recall,    ///< the sender wants it back
    recalled,  ///< no receive had matched it, and none will
    prepared,  ///< the receiver is ready to answer a request
    read,      ///< the receiver reads the data
    finish,    ///< to the side that has not moved the data: they are there
    start,
    in_socket,      ///< the first piece of the data, which the sender's kernel has copied
    all_in_socket,  ///< all of them, and the transport has let the buffer go
    piece,          ///< the sender's kernel has copied another one, for which the receiver's socket waits
  };
  using Number = LegNumber<Leg>;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  /// Thousands may wait in an interface or for their receive: small things stand together.
  struct alignas(64) Message {
    Sent send;
    Token receive{};
    std::uint32_t rare = nothing;  ///< its slot in rare_, if it has any of that
    bool rendezvous = false, local = false, acknowledged = false;
    bool suspended = false;  ///< its sender, until its write is over
    bool held = false;       ///< has an entry in its receiving endpoint's queue, which take_out() gives back
    bool pushed_whole = false;  ///< with a second push: there is nothing left, unless the receiver drops it
    bool has_come = false;      ///< its head or request: it has matched, or waits for that
    bool second_is_there = false;
    bool started = false;  ///< its request, or what it brings, has been sent
    bool recall_sent = false;
    bool recalling = false;          ///< its recall is under way, or the answer
    bool departed = false;           ///< meanwhile, all that the send had to wait for
    bool withdrawn = false;          ///< no receive will match it any more
    bool over = false;               ///< nothing else of it is under way
    bool finished = false;           ///< of a rendezvous by write: its data are there, and the receiver knows
    bool written = false;            ///< and the sender
    bool matched = false;            ///< its receive is `receive`
    bool receiver_was_late = false;  ///< it has waited for its receive, at `asked`; else for its sender
    // Of a streamed message:
    bool streamed = false;  ///< and not whole yet
    bool head_is_there = false;
    bool head_is_taken = false;
    Bytes left;       ///< of what is sent as data: all of an eager message
    SimTime shipped;  ///< when its data were handed to the transport
    SimTime came;     ///< when they were there
    SimTime asked;    ///< see receiver_was_late
  };
  static_assert(sizeof(Message) == 128);
  /// What few messages have anything of.
  struct Rare {
    SimTime left_at;  ///< when the transport let the sender's buffer go, if it was not all copied then
    SimTime copied;   ///< Transport::copies_in_kernels: when the sender's kernel has copied all of the data
    // For retransmission timers, since it was sent or, of a late receive, since `asked`:
    SimTime agreeing_waited;             ///< its request and what answers that
    SimTime data_waited;                 ///< its data
    Bytes pushed, second;                ///< of a rendezvous: with the request, right behind it
    Bytes kept;                          ///< in the unexpected buffer
    Bytes there;                         ///< of a streamed one, without the envelope
    Bytes in_socket, told;               ///< of `left`: has come to the receiver's, its client knows of
    bool piece_is_due = false;           ///< Leg::piece is scheduled
    ProcessorWork work;                  ///< the transport's, on the receiver's processor
    std::vector<ElementRun> elements{};  ///< of the send
  };

  const Sent& send_of(std::uint32_t message) const override { return messages_[message].send; }
  Origin origin_of(std::uint32_t message) const override;
  Origin departure_of(std::uint32_t message) const;
  SimTime on_wire(const Message& message, const Origin& origin) const;
  const Rare& rare_of(const Message& message) const {
    return message.rare == nothing ? no_rare_ : rare_[message.rare];
  }
  /// The same to be changed. The reference lasts until the next message has any.
  Rare& make_rare(Message& message) {
    if (message.rare == nothing) message.rare = rare_.take(Rare());
    return rare_[message.rare];
  }
  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  void shipment_departed(MessageId id) override;
  void endpoint_written(std::uint64_t message) override;
  void memory_done(std::uint64_t message, CopyId copy) override;
  void shipment_reached(MessageId id, Bytes prefix) override;
  void shipment_delivered(MessageId id) override;
  void shipment_completed(MessageId id) override;
  void shipment_lost(MessageId id) override;
  void shipment_returned(MessageId id, Outcome why) override;

  struct Push {
    Bytes first, second;
  };
  Push push_of(bool local, Bytes bytes) const;
  SimTime transports_work(bool local, bool rendezvous, Bytes bytes) const;
  bool may_drop() const { return machine_.messages.unexpected_buffer < MessageLayer().unexpected_buffer; }
  bool has_second_push(const Message& message) const {
    return message.second_is_there || rare_of(message).second == Bytes();
  }
  bool takes_room(std::uint32_t message, Bytes bytes);
  bool keep_unexpected(std::uint32_t message);
  void second_push_arrived(std::uint32_t message);
  void whole(std::uint32_t message);
  bool goes_by_rendezvous(bool local, Bytes bytes, SendMode mode) const;
  void start(std::uint32_t message);
  void ship(std::uint32_t message, Leg leg);
  RendezvousBy rendezvous_by() const { return machine_.messages.rendezvous; }
  void send_is_over(std::uint32_t message);
  void finished(std::uint32_t message);
  void answer_request(std::uint32_t message);
  bool passes_sockets(const Message& message) const;
  Bytes socket_piece(const Message& message) const;
  void copy_into_socket(std::uint32_t message);
  bool waits_for_copy(const Message& message) const {
    return rare_of(message).copied > machine_.events->now();
  }
  bool is_read_from_socket(const Message& message) const;
  void came_into_socket(std::uint32_t message, Bytes there);
  void forget_if_written(std::uint32_t message);
  void take_out(Message& message);
  void turn_back(std::uint32_t message);
  void later(SimTime at, std::uint32_t message, Leg leg);
  bool come_to(std::uint32_t message);
  /// @param late  the message was there before the receive
  void match(std::uint32_t message, Token receive, bool late);
  void copy_within_host(std::uint32_t message);
  void begin_copy(std::uint32_t message);
  void local_copy_done(std::uint32_t message);
  void hand_over(std::uint32_t message);
  void data_arrived(std::uint32_t message);
  void leg_done(std::uint32_t message, Leg leg);
  void ask_back(std::uint32_t message);
  void recall_came(std::uint32_t message);
  void recall_answered(std::uint32_t message);
  void recall_over(std::uint32_t message);
  void forget_if_withdrawn(std::uint32_t message);
  void forget(std::uint32_t message);
  static bool brings_data(Leg leg);
  /// Whether it writes into the receiver's memory, of which the sender then learns (Shipment::completes).
  bool completes(const Message& message, Leg leg) const {
    return leg == Leg::data && message.rendezvous && rendezvous_by() != RendezvousBy::send;
  }
  void note_timer_wait(MessageId id);
  std::uint64_t take_payload(std::uint32_t message);
  void drop(std::uint32_t message);
  void note_undelivered(MessageId id, std::optional<Outcome> returned);

  Machine& machine_;
  MessageEndpoints endpoints_;
  bool transport_works_;  // on the ranks' processors
  MessengerClient& client_;
  std::vector<SimTime> copying_until_;  // by receiver: end of the last copy of a rendezvous within its host
  tsl::robin_map<std::uint32_t, SimTime> in_sockets_at_;  // by sender: end of its last copy into a socket
  /// Where the host's memory may slow them: by receiver, those that wait for its copies and the one under
  /// way.
  tsl::robin_map<std::uint32_t, std::deque<std::uint32_t>> copies_;
  std::vector<Bytes> unexpected_;  // by receiver: bytes kept
  Pool<Message> messages_;
  Pool<Rare> rare_;
  Rare no_rare_;
};

}  // namespace morgana
