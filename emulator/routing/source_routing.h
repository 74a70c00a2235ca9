#pragma once

#include "emulator/routing/routing.h"

namespace morgana {

/// The sender has chosen: a switch takes the port that its byte of the route names, by number or by a turn.
/// That the switch has such a port is left to whoever asks.
class SourceRouting final : public Routing {
 public:
  std::optional<PortNumber> output(const RoutedPacket& packet, const OutputLoads&) const override {
    const int port = output_port(packet.byte, packet.input.port);
    if (port < 0) return std::nullopt;  // a turn below the first port
    return static_cast<PortNumber>(port);
  }
};

}  // namespace morgana
