#pragma once

#include <list>
#include <optional>

#include "pvmshim/pvm/emulate/message.h"
#include "pvmshim/pvm/emulate/open_call.h"

namespace morgana::pvm {

/// What a receive of PVM asks for; -1 for any.
struct Pattern {
  TaskId source;
  int tag;
  int context;
};

/// pvm_recvf's function: how well a message fits; 0: not at all, 1: take it, more: the highest.
using MatchFunction = int (*)(int message, int source, int tag);

/// Messages that have come to this task and that no call has asked for yet, in the order in which they came.
/// They are fetched from the engine only where it can't do the matching itself: for message handlers, match
/// functions, wildcard contexts and pvm_probe, whose message has a handle already. All there are in a context
/// are fetched then, so that the order stays.
class Inbox {
 public:
  /// Each of these: the handle of the message; 0 if there is none; PvmHostFail if what this host had to send
  /// for it was returned; or an error of a match function.
  /// Waits, at most for `limit`.
  int receive(OpenCall& call, const Pattern& pattern, std::optional<SimTime> limit = std::nullopt);
  int try_receive(OpenCall& call, const Pattern& pattern);
  /// Leaves the message here.
  int probe(OpenCall& call, const Pattern& pattern);

  /// A message that the task has for itself.
  void put(Message& message) { entries_.push_back({&message, ++last_number_}); }

  /// @return the one before
  MatchFunction set_match(MatchFunction match);
  /// pvm_exit: forgets what has come. A match function stays.
  void clear();

 private:
  enum class Patience : std::uint8_t { none, limited, endless };
  struct Entry {
    Message* message;
    std::uint64_t number;
  };
  struct Search;

  bool engine_can_match(const Pattern& pattern) const;
  Message* take_first(const Pattern& pattern);
  int search(OpenCall& call, const Pattern& pattern, Patience patience, SimTime limit, bool keep);
  void look_at_new(OpenCall& call, const Pattern& pattern, Search& search);
  int fetch(OpenCall& call, const Pattern& pattern, Patience patience, SimTime limit);

  std::list<Entry> entries_;
  std::uint64_t last_number_ = 0;
  MatchFunction match_ = nullptr;  ///< null: the default
};

Inbox& inbox();

}  // namespace morgana::pvm
