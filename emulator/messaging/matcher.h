#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

  std::size_t messages_waiting() const { return messages_; }
  /// In no particular order.
  template <typename Visit>
  void for_each_message_waiting(const Visit& visit) const {
    if (messages_ == 0) return;
    for (Node node = 0; node < lines_.places(); ++node)
      if (is_message(node)) visit(lines_.item(node));
  }

 private:
  struct Hash {
    std::size_t operator()(const Envelope& envelope) const;
  };
  using Queues = KeyedQueues<Envelope, Hash>;
  using Node = Queues::Node;

  // The eight ways to ask: each of context, source and tag may be any. Views of the waiting messages other
  // than the first are kept only from the first receive on that asks so.
  static constexpr std::size_t views = 8;
  static std::size_t view_of(const Envelope& pattern);
  static Envelope seen_in(std::size_t view, const Envelope& envelope);
  bool is_message(Node node) const { return lines_.has(node) && (lines_.sequence(node) & 1) != 0; }
  void use_view(std::size_t view);
  void show(Node message, std::size_t view);
  Node first_message(const Envelope& pattern);
  void take_message(Node message);

  /// Receives by what they ask for and messages by their envelopes: never both in one line, as they would
  /// have met. Sequences are even of receives and odd of messages.
  Queues lines_;
  /// The other views of the messages; items: their nodes in lines_.
  std::array<Queues, views> seen_;
  std::array<bool, views> view_in_use_{true};
  bool other_views_ = false;                      ///< any but the first is in use
  std::vector<std::array<Node, views>> seen_at_;  ///< then, by node in lines_: of a message, in each view
  std::array<std::size_t, views> receives_in_view_{};
  std::size_t messages_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace morgana
