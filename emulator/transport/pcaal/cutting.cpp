#include "emulator/transport/pcaal/cutting.h"

#include <algorithm>

namespace morgana::pcaal {

Cutting::Cutting(const Shipment& shipment, Packing packing, Bytes room, Bytes element)
    : message_(shipment.id),
      single_(packing == Packing::single),
      room_(room),
      now_{element, shipment.bytes},
      behind_(shipment.elements.begin(), shipment.elements.end()) {
  for (const ElementRun& run : behind_) now_.bytes -= run.bytes;
}

ElementPiece Cutting::next() {
  ElementPiece cell{message_, Bytes(), offset_, 0, false};
  while (true) {
    if (now_.bytes == Bytes()) {
      if (next_ == behind_.size()) break;
      now_ = behind_[next_++];
    } else if (!fill(cell)) {
      offset_ = static_cast<std::uint16_t>(offset_ + cell.count);
      return cell;
    }
  }
  cell.ends = done_ = true;
  return cell;
}

bool Cutting::fill(ElementPiece& cell) {
  const std::int64_t element = now_.element > room_ ? 1 : now_.element.count();
  const std::int64_t free = (room_ - cell.bytes).count() / element;
  const std::int64_t most = single_ ? (cell.count == 0 ? 1 : 0) : free;
  if (most == 0) return false;
  const std::int64_t bytes = std::min(now_.bytes.count(), most * element);
  cell.bytes += Bytes(bytes);
  cell.count = static_cast<std::uint16_t>(cell.count + (bytes + element - 1) / element);
  now_.bytes -= Bytes(bytes);
  return true;
}

}  // namespace morgana::pcaal
