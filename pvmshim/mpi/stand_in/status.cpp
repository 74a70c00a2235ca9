#include "pvmshim/mpi/stand_in/status.h"

#include <cstdint>

#include "pvmshim/mpi/stand_in/constants.h"

namespace morgana::stand_in {
namespace {

// MPICH keeps the lower half of the number of bytes in one field, and the upper half in another whose lowest
// bit says whether the message was cancelled.
constexpr unsigned bits_of_half = 32;

/// No rank, tag or number of bytes. The lowest bit is 0: a call may set the number and leave the mark
/// "cancelled".
constexpr int untouched = 0x5a5a5a5a;

}  // namespace

MPI_Status to_mpich(const Status& status) {
  MPI_Status made{};
  made.MPI_SOURCE = rank_to_mpich(status.source);
  made.MPI_TAG = tag_to_mpich(status.tag);
  made.MPI_ERROR = error_to_mpich(status.error);
  const auto bytes = static_cast<std::uint64_t>(status.bytes);
  made.count_lo = static_cast<int>(static_cast<std::uint32_t>(bytes));
  made.count_hi_and_cancelled = static_cast<int>((static_cast<std::uint32_t>(bytes >> bits_of_half) << 1) |
                                                 (status.is_cancelled != 0 ? 1U : 0U));
  return made;
}

MPI_Status untouched_status() {
  MPI_Status status;
  status.MPI_SOURCE = status.MPI_TAG = status.MPI_ERROR = untouched;
  status.count_lo = status.count_hi_and_cancelled = untouched;
  return status;
}

void take_over(const MPI_Status& set, Status& to) {
  const Status before = to;
  from_mpich(set, to, true);
  if (set.MPI_SOURCE == untouched) to.source = before.source;
  if (set.MPI_TAG == untouched) to.tag = before.tag;
  if (set.count_lo != untouched || set.count_hi_and_cancelled != untouched) return;
  to.is_cancelled = before.is_cancelled;
  to.bytes = before.bytes;
}

void from_mpich(const MPI_Status& status, Status& to, bool keep_error) {
  to.source = rank_from_mpich(status.MPI_SOURCE);
  to.tag = tag_from_mpich(status.MPI_TAG);
  if (!keep_error) to.error = error_from_mpich(status.MPI_ERROR);
  const auto upper = static_cast<std::uint32_t>(status.count_hi_and_cancelled);
  to.is_cancelled = static_cast<int>(upper & 1U);
  to.bytes =
      (static_cast<std::size_t>(upper >> 1) << bits_of_half) | static_cast<std::uint32_t>(status.count_lo);
}

}  // namespace morgana::stand_in
