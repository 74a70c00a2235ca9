#pragma once

#include <vector>

#include "emulator/core/units.h"
#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/pcaal/sender.h"
#include "emulator/transport/transport.h"

namespace morgana::pcaal {

/// Cuts a message into what SDs carry: whole elements, in order, as many in a cell as its packing and its
/// room allow, of different sizes, too. A message of no bytes is one SD.
/// @param room     of a cell, for user data
/// @param element  what the shipment does not tell of its elements goes before those that it tells, and
/// counts
///                 as elements of this size, of which the last may be shorter
/// Elements that no cell has room for are cut into bytes.
std::vector<Piece> cut(const Shipment& shipment, Packing packing, Bytes room, Bytes element);

}  // namespace morgana::pcaal
