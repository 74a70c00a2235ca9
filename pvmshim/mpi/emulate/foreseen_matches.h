#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/rank_channel.h"

namespace morgana::mpi::emulated {

/// Which message each receive of this rank gets, as far as that does not depend on time. A receive that names
/// sender and tag gets the first message of that sender with that tag which no receive before it gets:
/// messages do not overtake each other (MPI 4.0, 3.5). So its rank can take the message as soon as that has
/// been sent, and go on; the emulator carries out the receive when its simulated time has come, and nobody
/// waits for it.
///
/// A receive from any sender or of any tag gets what comes first in simulated time, which only the emulator
/// knows. As long as one is pending, those that are started after it in the same context are not foreseen
/// either. All of this only where messages are certain (ChannelSettings); else nothing is foreseen.
class ForeseenMatches {
 public:
  explicit ForeseenMatches(RankChannel& channel);

  /// Before the send is posted: announces it to the receiver.
  /// @return the payload to post: messages without data have a block of memory, too
  std::uint64_t announce(const Operation& send);

  /// The receive has been posted.
  void started(const Operation& receive);
  /// Whether the message of a started receive needs no answer of the emulator's.
  bool foresees(RequestId receive) const;
  /// Sleeps until the message of a foreseen receive has been sent. @return as the emulator will complete it
  Completed take(RequestId receive);

  /// The emulator says that a request has completed; not only receives.
  void completed(const Completed& completed);
  /// The emulator has set aside a message for a receive that will name it.
  void set_aside(Context context, const Completed& found);

 private:
  /// What a receive names.
  struct Key {
    Context context;
    Rank source;
    Tag tag;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  /// First in, first out.
  class Line {
   public:
    bool empty() const { return first_ == numbers_.size(); }
    std::uint64_t front() const { return numbers_[first_]; }
    void push(std::uint64_t number) { numbers_.push_back(number); }
    void pop() {
      if (++first_ < numbers_.size() / 2) return;
      numbers_.erase(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }

   private:
    std::vector<std::uint64_t> numbers_;
    std::size_t first_ = 0;
  };
  struct Receive {
    Key key;
    bool foreseen = false;
    std::uint64_t payload = 0;  ///< of its message, once that has been sent and the receive is foreseen
  };
  struct Lines {
    Line messages;  ///< sent, and no foreseen receive's: their payloads
    Line receives;  ///< foreseen, whose messages have not been sent yet
  };

  void look();
  void forget_message(const Key& key);

  RankChannel& channel_;
  const bool certain_;
  std::unordered_map<Key, Lines, KeyHash> lines_;
  std::unordered_map<RequestId, Receive> receives_;
  std::unordered_map<Context, std::size_t> not_foreseen_;  ///< how many are pending
  std::vector<RankChannel::SentMessage> sent_;             // scratch
};

}  // namespace morgana::mpi::emulated
