#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/messaging/kernel/kernel_messages.h"
#include "emulator/messaging/message_layer.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// How push-pull messaging divides messages, and what processors do for them. Source: K.-P. Wong and C.-L.
/// Wang, "Push-Pull Messaging", 1999, sections 2 and 3.
class PushPullCosts {
 public:
  struct Pushes {
    Bytes first, second;
  };

  /// The references must outlive this object. @param unit  that a unit of the network has space for, > 0
  PushPullCosts(const MessageLayer& layer, const KernelMessages& kernel, Bytes unit)
      : layer_(layer), kernel_(kernel), unit_(unit) {}

  /// What is pushed of a message; the rest is pulled. The second push overlaps with the request: where
  /// nothing is left to be asked for there is one piece.
  Pushes pushes_of(bool local, Bytes bytes) const;
  /// CPU time of a sender. The processor copies a unit of a push to the NIC while the cable is
  /// busy with the one before.
  Messenger::SendCost send_cost(bool local, Bytes bytes, SendMode mode) const;
  /// From the first unit of the first push to that of the second one.
  SimTime second_launched(Bytes first, Bytes second) const;
  /// To enter the kernel and find the addresses of a buffer; nothing of an empty one. It grows linearly with
  /// the size (section 2.3), within a page, too: buffers that begin at a page and end within it take longer
  /// the more bytes they have (section 3.1).
  SimTime translation(Bytes bytes) const;
  /// Addresses are translated behind the pushes.
  bool masks_translation() const { return kernel_.translation == KernelMessages::Translation::masked; }
  /// How many slots of the pushed buffer bytes take that come together.
  std::int64_t slots_for(Bytes bytes) const;

 private:
  /// How many units carry a push, with its envelope.
  std::int64_t units(Bytes push) const;
  Bytes in_first_unit(Bytes push) const;
  SimTime addresses(Bytes bytes) const;

  const MessageLayer& layer_;
  const KernelMessages& kernel_;
  Bytes unit_;
};

}  // namespace morgana
