#include "emulator/network/fabric/switch/switch_memory.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace morgana::fabric {

SwitchMemory::SwitchMemory(SharedBuffer buffer, bool pauses, unsigned ports, unsigned groups)
    : buffer_(std::move(buffer)), groups_(groups), wanted_(pauses ? ports : 0), told_(wanted_.size()) {}

void SwitchMemory::settle(SimTime now) {
  if (releases_.empty() || releases_.front().at > now) return;
  while (!releases_.empty() && releases_.front().at <= now) {
    std::pop_heap(releases_.begin(), releases_.end());
    buffer_.release(releases_.back().account, releases_.back().size.count());
    releases_.pop_back();
  }
  if (paused_ > 0) end_pauses();
}

void SwitchMemory::end_pauses() {
  for (std::size_t number = 0; number < wanted_.size(); ++number) {
    const auto port = static_cast<PortNumber>(number);
    GroupSet over = 0;
    for (GroupSet left = wanted_[port]; left != 0; left &= left - 1) {
      const auto group = static_cast<unsigned>(std::countr_zero(left));
      if (buffer_.has_room(account(port, group))) over |= only(group);
    }
    if (over == 0) continue;
    wanted_[port] &= ~over;
    paused_ -= static_cast<std::size_t>(std::popcount(over));
    changed_.push_back(port);
  }
}

bool SwitchMemory::admit(std::size_t number, Bytes size) {
  if (!buffer_.admit(number, size.count())) return false;
  if (!pauses()) return true;
  const auto port = static_cast<PortNumber>(number / groups_);
  const GroupSet one = only(static_cast<unsigned>(number % groups_));
  if ((wanted_[port] & one) == 0 && buffer_.is_full(number)) {
    wanted_[port] |= one;
    ++paused_;
    changed_.push_back(port);
  }
  return true;
}

void SwitchMemory::release(std::size_t number, Bytes size, SimTime at) {
  releases_.push_back({at, number, size});
  std::push_heap(releases_.begin(), releases_.end());
}

std::unique_ptr<SwitchMemory> make_switch_memory(const Core& core, SwitchId at) {
  const FabricParameters& parameters = core.parameters;
  if (parameters.shared.size == Bytes(0)) return nullptr;
  const unsigned groups = core.channels.groups();
  const SharedBufferShares shares = shares_of(core.network, at, groups, parameters);
  return std::make_unique<SwitchMemory>(SharedBuffer(parameters.shared, shares.headrooms, shares.pool),
                                        parameters.flow_control == FlowControl::pause, core.graph.ports(at),
                                        groups);
}

}  // namespace morgana::fabric
