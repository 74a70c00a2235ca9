#include "emulator/transport/assured/undelivered.h"

#include <algorithm>
#include <cassert>

namespace morgana::assured {

void Undelivered::departed(MessageId message) {
  const auto found = std::find_if(messages_.begin() + static_cast<std::ptrdiff_t>(all_departed_),
                                  messages_.end(), [&](const Message& each) { return each.id == message; });
  if (found == messages_.end() || found->departed) return;
  found->departed = true;
  while (all_departed_ < messages_.size() && messages_[all_departed_].departed) ++all_departed_;
  message.listener->shipment_departed(message);
}

void Undelivered::came(MessageId message, Bytes bytes, bool ends, SimTime now, LatencyClasses& latency) {
  assert(!messages_.empty() && messages_.front().id == message);
  Message& front = messages_.front();
  latency_of_data_.add((now - front.since).seconds());
  if (ends) {
    latency.add(now - front.since);
    const bool has_departed = front.departed;
    messages_.pop_front();
    if (all_departed_ > 0) --all_departed_;
    // A repetition over one channel may come while the first copy waits at the source of another.
    if (!has_departed) message.listener->shipment_departed(message);
    message.listener->shipment_delivered(message);
  } else if (front.streamed) {
    front.prefix += bytes;
    message.listener->shipment_reached(message, front.prefix);
  }
}

std::vector<MessageId> Undelivered::give_back() {
  std::vector<MessageId> all;
  for (const Message& each : messages_) all.push_back(each.id);
  messages_.clear();
  all_departed_ = 0;
  return all;
}

}  // namespace morgana::assured
