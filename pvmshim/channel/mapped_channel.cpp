#include "pvmshim/channel/mapped_channel.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>

#include "emulator/core/error.h"
#include "pvmshim/channel/payload_arenas.h"

namespace morgana {
namespace {

namespace bip = boost::interprocess;

bip::mapped_region map_channel(const std::string& path) {
  try {
    const bip::file_mapping file(path.c_str(), bip::read_write);
    return {file, bip::read_write};
  } catch (const bip::interprocess_exception& failure) {
    throw Error(
        fmt::format("there is no channel to an emulator at {} ({}): programs are started by "
                    "'morgana run'",
                    path, failure.what()));
  }
}

}  // namespace

MappedChannel::MappedChannel(const std::string& path, Rank rank)
    : region_(map_channel(path)), ranks_(checked_ranks(path, rank)) {}

std::size_t MappedChannel::checked_ranks(const std::string& path, Rank rank) const {
  const ChannelHeader& own = header();
  if (region_.get_size() < sizeof(ChannelHeader) || own.magic != channel_magic ||
      own.layout != channel_layout ||
      region_.get_size() <
          arenas_offset(own.settings.ranks) + PayloadArenas::size(own.settings.ranks, own.payload_room))
    throw Error(
        fmt::format("{} is not a channel of this version of Morgana: the shim library and the "
                    "'morgana' command must come from the same build",
                    path));
  if (rank < Rank{0} || index(rank) >= own.settings.ranks)
    throw Error(
        fmt::format("rank {} attaches to a channel for {} ranks: start the program with "
                    "'morgana run -n N', not under another mpiexec",
                    static_cast<int>(rank), own.settings.ranks));
  return own.settings.ranks;
}

std::vector<std::uint32_t> MappedChannel::hosts() const {
  std::vector<std::uint32_t> hosts(ranks_);
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    hosts[rank] = slot_of(Rank{static_cast<std::int32_t>(rank)}).host;
  return hosts;
}

std::vector<std::uint32_t> MappedChannel::machines() const {
  std::vector<std::uint32_t> machines(ranks_);
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    machines[rank] = slot_of(Rank{static_cast<std::int32_t>(rank)}).machine;
    if (machines[rank] >= machines.size())
      throw Error(
          fmt::format("rank {} is on machine {}, which the channel does not have: a program has "
                      "written over the shim's memory",
                      rank, machines[rank]));
  }
  return machines;
}

void MappedChannel::protect_payloads() const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t first = (arenas_offset(ranks_) + page - 1) / page * page;
  if (first < region_.get_size()) mprotect(start() + first, region_.get_size() - first, PROT_READ);
}

}  // namespace morgana
