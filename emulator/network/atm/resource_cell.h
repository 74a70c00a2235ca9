#pragma once

#include <cstdint>

#include "emulator/network/atm/cell_rate.h"

namespace morgana::atm {

/// What a resource management cell is about; numbered as its protocol identifier is.
enum class ResourceProtocol : std::uint8_t { abr = 1, abt_delayed = 2, abt_immediate = 3 };

/// A resource management cell, as far as networks and ends use its fields. ABR's go forward from the source
/// among the data, are turned around at the destination and come back on the same way; so does what asks for
/// a block with delayed transmission.
///
/// Source: ATM Forum, Traffic Management Specification 4.0, 1996, 5.10.3.1; ITU-T I.371, 1996.
struct ResourceCell {
  bool backward = false;        ///< DIR
  bool congestion = false;      ///< CI: the source must reduce its rate
  bool no_increase = false;     ///< NI
  RateField explicit_rate = 0;  ///< ER: switches lower it to what the source may send
  RateField current_rate = 0;   ///< CCR: what the source might send when this cell left it
  RateField minimum_rate = 0;   ///< MCR
  ResourceProtocol protocol = ResourceProtocol::abr;
  // Of ABT, where CI means that a switch has refused the block.
  RateField block_rate = 0;    ///< BCR that is asked for; 0: the block has ended
  std::uint32_t sequence = 0;  ///< number of the source's request
};

}  // namespace morgana::atm
