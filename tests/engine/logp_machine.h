#pragma once

#include "emulator/messaging/machine.h"
#include "emulator/network/logp/logp_network.h"
#include "emulator/transport/direct/direct.h"

namespace morgana {

// Of the cluster below; chosen so that every sum shows what it is made of.
constexpr SimTime o_s = SimTime::from_ps(1'000'000), o_r = SimTime::from_ps(1'300'000);
constexpr SimTime L = SimTime::from_ps(5'000'000), g = SimTime::from_ps(2'000'000);
constexpr ByteCost G = ByteCost::from_fs(1'000'000);  // 1 ns

/// @param ranks_per_host  block placement
inline Machine logp_machine(std::size_t ranks, std::size_t ranks_per_host = 1) {
  Machine machine;
  for (std::size_t i = 0; i < ranks; ++i)
    machine.host_of.push_back(HostId(static_cast<std::uint32_t>(i / ranks_per_host)));
  machine.messages.send_overhead = o_s;
  machine.messages.receive_overhead = o_r;
  machine.messages.eager_limit = Bytes(4096);
  machine.messages.local_eager_limit = Bytes(4096);
  machine.messages.control = Bytes(1);
  machine.messages.local_overhead = SimTime::from_ps(200'000);
  machine.messages.local_latency = SimTime::from_ps(50'000);
  machine.messages.copy_per_byte = ByteCost::from_fs(100'000);
  machine.network = std::make_unique<LogpNetwork>(*machine.events, ranks, LogpParameters{L, g, G});
  machine.transport = std::make_unique<DirectTransport>(*machine.network);
  return machine;
}

}  // namespace morgana
