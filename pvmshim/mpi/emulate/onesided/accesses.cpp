#include "pvmshim/mpi/emulate/onesided/accesses.h"

#include <algorithm>
#include <span>
#include <vector>

namespace morgana::mpi::emulated {
namespace {

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
  if (op == MPI_REPLACE && fetched == nullptr) return outcome(target.replace(origin.packed()));
  return outcome(target.change([&](std::span<std::byte> packed) {
    if (fetched != nullptr) fetched->fill(packed);
    if (op == MPI_NO_OP) return false;
    combine_packed(origin.packed(), packed, element_type(target.type()), op);
    return true;
  }));
}

int move_compare_and_swap(OriginData& origin, OriginData& compared, const OriginRoom& fetched,
                          const TargetData& target) {
  return outcome(target.change([&](std::span<std::byte> packed) {
    fetched.fill(packed);
    if (!std::ranges::equal(packed, compared.packed())) return false;
    std::ranges::copy(origin.packed(), packed.begin());
    return true;
  }));
}

}  // namespace morgana::mpi::emulated
