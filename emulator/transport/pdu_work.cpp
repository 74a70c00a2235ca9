#include "emulator/transport/pdu_work.h"

#include <algorithm>

namespace morgana {
namespace {

// What an event's number says besides the slot.
constexpr std::uint64_t has_come = std::uint64_t{1} << 32;

}  // namespace

void PduWork::send(HostId at, std::uint32_t slot, bool again) {
  const SimTime work = sending(again);
  if (costs_.work == PduCosts::Work::pipelined || work == SimTime()) return client_.hand_over(slot);
  events_.schedule(when_done(at, work), *this, slot);
}

void PduWork::receive(HostId at, std::uint32_t way, std::uint32_t slot, bool again) {
  if (costs_.work == PduCosts::Work::occupying) {
    if (costs_.per_arrival == SimTime()) return client_.take_in(slot);
    return events_.schedule(when_done(at, costs_.per_arrival), *this, has_come | slot);
  }
  const SimTime work = sending(again) + costs_.per_arrival;
  if (costs_.per_pdu + costs_.per_repetition + costs_.per_arrival == SimTime()) return client_.take_in(slot);
  if (last_.size() <= way) last_.resize(way + std::size_t{1});
  last_[way] = std::max(last_[way], events_.now() + work);
  events_.schedule(last_[way], *this, has_come | slot);
}

SimTime PduWork::when_done(HostId at, SimTime work) {
  SimTime& free = free_[index(at)];
  free = std::max(free, events_.now()) + work;
  return free;
}

void PduWork::handle(std::uint64_t what) {
  const auto slot = static_cast<std::uint32_t>(what);
  if ((what & has_come) != 0)
    client_.take_in(slot);
  else
    client_.hand_over(slot);
}

}  // namespace morgana
