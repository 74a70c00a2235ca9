#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/transport/pcaal/parameters.h"
#include "emulator/transport/pcaal/sender.h"
#include "emulator/transport/transport.h"

namespace morgana::pcaal {

/// Cuts a message into what SDs carry, one after the other: whole elements, in order, as many in a cell as
/// its packing and its space allow, of different sizes, too. A message of no bytes is one SD. Elements that
/// no cell has space for are cut into bytes.
class Cutting {
 public:
  /// @param room  of a cell, for user data
  /// @param element  size of the elements that the shipment does not describe. They come before those that it
  /// describes, and the last one may be shorter
  Cutting(const Shipment& shipment, Packing packing, Bytes room, Bytes element);

  /// Once more, before it is done.
  ElementPiece next();
  bool done() const { return done_; }

 private:
  /// As much of what is to go now as the cell that is being filled has space for. @return whether it has any
  bool fill(ElementPiece& cell);

  MessageId message_;
  bool single_;  ///< element a cell
  Bytes room_;
  ElementRun now_;                  ///< what is to go of the elements that it is at
  std::vector<ElementRun> behind_;  ///< the elements after these, and before them those that have gone
  std::size_t next_ = 0;            ///< of `behind_`
  std::uint16_t offset_ = 0;        ///< of the next PC-PDU
  bool done_ = false;
};

}  // namespace morgana::pcaal
