#include "emulator/transport/overlay/parameters.h"

#include "emulator/core/error.h"

namespace morgana {

void OverlayParameters::check() const {
  if (stations < 1) throw Error("overlay: a server must have at least one station");
  if (arity < 1) throw Error("overlay: a tree's server must have room for at least one server below it");
  if (packet < Bytes(1)) throw Error("overlay: a packet must have room for at least one byte");
  if (processors < 1) throw Error("overlay: a server must have at least one processor");
  if (relay < SimTime()) throw Error("overlay: relaying can't take less than no time");
}

}  // namespace morgana
