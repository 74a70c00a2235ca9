#include "pvmshim/mpi/emulate/block_deposit.h"

#include <cstring>

#include "emulator/core/error.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/packing.h"

namespace morgana::mpi::emulated {
namespace {

using Offset = std::uint64_t;

Offset offset_in(std::span<const std::byte> data, int number) {
  Offset offset = 0;
  std::memcpy(&offset, data.data() + static_cast<std::size_t>(number) * sizeof offset, sizeof offset);
  return offset;
}

}  // namespace

std::uint64_t deposit_blocks(const void* data, const ItemsByRank& blocks, const std::vector<Bytes>& sizes,
                             int owner) {
  const std::size_t table = sizes.size() * sizeof(Offset);
  std::vector<Offset> ends(sizes.size());
  Offset end = 0;
  std::uint32_t readers = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool goes_out = static_cast<int>(i) != owner && sizes[i].count() > 0;
    if (goes_out) ++readers;
    ends[i] = end += goes_out ? static_cast<Offset>(sizes[i].count()) : 0;
  }
  if (readers == 0) return 0;
  RankChannel& channel = me().live.channel();
  const std::uint64_t handle = channel.allocate(Bytes(static_cast<std::int64_t>(table + end)), readers);
  const std::span<std::byte> room = channel.data(handle);
  std::memcpy(room.data(), ends.data(), table);
  Offset begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int member = static_cast<int>(i);
    if (ends[i] > begin)
      pack(blocks.at(data, member), blocks.count(member), blocks.type_of(member),
           room.subspan(table + begin, ends[i] - begin));
    begin = ends[i];
  }
  return handle;
}

std::span<const std::byte> block_in(const Payload& deposit, int member, int members) {
  const auto data = deposit.data();
  const std::size_t table = static_cast<std::size_t>(members) * sizeof(Offset);
  if (data.size() < table) throw Error("the members of a collective call different functions");
  const Offset begin = member == 0 ? 0 : offset_in(data, member - 1), end = offset_in(data, member);
  if (begin > end || end > data.size() - table)
    throw Error("the members of a collective call different functions");
  return data.subspan(table + begin, end - begin);
}

}  // namespace morgana::mpi::emulated
