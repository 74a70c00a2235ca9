#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/host/reception_handlers.h"
#include "emulator/messaging/machine.h"
#include "emulator/network/ethernet/cable.h"
#include "emulator/transport/gobackn/go_back_n.h"
#include "tests/engine/logp_machine.h"

namespace morgana {

/// Two hosts of four processors on a cable of 100 Mb/s, with round costs: every call 1 us, a launch 3 us, an
/// interrupt 10 us, each unit received 2 us, a system call 1 us, a page's addresses 5 us; copies cost
/// nothing. A request has 20 bytes, and units no header unless it is said.
struct PushPullCase {
  std::vector<HostId> host_of{HostId{0}, HostId{1}};
  std::int64_t push = 100, second_push = 0, eager_limit = 0;
  std::int64_t local_push = 0, local_eager_limit = 0;
  std::int64_t pushed_buffer = 4096, slot = 2048;
  KernelMessages::Translation translation = KernelMessages::Translation::masked;
  MemoryBusParameters bus{};
  std::uint32_t tries = 15;
  bool polls = false;  ///< nobody is interrupted
  std::int64_t envelope = 0, header = 0;

  /// @param network  in place of the cable
  Machine machine(std::unique_ptr<Network> network = nullptr,
                  std::unique_ptr<EventQueue> events = nullptr) const {
    using namespace literals;
    Machine machine;
    if (events) machine.events = std::move(events);
    machine.host_of = host_of;
    machine.processors = 4;
    machine.messages.send_overhead = machine.messages.receive_overhead = 1_us;
    machine.messages.eager_limit = Bytes(eager_limit);
    machine.messages.push = Bytes(push);
    machine.messages.second_push = Bytes(second_push);
    machine.messages.local_eager_limit = Bytes(local_eager_limit);
    machine.messages.local_push = Bytes(local_push);
    machine.messages.unexpected_buffer = Bytes(pushed_buffer);
    machine.messages.control = Bytes(20);
    machine.messages.envelope = Bytes(envelope);
    machine.messages.local_overhead = 2_us;
    machine.messages.local_latency = 500_ns;
    machine.kernel_messages = KernelMessages{translation, 1_us, 5_us, Bytes(4096), 3_us, Bytes(slot)};
    using Handling = InterruptParameters::Handling;
    machine.kernel = std::make_unique<Kernel>(
        *machine.events, machine.processors,
        InterruptParameters{polls ? Handling::polling : Handling::least_loaded, polls ? 0_us : 10_us, 0});
    if (bus.occupancy > ByteCost()) machine.bus = std::make_unique<MemoryBus>(bus);
    if (!network) network = std::make_unique<EthernetCable>(*machine.events, 2, EthernetCableParameters());
    machine.network = std::make_unique<ReceptionHandlers>(
        *machine.events, *machine.kernel, std::move(network),
        HandlerParameters{2_us, ByteCost(), 3_us, ByteCost(), 16, Bytes(65535)});
    GoBackNParameters go_back_n;
    go_back_n.header = Bytes(header);
    go_back_n.acknowledge_every = 16;
    go_back_n.acknowledge_delay = 10_ms;
    go_back_n.retransmit_after = 50_ms;
    go_back_n.tries = tries;
    machine.transport = std::make_unique<GoBackN>(*machine.events, *machine.network, 2, go_back_n);
    return machine;
  }
};

}  // namespace morgana
