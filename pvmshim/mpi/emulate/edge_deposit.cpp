#include "pvmshim/mpi/emulate/edge_deposit.h"

#include <cstring>

#include "emulator/core/error.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/packing.h"

namespace morgana::mpi::emulated {
namespace {

struct Edge {
  std::int64_t destination;
  std::uint64_t end;
};

[[noreturn]] void reject() {
  throw Error("a neighbourhood collective expects data along an edge that its other end does not send");
}

}  // namespace

std::uint64_t deposit_edges(const void* data, const ItemsByRank& blocks,
                            const std::vector<int>& destinations) {
  std::vector<Edge> edges;
  std::uint64_t end = 0;
  std::uint32_t readers = 0;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const bool is_real = destinations[i] != MPI_PROC_NULL;
    const Bytes bytes = is_real ? blocks.bytes(static_cast<int>(i)) : Bytes();
    if (bytes.count() > 0) ++readers;
    edges.push_back({destinations[i], end += static_cast<std::uint64_t>(bytes.count())});
  }
  if (readers == 0) return 0;
  const auto number = static_cast<std::uint64_t>(edges.size());
  const std::size_t table = sizeof number + edges.size() * sizeof(Edge);
  RankChannel& channel = me().live.channel();
  const std::uint64_t handle = channel.allocate(Bytes(static_cast<std::int64_t>(table + end)), readers);
  const std::span<std::byte> room = channel.data(handle);
  std::memcpy(room.data(), &number, sizeof number);
  std::memcpy(room.data() + sizeof number, edges.data(), edges.size() * sizeof(Edge));
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const int edge = static_cast<int>(i);
    if (edges[i].end > begin)
      pack(blocks.at(data, edge), blocks.count(edge), blocks.type_of(edge),
           room.subspan(table + begin, edges[i].end - begin));
    begin = edges[i].end;
  }
  return handle;
}

std::span<const std::byte> edge_in(const Payload& deposit, int member, int number) {
  const auto data = deposit.data();
  std::uint64_t edges = 0, begin = 0;
  if (data.size() < sizeof edges) reject();
  std::memcpy(&edges, data.data(), sizeof edges);
  if (edges > (data.size() - sizeof edges) / sizeof(Edge)) reject();
  const auto blocks = data.subspan(sizeof edges + edges * sizeof(Edge));
  for (std::size_t i = 0; i < edges; ++i) {
    Edge edge{};
    std::memcpy(&edge, data.data() + sizeof edges + i * sizeof edge, sizeof edge);
    if (edge.end < begin || edge.end > blocks.size()) reject();
    if (edge.destination == member && number-- == 0) return blocks.subspan(begin, edge.end - begin);
    begin = edge.end;
  }
  reject();
}

}  // namespace morgana::mpi::emulated
