#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/engine/scripted_source.h"
#include "tests/transport/lossy_network.h"

/// Two hosts with a rank each. The network: 1 ns a byte and 1 us of latency; a packet has 16 B of headers, an
/// acknowledgement 20 B; a path MTU of 256 B.
namespace morgana::rdma {

using namespace literals;

inline constexpr SimTime wire = 1_us, sends = 100_ns, receives = 200_ns;

inline Machine rdma_machine(EagerBy eager, RendezvousBy rendezvous,
                            testing::LossyNetwork::Script script = nullptr, Bytes inline_limit = {}) {
  Machine machine;
  machine.host_of = {HostId{0}, HostId{1}};
  auto network = std::make_unique<testing::LossyNetwork>(*machine.events, 2, std::move(script));
  network->largest = Bytes(4300);
  RcParameters parameters;
  parameters.path_mtu = Bytes(256);
  parameters.timeout = 6;
  parameters.inline_limit = inline_limit;
  machine.transport = std::make_unique<ReliableConnections>(*machine.events, *network, 2, parameters);
  machine.network = std::move(network);
  machine.messages.send_overhead = sends;
  machine.messages.receive_overhead = receives;
  machine.messages.eager_limit = Bytes(1000);
  machine.messages.eager = eager;
  machine.messages.rendezvous = rendezvous;
  return machine;
}

inline std::vector<SimTime> ends_of(Machine machine, std::vector<std::vector<Operation>> scripts) {
  ScriptedSource source(std::move(scripts));
  return Engine(machine, source, {}).run();
}

inline std::vector<std::vector<Operation>> message(std::int64_t bytes, SendMode mode = SendMode::standard) {
  using namespace script;
  return {{send(1, bytes, 7, 1, mode), wait({1}), exit()}, {receive(0, bytes, 7, 1), wait({1}), exit()}};
}

}  // namespace morgana::rdma
