#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/operations/operation.h"

namespace morgana {

struct MachineLine;

/// Payloads of a run on several machines. A handle names the same place in the channel's memory on each of
/// them: in that of its owner's machine lies the payload, in that of another one a copy, if a rank there
/// reads it. Ranks know of no difference: they read and release both alike. How often a copy has been
/// released is collected here, and reported to the owner's machine.
///
/// A handle is used again once all of its readers have released it. So that an old copy is not taken for what
/// lies there now, each payload that may leave its machine is marked (marked_payload.h).
///
/// For several threads at once.
class PayloadMirror {
 public:
  /// @param channel  EmulatorChannel::path()
  explicit PayloadMirror(const std::string& channel);
  ~PayloadMirror();

  /// The payload leaves, for one of its readers or for all. @return its marked handle
  std::uint64_t mark(std::uint64_t handle);
  Rank owner(std::uint64_t marked) const;

  // Payloads of ranks on this machine.
  /// Whether it lies there, and no later one. An answer also names payloads that its rank does not read: all
  /// others may have released them.
  bool is_block(std::uint64_t marked) const;
  /// @throws Error if there is none
  std::span<const std::byte> data(std::uint64_t marked) const;
  std::uint32_t readers(std::uint64_t marked) const;
  /// The whole mark of what lies there. @throws Error if that is another payload, or none
  std::uint64_t whole_mark(std::uint64_t marked) const;
  /// So many have read it elsewhere.
  void release(std::uint64_t marked, std::uint32_t readers);

  // Copies of those of ranks elsewhere.
  bool has_copy(std::uint64_t marked) const;
  /// There will be no copy, because no process here reads it.
  void note_gone(std::uint64_t marked);
  bool is_gone(std::uint64_t marked) const;
  /// No process here waits for any payload.
  void forget_gone();
  /// Puts a part of one there; the parts come in order, and with the last one there is the copy.
  /// @param mark  its whole one (marked_payload.h). @param readers  it has, everywhere. @param size  the
  /// whole's. @param begin  where the part begins in it
  /// @throws Error if the handle can name nothing of this size, or the part does not follow the last one
  void put_part(std::uint64_t marked, std::uint64_t mark, std::uint32_t readers, std::uint64_t size,
                std::uint64_t begin, std::span<const std::byte> part);

  // Messages that are announced to their receivers as soon as they are sent (RankChannel::announce_message).
  /// Of this machine to another one.
  MachineLine& line(std::size_t machine) const;
  /// Sends those that ranks here have left to the agent, or have not sent yet, each rank's in order.
  /// @param socket  the connection to that machine's agent, whose lock is held
  void send_leaving(std::size_t machine, int socket);
  /// Whether ranks have left any to the agent (leaving_messages.h).
  std::atomic<std::uint32_t>& left() const;
  /// To a rank here: a message from elsewhere, of which there is a copy. @throws Error if there is none
  void announce(std::uint64_t marked, Rank receiver, Context context, Tag tag);
  /// Wakes it, if it sleeps until a message is announced to it.
  void wake(Rank receiver) const;

  struct Released {
    std::uint64_t marked;
    std::uint32_t readers;
  };
  /// Which copies ranks here have released since the last time.
  std::vector<Released> collect();

 private:
  struct Copy {
    std::uint64_t marked;
    std::uint64_t mark;  ///< the whole one
    std::uint64_t end;   ///< where it ends, as a handle
    std::uint64_t size;
    std::uint32_t readers;
    std::uint64_t come = 0;  ///< so much of it is there
    std::uint32_t released = 0;

    bool is_whole() const { return come == size; }
    /// The copy's reader is the payload's: it hands the copy back as it would the payload. Of several readers
    /// some may be elsewhere, and none knows how many are here.
    bool has_one_reader() const { return readers == 1; }
  };
  using Copies = std::map<std::uint64_t, Copy>;
  class Memory;

  bool is_block_of_several(std::uint64_t handle) const;
  Copies::iterator forget(Copies::iterator copy);
  bool has_newer_copy(std::uint64_t handle, std::uint64_t mark, std::uint64_t size) const;
  void collect_handed_back(std::vector<Released>& all);

  std::unique_ptr<Memory> memory_;
  mutable std::mutex mutex_;  ///< guards what follows
  /// Marked: they come in parts although their places have later copies; each once for each time.
  std::unordered_multiset<std::uint64_t> outdated_;
  std::unordered_set<std::uint64_t> gone_;  ///< marked: that will not come, or has been read by all
  Copies copies_;                           ///< by handle without mark
  std::set<std::uint64_t> shared_;          ///< those of several readers
  std::map<Rank, std::size_t> lent_;        ///< how many there are of one reader, by owner
};

}  // namespace morgana
