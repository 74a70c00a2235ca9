#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pvmshim/channel/channel_memory.h"

namespace morgana {

/// The channel's memory as a rank maps it.
class MappedChannel {
 public:
  /// @param path  of the channel. @param rank  that attaches
  /// @throws Error if there is no such channel, it is of another build, or it has no such rank
  MappedChannel(const std::string& path, Rank rank);

  ChannelHeader& header() const { return *reinterpret_cast<ChannelHeader*>(start()); }
  RankSlot& slot_of(Rank rank) const {
    return *reinterpret_cast<RankSlot*>(start() + slot_offset(index(rank)));
  }
  /// Where payloads' arenas begin.
  std::byte* arenas() const { return start() + arenas_offset(ranks_); }
  /// On which host of the platform each rank is.
  std::vector<std::uint32_t> hosts() const;
  /// On which machine each rank is. @throws Error if the channel has no such machine
  std::vector<std::uint32_t> machines() const;
  /// This rank has sent and received all that it will: nothing is written to payloads any more.
  void protect_payloads() const;

 private:
  std::byte* start() const { return static_cast<std::byte*>(region_.get_address()); }
  std::size_t checked_ranks(const std::string& path, Rank rank) const;

  boost::interprocess::mapped_region region_;
  std::size_t ranks_;  ///< as the channel says before any program could write over it
};

}  // namespace morgana
