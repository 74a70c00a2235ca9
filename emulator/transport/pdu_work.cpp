#include "emulator/transport/pdu_work.h"

#include <algorithm>

#include "emulator/core/event_number.h"

namespace morgana {
namespace {

/// What an event is about, with a slot.
enum Work : std::uint32_t { is_made, has_come };

}  // namespace

void PduWork::send(HostId at, std::uint32_t slot, bool again) {
  const SimTime work = sending(again);
  if (costs_.work == PduCosts::Work::pipelined || work == SimTime()) return client_.hand_over(slot);
  events_.schedule(when_done(at, work), *this, EventNumber{is_made, slot}.packed());
}

void PduWork::receive(HostId at, std::uint32_t way, std::uint32_t slot, bool again) {
  if (costs_.work == PduCosts::Work::occupying) {
    if (costs_.per_arrival == SimTime()) return client_.take_in(slot);
    return events_.schedule(when_done(at, costs_.per_arrival), *this, EventNumber{has_come, slot}.packed());
  }
  const SimTime work = sending(again) + costs_.per_arrival;
  if (costs_.per_pdu + costs_.per_repetition + costs_.per_arrival == SimTime()) return client_.take_in(slot);
  if (last_.size() <= way) last_.resize(way + std::size_t{1});
  last_[way] = std::max(last_[way], events_.now() + work);
  events_.schedule(last_[way], *this, EventNumber{has_come, slot}.packed());
}

SimTime PduWork::when_done(HostId at, SimTime work) {
  SimTime& free = free_[index(at)];
  free = std::max(free, events_.now()) + work;
  return free;
}

void PduWork::handle(std::uint64_t what) {
  const EventNumber event = EventNumber::unpacked(what);
  if (event.what == has_come)
    client_.take_in(event.which);
  else
    client_.hand_over(event.which);
}

}  // namespace morgana
