#include "emulator/transport/pcaal/cutting.h"

#include <algorithm>
#include <utility>

namespace morgana::pcaal {
namespace {

/// The cell that is being filled: Piece::count is that of its elements.
class Filling {
 public:
  Filling(MessageId message, Packing packing, Bytes room)
      : single_(packing == Packing::single), room_(room), piece_{message, Bytes(), 0, 0, false} {}

  void add(ElementRun run) {
    const std::int64_t element = run.element > room_ ? 1 : run.element.count();
    for (std::int64_t rest = run.bytes.count(); rest > 0;) {
      const std::int64_t free = (room_ - piece_.bytes).count() / element;
      const std::int64_t most = single_ ? (piece_.count == 0 ? 1 : 0) : free;
      if (most == 0) {
        close();
        continue;
      }
      const std::int64_t bytes = std::min(rest, most * element);
      piece_.bytes += Bytes(bytes);
      piece_.count = static_cast<std::uint16_t>(piece_.count + (bytes + element - 1) / element);
      rest -= bytes;
    }
  }
  std::vector<Piece> end() {
    piece_.ends = true;
    pieces_.push_back(piece_);
    return std::move(pieces_);
  }

 private:
  void close() {
    pieces_.push_back(piece_);
    piece_.offset = static_cast<std::uint16_t>(piece_.offset + piece_.count);
    piece_.bytes = Bytes();
    piece_.count = 0;
  }

  bool single_;
  Bytes room_;
  Piece piece_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> cut(const Shipment& shipment, Packing packing, Bytes room, Bytes element) {
  Filling cell(shipment.id, packing, room);
  Bytes told;
  for (const ElementRun& run : shipment.elements) told += run.bytes;
  cell.add({element, shipment.bytes - told});
  for (const ElementRun& run : shipment.elements) cell.add(run);
  return cell.end();
}

}  // namespace morgana::pcaal
