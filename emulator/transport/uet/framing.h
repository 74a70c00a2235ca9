#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/core/units.h"
#include "emulator/network/network.h"
#include "emulator/transport/uet/packet.h"
#include "emulator/transport/uet/parameters.h"

namespace morgana::uet {

/// How messages are cut into packets, and what those take of a sender's link.
class Framing {
 public:
  /// @param network  must outlive it
  Framing(const UetParameters& parameters, const MarkingNetwork& network)
      : network_(&network),
        header_(parameters.header),
        payload_(parameters.payload),
        full_(network.on_link(header_ + payload_)) {}

  /// Of a full packet.
  Bytes full_payload() const { return payload_; }
  Bytes full_packet() const { return full_; }
  Bytes on_link(Bytes payload) const {
    return payload == payload_ ? full_ : network_->on_link(header_ + payload);
  }
  /// max(1, ceil(message / full payload)).
  Psn packets(Bytes message) const {
    const std::int64_t full = payload_.count();
    return static_cast<Psn>(std::max<std::int64_t>((message.count() + full - 1) / full, 1));
  }
  /// Of the packet of a message that has `before` in front of it.
  Bytes payload(Bytes message, Psn before) const {
    return std::min(payload_, message - Bytes(static_cast<std::int64_t>(before) * payload_.count()));
  }

 private:
  const MarkingNetwork* network_;
  Bytes header_, payload_, full_;
};

}  // namespace morgana::uet
