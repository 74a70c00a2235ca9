#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/messaging/keyed_queues.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// What a message shows to be matched by, or, with any_context, any_rank and any_tag, what a receive asks
/// for.
struct Envelope {
  Context context{};
  Rank source{};
  Tag tag{};
  bool operator==(const Envelope&) const = default;
};

/// The receives that one rank has posted and the messages that have come before their receive. Rules of
/// MPI 4.0, section 3.5: a message takes the receive posted first among those that it fits, a receive takes
/// the message that came first; wildcards included. No operation but withdraw() looks through a line: its
/// cost does not grow with what waits.
class Matcher {
 public:
  /// A receive's place in line, for cancel().
  using Place = std::uint32_t;
  static constexpr Place no_place = ~Place{0};
  struct Posted {
    std::optional<std::uint32_t> message;  ///< that the receive takes
    Place place = no_place;                ///< where it waits otherwise
  };

  /// A receive is posted; if no message fits, it waits in line.
  /// @param receive  returned by arrive() when its message comes
  Posted post(const Envelope& pattern, std::uint32_t receive);
  /// A message comes; if no receive fits, it waits in line.
  /// @param message  returned by post() and find()
  /// @return the receive that takes it
  std::optional<std::uint32_t> arrive(const Envelope& envelope, std::uint32_t message);
  /// Whether a message that came now would find a receive.
  bool expects(const Envelope& envelope) const;
  /// The message that a receive posted now would take.
  std::optional<std::uint32_t> find(const Envelope& pattern);
  /// The same, and takes it out of the line.
  std::optional<std::uint32_t> take(const Envelope& pattern);
  /// Takes a message that still waits out of the line; looks through what waits for it, since hardly anybody
  /// takes messages back. @return whether it waited
  bool withdraw(std::uint32_t message);
  /// Takes a receive that still waits out of the line.
  void cancel(const Envelope& pattern, Place place);

  std::size_t messages_waiting() const { return waiting_.in_use(); }
  /// In no particular order.
  template <typename Visit>
  void for_each_message_waiting(const Visit& visit) const {
    for (const WaitingMessage& waiting : waiting_.all())
      if (waiting.waits) visit(waiting.message);
  }

 private:
  struct Hash {
    std::size_t operator()(const Envelope& envelope) const;
  };
  using Queues = KeyedQueues<Envelope, Hash>;
  using Node = Queues::Node;
  struct WaitingMessage {
    Envelope envelope;
    std::uint64_t sequence = 0;
    std::uint32_t message = 0;
    bool waits = false;
    std::array<Node, 8> places{};  // one in each view that is in use
  };

  // The eight ways to ask: each of context, source and tag may be any. Views of the waiting messages other
  // than the first are kept only from the first receive on that asks so.
  static constexpr std::size_t views = 8;
  static std::size_t view_of(const Envelope& pattern);
  static Envelope seen_in(std::size_t view, const Envelope& envelope);
  void use_view(std::size_t view);
  Node first_message(const Envelope& pattern);
  void take_message(std::uint32_t slot);

  std::array<Queues, views> messages_;  // items: slots of waiting_
  std::array<bool, views> view_in_use_{true};
  Pool<WaitingMessage> waiting_;
  Queues receives_;
  std::array<std::size_t, views> receives_in_view_{};
  std::uint64_t sequence_ = 0;
};

}  // namespace morgana
