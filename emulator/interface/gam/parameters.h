#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/interface/lanai/parameters.h"

namespace morgana::gam {

/// What a NIC's processor and GAM's program on it cost. Where each default comes from:
/// docs/decisions/0027-gam-on-myrinet.md.
struct Parameters {
  LanaiParameters lanai;

  std::int64_t dispatch = 10;        ///< cycles until a pending event has its handler, > 0
  std::int64_t handler = 62;         ///< cycles of every handler, >= 0
  std::int64_t send_buffers = 2;     ///< fragments that a NIC holds on their way out, >= 1
  std::int64_t receive_buffers = 1;  ///< that it lets come in before they are in the host's memory, >= 1
  Bytes header{16};                  ///< of every fragment on the network, behind its type
  /// Up to this the hosts' processors write a message into the NIC and read it there, without host DMA;
  /// 0: none.
  Bytes short_message;

  /// @throws Error naming what is out of range
  void check() const;
  /// Of one event, with its dispatch.
  SimTime event() const { return (dispatch + handler) * lanai.cycle; }
  bool is_short(Bytes fragment) const { return short_message > Bytes() && fragment <= short_message; }
};

}  // namespace morgana::gam
