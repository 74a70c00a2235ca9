#include "emulator/network/ethernet/frame.h"

#include <string>

#include "emulator/core/error.h"

namespace morgana::ethernet {

void require_payload(Bytes payload, Bytes largest) {
  if (payload <= largest) return;
  throw Error("a unit of " + std::to_string(payload.count()) +
              " bytes does not fit into an Ethernet frame of at most " + std::to_string(largest.count()) +
              ": choose a transport that cuts messages, like go-back-n");
}

}  // namespace morgana::ethernet
