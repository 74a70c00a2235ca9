#pragma once

#include <cstdint>
#include <memory>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "emulator/transport/transport.h"

namespace morgana {

struct GoBackNParameters {
  Bytes header{40};  ///< in every unit (TCP/IP: 40)
  std::uint32_t window =
      44;  ///< unacknowledged units a connection may have under way, > 0 (64 KiB of 1460 bytes: 44)
  std::uint32_t acknowledge_every =
      2;  ///< units received in order before an acknowledgement goes out by itself, > 0
  SimTime acknowledge_delay = SimTime::from_ps(
      40'000'000'000);  ///< at the latest after this; meanwhile it rides on a unit that goes back
  SimTime retransmit_after = SimTime::from_ps(
      200'000'000'000);  ///< without progress, then all from the oldest on; > 0, doubles up to 64 times
};

/// Reliable, ordered messages over a network that may lose units: each message is cut into units that fill
/// the network's largest; one connection for each ordered pair of hosts, numbered units, cumulative
/// acknowledgements, go-back-n on time-out. Units of different messages of a connection follow each other
/// without a pause.
class GoBackN : public Transport {
 public:
  GoBackN(EventQueue& events, Network& network, std::size_t hosts, const GoBackNParameters& parameters);
  ~GoBackN() override;
  void send(const Shipment& shipment) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
