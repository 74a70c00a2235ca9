#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// What an event or a shipment of LibraryMessenger is about.
enum class LibraryLeg : std::uint8_t {
  data,
  request,
  clearance,
  acknowledgement,
  second_push,
  recall,    ///< the sender wants the message back
  recalled,  ///< no receive had matched it, and none will
  prepared,  ///< the receiver is ready to answer a request
  read,      ///< the receiver reads the data
  finish,    ///< to the side that has not moved the data: they are there
  start,
  in_socket,      ///< the first piece of the data, which the sender's kernel has copied
  all_in_socket,  ///< all of them, and the transport has let the buffer go
  piece,          ///< the sender's kernel has copied another one, for which the receiver's socket waits
};

constexpr bool brings_data(LibraryLeg leg) {
  return leg == LibraryLeg::request || leg == LibraryLeg::second_push || leg == LibraryLeg::data ||
         leg == LibraryLeg::read;
}

/// A message of the library, from its send until both sides are done with it and nothing of it is under way.
/// Thousands may wait in a NIC or for their receive: small things stand together.
struct alignas(64) LibraryMessage {
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  Messenger::Sent send;
  Token receive{};
  std::uint32_t rare = nothing;  ///< where the table has its LibraryMessageTable::Rare, if it has any of that
  bool rendezvous = false, local = false, acknowledged = false;
  bool holds_buffer = false;  ///< an eager one that is fetched from its sender's buffer, whose send waits
  bool suspended = false;     ///< its sender, until its write is over
  bool held = false;          ///< has an entry in its receiving endpoint's queue, to be given back
  bool pushed_whole = false;  ///< with a second push: nothing is left, unless the receiver drops it
  bool has_come = false;      ///< its head or request: it has matched, or waits for that
  bool second_is_there = false;
  bool started = false;  ///< its request, or what it brings, has been sent
  bool recall_sent = false;
  bool recalling = false;          ///< its recall is under way, or the answer
  bool departed = false;           ///< all that the send waits for, perhaps during the recall
  bool withdrawn = false;          ///< no receive will match it any more
  bool over = false;               ///< nothing else of it is under way
  bool finished = false;           ///< of a rendezvous by write: its data are there, and the receiver knows;
                                   ///< of one that holds a buffer: its receive has it
  bool written = false;            ///< and the sender knows that its data are there
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

  /// @return the payload of a message that does not arrive; 0 if it has been given away
  std::uint64_t take_payload() { return head_is_taken ? 0 : std::exchange(send.payload, 0); }
};
static_assert(sizeof(LibraryMessage) == 128);

/// The messages of the library by number, and what few of them have anything of. A number is free again once
/// its message is forgotten. References last until the next message is added.
class LibraryMessageTable {
 public:
  /// All zero or empty of messages that have none of it.
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
    bool piece_is_due = false;           ///< LibraryLeg::piece is scheduled
    ProcessorWork work;                  ///< the transport's, on the receiver's processor
    std::uint64_t turn = 0;              ///< PairOrder::number; 0: none, it overtakes no other
    std::vector<ElementRun> elements{};  ///< of the send
  };

  std::uint32_t add(const LibraryMessage& message = {}) { return messages_.take(message); }
  /// Both sides are done with the message: its number is free, or will be when its recall is over.
  void forget(std::uint32_t number);
  LibraryMessage& operator[](std::uint32_t number) { return messages_[number]; }
  const LibraryMessage& operator[](std::uint32_t number) const { return messages_[number]; }

  const Rare& rare_of(const LibraryMessage& message) const {
    return message.rare == LibraryMessage::nothing ? no_rare_ : rare_[message.rare];
  }
  /// The same to be changed. The reference lasts until the next message has any.
  Rare& make_rare(LibraryMessage& message) {
    if (message.rare == LibraryMessage::nothing) message.rare = rare_.take(Rare());
    return rare_[message.rare];
  }
  /// The sender's kernel has not copied all of the data yet.
  bool is_being_copied(const LibraryMessage& message, SimTime now) const {
    return rare_of(message).copied > now;
  }
  /// Its second push has come, or it has none.
  bool has_second_push(const LibraryMessage& message) const {
    return message.second_is_there || rare_of(message).second == Bytes();
  }
  /// @param with_data  the wait was that of legs that are under way at once, with the data
  void note_timer_wait(LibraryMessage& message, bool with_data, SimTime wait);

  /// What lets a rank continue that has waited for the message until now.
  Origin origin(const LibraryMessage& message, SimTime now) const;
  /// What lets a sender continue whose data have left.
  Origin departure(const LibraryMessage& message, SimTime now) const;

 private:
  SimTime in_network(const LibraryMessage& message, const Origin& origin) const;

  Pool<LibraryMessage> messages_;
  Pool<Rare> rare_;
  Rare no_rare_;
};

}  // namespace morgana
