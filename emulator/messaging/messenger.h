#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/host/host_memory.h"
#include "emulator/messaging/losses.h"
#include "emulator/messaging/matcher.h"
#include "emulator/operations/causality.h"
#include "emulator/operations/context.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Names a send or receive in reports to the client, which chooses it.
enum class Token : std::uint32_t {};

/// A message as its receiver gets it.
struct ReceivedMessage {
  Envelope envelope;
  Bytes bytes;
  std::uint64_t payload = 0;
  SimTime cost;   ///< CPU time that completing the receive takes, without copying the data
  SimTime early;  ///< how long ago that could begin: a rank that has waited since then has spent it meanwhile
  ByteCost copy;  ///< of the bytes that are there when it completes, and of the others later
  Bytes coming;   ///< of a streamed message: bytes that are not there yet
  SimTime begun;  ///< when its send began; 0 of a service's
  Origin origin;
};

/// Is called, at the simulated time at which it happens, with what becomes of the messages.
class MessengerClient {
 public:
  /// A send that was not complete at once is: its buffer is free, or its receive has matched (synchronous).
  virtual void sent(Token token, const Origin& origin) = 0;
  /// A posted receive has left the line: its message comes, maybe much later; it can't be cancelled.
  virtual void matched(Token token) = 0;
  /// The sender of a suspended send continues (Messenger::Begun::suspended).
  virtual void resumed(Token /*token*/) {}
  /// The receive has matched the send, which can't complete before: it is synchronous, or waits for a
  /// CTS.
  virtual void met(Token send, Token receive) = 0;
  /// A receive has its whole message, or the head of a streamed one if it takes that (maybe from within
  /// Messenger::receive).
  virtual void received(Token token, const ReceivedMessage& message) = 0;
  /// A piece of its message is in a socket of the receiver's, whose processor takes `cost` to read it
  /// (Transport::copies_in_kernels), or a whole one in a buffer of its library's
  /// (ReceiveCopies::in_progress). Those that come with the last byte come before received(). No other report
  /// has this cost.
  virtual void came_into_socket(Token token, SimTime cost, const Origin& origin) = 0;
  /// Whether a receive is content with the head of a message.
  virtual bool takes_heads(Token token) const = 0;
  /// More of a message whose head a receive has got is there. @param coming  0: it is whole
  virtual void more_came(Token token, Bytes coming) = 0;
  /// A send or a matched receive ends because what it has sent (the message, or a part of its protocol) was
  /// returned; it is not reported again. @param payload  the message's, which no receive will get
  virtual void returned(Token token, const Envelope& envelope, std::uint64_t payload, Outcome why) = 0;
  /// A send ends because its message has been taken back (Messenger::recall). @param payload  as in
  /// returned()
  virtual void recalled(Token token, std::uint64_t payload) = 0;
  /// No receive will get this payload: its message was lost, or returned when its send was complete.
  virtual void dropped(std::uint64_t payload) = 0;
  /// A message (or the request of a rendezvous) has come that no receive was posted for.
  virtual void waits_unmatched(Rank receiver, const Envelope& envelope, Bytes bytes) = 0;
  /// A message's data are wholly at the receiver's host.
  virtual void delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) = 0;
  /// The processor of its host that a rank runs on, if the kernel can take it; a service has none.
  virtual std::optional<std::size_t> processor_of(Rank rank) const = 0;

 protected:
  ~MessengerClient() = default;
};

/// Carries messages between ranks and matches them with receives, through the transport or the memory of a
/// common host. The caller keeps the ranks' clocks. Receives and waiting messages are here. How messages
/// get there is the responsibility of LibraryMessenger, a message-passing library over a transport, and of
/// KernelMessenger, which stands in the hosts' kernels.
class Messenger {
 public:
  explicit Messenger(std::size_t ranks) : matchers_(ranks) {}
  virtual ~Messenger() = default;

  /// What goes with the message of a send.
  struct Sent {
    Envelope envelope;
    Rank receiver;
    Token token{};
    Bytes bytes;
    std::uint64_t payload = 0;
    SimTime begun;  ///< when the send began, for the latency
    SimTime ready;  ///< when the sender's processor has done its part before, >= now
    SendMode mode = SendMode::standard;
    bool has_parts = false;
    bool may_suspend = false;  ///< the sender can be suspended (Begun::suspended)
    bool serves = false;       ///< from or to a service: no traffic of the program's
    std::uint8_t nic = 0;      ///< by which it leaves its host, and comes to the other; below Machine::nics
  };
  struct Send : Sent {
    /// What it is made of, if the transport divides no elements and that is known.
    std::vector<ElementRun> elements = {};
  };
  /// Whether a message is the program's own: not from or to a service, nor between PVM tasks about
  /// themselves.
  static bool is_of_program(const Sent& sent) {
    return !sent.serves && sent.envelope.context != service_context;
  }
  /// CPU time of a sender: before the message is ready, and in the same call after that.
  struct SendCost {
    SimTime before, after;
    /// The copy within `before`, if other ranks of the host may slow it (HostMemory::may_slow); else none.
    MemoryWork copied{};
    SimTime all() const { return before + after; }
    /// What the rest of `before` takes, once the copy is done.
    SimTime before_without_copy() const { return before - copied.cost.time_for(copied.bytes); }
  };
  virtual SendCost send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const = 0;
  /// Which party cannot continue after a send until MessengerClient::resumed.
  enum class Suspended : std::uint8_t {
    nobody,
    thread,   ///< the one that waits for the send; the rank continues
    process,  ///< the rank, within the call of the send
  };
  /// How a send has begun.
  struct Begun {
    /// Nothing if the send is complete when the sender's processor has done all its part (and what it has
    /// suspended continues); else the message's number, which recall() takes until sent(), returned() or
    /// recalled() reports the send's end.
    std::optional<std::uint32_t> under_way;
    Suspended suspended = Suspended::nobody;
  };
  virtual Begun send(const Send& send) = 0;
  /// The sender requests now that the receiver's side take the message back, which does so if no receive has
  /// matched it and answers; both travel as other control messages do. recalled() reports it if it has; else
  /// the send ends as if it had not been recalled. (MPI 4.0, section 3.8.4: a send is cancelled or completes,
  /// never both, and either without the receiver's doing.)
  virtual void recall(std::uint32_t message) = 0;

  /// Whether receives take CPU time when they are posted. The same all the time.
  virtual bool receives_cost() const { return false; }
  /// CPU time before a receive that begins now is posted.
  virtual SimTime receive_cost(Rank /*receiver*/, const Envelope& /*pattern*/, Bytes /*bytes*/) {
    return SimTime();
  }
  struct Posted {
    Matcher::Place place = Matcher::no_place;  ///< in line; no_place if it has a message already
    SimTime after;                             ///< CPU time in the same call
  };
  virtual Posted receive(Rank receiver, const Envelope& pattern, Token token) = 0;
  void cancel(Rank receiver, const Envelope& pattern, Matcher::Place place) {
    matchers_[index(receiver)].cancel(pattern, place);
  }
  /// The match of a receive of more bytes than this may start something, so that it matters when it is
  /// posted, be the message there or not. The same all the time.
  virtual Bytes match_matters_beyond() const = 0;

  struct Found {
    Envelope envelope;
    Bytes bytes;
    std::uint32_t message = 0;  ///< for receive_taken()
    SimTime begun;              ///< when its send began; 0 of a service's
    Origin origin;
  };
  /// The message that a receive posted now would get.
  std::optional<Found> find(Rank receiver, const Envelope& pattern);
  /// The same, and takes it out of the line: only receive_taken() gets it then, once.
  std::optional<Found> take(Rank receiver, const Envelope& pattern);
  /// @return CPU time in the same call
  virtual SimTime receive_taken(std::uint32_t message, Token token) = 0;

  /// Messages that came and were never received.
  std::uint64_t unreceived() const;
  /// Those that ranks of the program have sent to a rank, in the order in which their sends began.
  std::vector<Found> unreceived(Rank receiver) const;
  /// How many such messages there are in all, and which was the first; empty if none.
  std::string unreceived_report() const;
  const Losses& losses() const { return losses_; }

 protected:
  /// The send of a message that waits for its receive.
  virtual const Sent& send_of(std::uint32_t message) const = 0;
  /// What has brought a message, or its request, to its receiver.
  virtual Origin origin_of(std::uint32_t message) const = 0;
  /// What a message's receiver gets, as far as its send determines it.
  static ReceivedMessage received_of(const Sent& sent);

  std::vector<Matcher> matchers_;  // by receiver: receives that are posted, messages that wait
  Losses losses_;

 private:
  Found found(std::uint32_t message) const;
};

}  // namespace morgana
