#include "emulator/transport/overlay/parameters.h"

#include "emulator/core/error.h"

namespace morgana {

void OverlayParameters::check() const {
  if (stations < 1) throw Error("overlay: a server must have at least one station");
  if (arity < 1) throw Error("overlay: a tree's server must have room for at least one server below it");
  if (packet < Bytes(1)) throw Error("overlay: a packet must have room for at least one byte");
  if (processors < 1) throw Error("overlay: a server must have at least one processor");
  if (signalling < SimTime()) throw Error("overlay: signalling can't take less than no time");
  if (idle <= SimTime()) throw Error("overlay: a channel that is released must have been idle for some time");
  if (server_identifiers > 0 && server_identifiers < permanent())
    throw Error("overlay: a server needs identifiers for its stations and neighbours");
  if (relay < SimTime()) throw Error("overlay: relaying can't take less than no time");
}

}  // namespace morgana
