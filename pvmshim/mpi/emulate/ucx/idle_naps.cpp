#include "pvmshim/mpi/emulate/ucx/idle_naps.h"

#include <algorithm>
#include <utility>

namespace morgana::mpi::emulated {

void IdleNaps::begin(std::uint64_t call) {
  if (std::exchange(call_, call) != call) idle_ = 0;
}

std::optional<std::chrono::microseconds> IdleNaps::after(bool has_happened, bool threads, bool is_lent) {
  constexpr int doublings = 13;  // up to half a second
  const int short_naps = threads ? 32 : 0;
  idle_ = has_happened ? 0 : std::min(idle_ + 1, first_looks + short_naps + doublings);
  if (idle_ <= first_looks) return std::nullopt;
  if (idle_ <= first_looks + short_naps || is_lent) return shortest;
  return std::min(longest_, shortest * (1 << (idle_ - first_looks - short_naps)));
}

}  // namespace morgana::mpi::emulated
