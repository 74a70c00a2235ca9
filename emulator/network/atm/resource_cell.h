#pragma once

#include "emulator/network/atm/cell_rate.h"

namespace morgana::atm {

/// A resource management cell of ABR, as far as networks and ends use its fields. It goes forward from the
/// source among the data, is turned around at the destination and comes back on the same way.
///
/// Source: ATM Forum, Traffic Management Specification 4.0, 1996, 5.10.3.1.
struct ResourceCell {
  bool backward = false;        ///< DIR
  bool congestion = false;      ///< CI: the source must reduce its rate
  bool no_increase = false;     ///< NI
  RateField explicit_rate = 0;  ///< ER: switches lower it to what the source may send
  RateField current_rate = 0;   ///< CCR: what the source might send when this cell left it
  RateField minimum_rate = 0;   ///< MCR
};

}  // namespace morgana::atm
