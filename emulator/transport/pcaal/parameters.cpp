#include "emulator/transport/pcaal/parameters.h"
#include "emulator/core/error.h"

namespace morgana {

Bytes PcAalParameters::room_of_cell() const {
  return Bytes(packing == pcaal::Packing::single ? pcaal::room_for_one : pcaal::room_for_several);
}

void PcAalParameters::check() const {
  if (element < Bytes(1) || element > room_of_cell())
    throw Error("pc-aal: a cell must have room for a whole element: 1 to 35 bytes, 37 where it is alone");
  if (window < 1 || window >= std::uint32_t{1} << 31)
    throw Error("pc-aal: a window must be of 1 to 2^31 - 1 cells, or old numbers could pass for new ones");
  if (poll <= SimTime()) throw Error("pc-aal: the timer for polls must last more than no time");
  if (no_response <= poll)
    throw Error(
        "pc-aal: the time without response must be longer than that of polls, or a connection is released "
        "before an answer can come");
}

}  // namespace morgana
