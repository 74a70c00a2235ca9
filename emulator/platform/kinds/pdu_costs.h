#pragma once

#include "emulator/schema/schema.h"

namespace morgana {

/// Adds what each PDU of a protocol costs the hosts to the keys of a transport whose Parameters have `costs`
/// (PduCosts).
template <class Parameters>
Table<Parameters> with_pdu_costs(Table<Parameters> table) {
  return table
      .choice(
          "work", [](Parameters & parameters) -> auto& { return parameters.costs.work; },
          {"pipelined", "occupying"},
          "whether a host's work on a frame makes only that one late, or a host works on one frame at a "
          "time")
      .key(
          "pdu-work", [](Parameters & parameters) -> auto& { return parameters.costs.per_pdu; },
          "protocol processing of each frame")
      .key(
          "repetition-work", [](Parameters & parameters) -> auto& { return parameters.costs.per_repetition; },
          "the same besides, of a frame that is sent again")
      .key(
          "arrival-work", [](Parameters & parameters) -> auto& { return parameters.costs.per_arrival; },
          "interrupt processing of each frame that has come");
}

}  // namespace morgana
