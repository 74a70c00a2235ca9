#include "pvmshim/mpi/emulate/accesses.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "pvmshim/mpi/emulate/emulated_rank.h"

namespace morgana::mpi::emulated {
namespace {

std::unique_lock<RobustMutex> in_one_step(const TargetData& target) {
  return std::unique_lock(me().live.channel().memory_of(target.owner()));
}

int outcome(bool moved) {
  return moved ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
}

}  // namespace

int move_put(OriginData& origin, const TargetData& target) {
  return outcome(target.write(origin.packed()));
}

int move_get(const OriginRoom& room, const TargetData& target) {
  if (std::byte* place = room.as_packed(); place != nullptr)
    return outcome(target.read({place, target.size()}));
  std::vector<std::byte> packed(target.size());
  if (!target.read(packed)) return MPI_ERR_RMA_RANGE;
  room.fill(packed);
  return MPI_SUCCESS;
}

int move_accumulate(OriginData& origin, const OriginRoom* fetched, const TargetData& target, MPI_Op op) {
  const auto held = in_one_step(target);
  if (op == MPI_REPLACE && fetched == nullptr) return move_put(origin, target);
  std::vector<std::byte> packed(target.size());
  if (!target.read(packed)) return MPI_ERR_RMA_RANGE;
  if (fetched != nullptr) fetched->fill(packed);
  if (op == MPI_NO_OP) return MPI_SUCCESS;
  combine_packed(origin.packed(), packed, element_type(target.type()), op);
  return outcome(target.write(packed));
}

int move_compare_and_swap(OriginData& origin, OriginData& compared, const OriginRoom& fetched,
                          const TargetData& target) {
  const auto held = in_one_step(target);
  std::vector<std::byte> before(target.size());
  if (!target.read(before)) return MPI_ERR_RMA_RANGE;
  fetched.fill(before);
  if (!std::ranges::equal(before, compared.packed())) return MPI_SUCCESS;
  return outcome(target.write(origin.packed()));
}

}  // namespace morgana::mpi::emulated
