#include "emulator/network/fabric/switch/fabric_switch.h"

namespace morgana::fabric {

/// If an allocation is due: all outputs whose time has come are requested, and those that are granted start.
void FabricSwitch::allocate(NextTries& due) {
  if (due.soonest() > now_) return;
  if (allocator_->next(now_) > now_) {  // news came between two allocations
    due.round(now_, [&](PortNumber) { return Attempt{allocator_->next(now_)}; });
    return;
  }
  allocator_->begin(now_);
  due.round(now_, [&](PortNumber output) { return Attempt{allocator_->next(request_output(output))}; });
  allocator_->grant([&](const SeparableAllocator::Request& granted) {
    const PortNumber output = granted.output;
    const Attempt after =
        crossbar_.exists() ? transfer(granted.candidate, output) : send_from_input(granted.candidate, output);
    due.replace(output, allocator_->next(after.next));
  });
}

/// Requests the output for all packets that may go there now.
/// @return when to do so again: now, if there was one, for what is not granted
SimTime FabricSwitch::request_output(PortNumber output) {
  bool is_requested = false, is_held = false;
  const auto request = [&](std::uint32_t queue, Slot slot) {
    allocator_->request({candidate(queue, slot), output, packets_[slot].came_on});
    is_requested = true;
  };
  SimTime next;
  if (crossbar_.exists()) {
    if (const SimTime free = crossbar_.free_at(output); free > now_) return free;
    next = find_transfers(output, request);
  } else {
    const CableChannel out = channel(output);
    if (const SimTime free = links_.free_at(out); free > now_) return free;
    next = find_direct(output, is_held, request);
    if (is_held && !is_requested) links_.stall(out, now_);
  }
  return is_requested ? now_ : next;
}

}  // namespace morgana::fabric
