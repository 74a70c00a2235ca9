#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pvmshim/channel/channel_memory.h"

namespace morgana {

/// One rank's mapping of the channel's shared memory (channel_memory.h has the layout). The emulator creates
/// the memory; a MappedChannel only attaches to it.
class MappedChannel {
 public:
  /// @param path  the file that holds the channel
  /// @param rank  the rank that attaches
  /// @throws Error if there is no such channel, if another build of Morgana created it, or if `rank` is not
  /// one of its ranks
  MappedChannel(const std::string& path, Rank rank);

  ChannelHeader& header() const { return *reinterpret_cast<ChannelHeader*>(start()); }
  /// @param rank  must be one of the channel's
  RankSlot& slot_of(Rank rank) const {
    return *reinterpret_cast<RankSlot*>(start() + slot_offset(index(rank)));
  }
  /// The start of the payload arenas.
  std::byte* arenas() const { return start() + arenas_offset(ranks_); }
  /// By rank: the number of the modelled host that the rank is placed on.
  std::vector<std::uint32_t> hosts() const;
  /// By rank: the number of the real machine that runs it, less than the number of ranks.
  /// @throws Error if a number is out of range, because the program has overwritten the shared memory
  std::vector<std::uint32_t> machines() const;
  /// Makes the payload arenas read-only for this process, from their first whole page on. To be called after
  /// the rank's last send and receive.
  void protect_payloads() const;

 private:
  std::byte* start() const { return static_cast<std::byte*>(region_.get_address()); }
  std::size_t checked_ranks(const std::string& path, Rank rank) const;

  boost::interprocess::mapped_region region_;
  std::size_t ranks_;  ///< copied when attaching: a program may later overwrite the header
};

}  // namespace morgana
