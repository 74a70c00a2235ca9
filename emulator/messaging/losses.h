#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// A message, or a part of its protocol, that the transport has lost or returned.
struct UndeliveredMessage {
  std::string what;  ///< "message", or which part of a rendezvous or of an access
  Context context;
  Rank from, to;  ///< of the message or access, whichever way the part went
  Tag tag;        ///< any_tag: it has none
  Bytes bytes;
  SimTime at;
  std::optional<Outcome> returned;  ///< why it was returned to its sender; nothing: it was lost
  std::string where;                ///< the transport's text about it; may be empty
};

/// What a run has not delivered: how much, and of the first of it everything.
class Losses {
 public:
  void add(const UndeliveredMessage& message);
  void add(const Losses& others);
  std::uint64_t lost() const { return lost_; }
  std::uint64_t returned() const { return returned_; }
  std::uint64_t count() const { return lost_ + returned_; }
  SimTime latest() const { return latest_; }  ///< when the last of it was lost or returned; 0: nothing was
  /// A sentence, and a line for each of the first messages. Empty if all was delivered.
  /// @param remedy  the transport's hint how to avoid losses (LossDiagnostics::remedy()); may be empty
  /// @param text_of  what a rank is called; empty: "rank 3"
  std::string report(const std::string& remedy, const std::function<std::string(Rank)>& text_of = {}) const;

  /// By which rule the load is called more than a protocol carries: "unstable: a frame was sent again ...",
  /// of the first message for which that is why it was returned; empty if there is none.
  std::string unstable() const;

  /// The first that a receive of rank `to` would have taken, among those that are known; null if there is
  /// none.
  const UndeliveredMessage* to_receive(Rank to, Context context, Rank from, Tag tag) const;
  /// The first of which a send of that envelope was the begin; null if none is known.
  const UndeliveredMessage* of_send(Rank from, Context context, Rank to, Tag tag) const;
  /// The first in that context to the rank, whatever its tag; null if none is known.
  const UndeliveredMessage* to(Rank rank, Context context) const;
  /// The first in that context to or from the rank, whatever its tag; null if none is known.
  const UndeliveredMessage* with(Rank rank, Context context) const;

 private:
  std::uint64_t lost_ = 0, returned_ = 0;
  SimTime latest_;
  std::vector<UndeliveredMessage> first_;
};

/// "lost"; "returned to its sender: given up".
std::string fate_of(const UndeliveredMessage& message);

}  // namespace morgana
