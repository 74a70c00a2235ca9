#include "emulator/messaging/library_costs.h"

#include <algorithm>

#include "emulator/core/end_of_time.h"

namespace morgana {

bool LibraryCosts::goes_by_rendezvous(bool local, Bytes bytes, SendMode mode) const {
  // A ready send's receive is posted already: there is nothing to agree on.
  const MessageLayer& layer = machine_.messages;
  // Nor is there where the first push brings all.
  return mode != SendMode::ready && bytes > (local ? std::max(layer.local_eager_limit, layer.local_push)
                                                   : std::max(layer.eager_limit, layer.push));
}

bool LibraryCosts::goes_without_copy(bool local, Bytes bytes, SendMode mode) const {
  const MessageLayer& layer = machine_.messages;
  return layer.zero_copy_from > Bytes() && bytes >= layer.zero_copy_from && !local && is_buffered(bytes) &&
         !goes_by_rendezvous(local, bytes, mode);
}

bool LibraryCosts::is_buffered(Bytes bytes) const {
  return machine_.transport && bytes + machine_.messages.envelope > machine_.transport->inline_limit();
}

LibraryCosts::Push LibraryCosts::push_of(bool local, Bytes bytes) const {
  const MessageLayer& layer = machine_.messages;
  const Bytes first = std::min(bytes, local ? layer.local_push : layer.push);
  return {first, local ? Bytes() : std::min(bytes - first, layer.second_push)};
}

SimTime LibraryCosts::transports_work(bool local, bool rendezvous, Bytes bytes) const {
  if (local || !transport_works_) return SimTime();
  const MessageLayer& layer = machine_.messages;
  if (!rendezvous) return machine_.transport->sending_work(bytes + layer.envelope);
  const Push push = push_of(local, bytes);
  const SimTime work = machine_.transport->sending_work(layer.control + push.first);
  return push.second == Bytes() ? work
                                : work + machine_.transport->sending_work(push.second + layer.envelope);
}

Messenger::SendCost LibraryCosts::send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const {
  const MessageLayer& layer = machine_.messages;
  const bool local = machine_.share_host(sender, receiver);
  const bool rendezvous = goes_by_rendezvous(local, bytes, mode);
  const bool from_place = goes_without_copy(local, bytes, mode);
  // These move the data from where they lie, but a buffered send has always copied them.
  const bool copies = mode == SendMode::buffered || !(rendezvous || from_place);
  SimTime overhead = local ? layer.local_overhead : layer.send_overhead;
  if (!local && rendezvous) overhead += layer.rendezvous_overhead;
  if (from_place)
    overhead += layer.zero_copy_overhead;
  else if (layer.buffer_overhead > SimTime() && !local && !rendezvous && is_buffered(bytes))
    overhead += layer.buffer_overhead;
  const Push push = push_of(local, bytes);
  const Bytes copied = copies ? bytes : push.first + push.second;
  const MemoryWork copy{copied, local ? layer.copy_per_byte : layer.send_per_byte};
  Messenger::SendCost cost{time_before_end(overhead + time_before_end(copy.cost, copied) +
                                           transports_work(local, rendezvous, bytes)),
                           SimTime()};
  if (machine_.memory && machine_.memory->may_slow(machine_.host_of[index(sender)], copy)) cost.copied = copy;
  return cost;
}

Bytes LibraryCosts::match_matters_beyond() const {
  const MessageLayer& layer = machine_.messages;
  return may_drop() ? Bytes(-1) : std::min(layer.eager_limit, layer.local_eager_limit);
}

}  // namespace morgana
