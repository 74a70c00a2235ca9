#include "emulator/interface/am2/endpoint_send_queues.h"

#include <algorithm>
#include <utility>

namespace morgana::am2 {

void EndpointSendQueues::post(EndpointNumber number, PeerNumber peer, Posted posted) {
  Endpoint& endpoint = endpoints_[number];
  const auto [queue, first] = endpoint.queues.try_emplace(peer);
  if (first) {
    if (peer >= senders_.size()) senders_.resize(peer + 1);
    senders_[peer].push_back(number);
  }
  posted.order = ++endpoint.posts;
  queue->second.posted.push_back(posted);
  ++endpoint.waiting;
  list(number, peer);
}

void EndpointSendQueues::put_back(EndpointNumber number, PeerNumber peer, Posted packet) {
  Endpoint& endpoint = endpoints_[number];
  packet.order = 0;
  endpoint.queues.at(peer).posted.push_front(packet);
  ++endpoint.waiting;
}

std::int64_t EndpointSendQueues::forget(EndpointNumber number, PeerNumber peer, std::uint32_t message) {
  Endpoint& endpoint = endpoints_[number];
  std::int64_t packets = 0;
  endpoint.waiting -=
      static_cast<std::int64_t>(std::erase_if(endpoint.queues.at(peer).posted, [&](const Posted& posted) {
        if (posted.message != message) return false;
        const std::int64_t left = (posted.bytes - posted.taken).count(),
                           room = parameters_.largest_payload.count();
        packets += std::max<std::int64_t>((left + room - 1) / room, 1);
        return true;
      }));
  list(number, peer);
  return packets;
}

Bytes EndpointSendQueues::next_payload(const Posted& posted) const {
  return std::min(parameters_.largest_payload, posted.bytes - posted.taken);
}

bool EndpointSendQueues::may_send(EndpointNumber number) const {
  const Endpoint& endpoint = endpoints_[number];
  return !endpoint.sendable.empty() &&
         gate_.may_send(number, next_payload(endpoint.sendable.begin()->queue->posted.front()));
}

bool EndpointSendQueues::has_work() const {
  return std::any_of(line_.begin(), line_.end(), [this](EndpointNumber number) { return may_send(number); });
}

std::optional<EndpointNumber> EndpointSendQueues::next() {
  for (std::size_t looked = line_.size() + 1; looked > 0 && !line_.empty(); --looked) {
    const EndpointNumber number = line_.front();
    if (visit_ < parameters_.loiter && may_send(number)) {
      ++visit_;
      return number;
    }
    visit_ = 0;
    line_.pop_front();
    Endpoint& endpoint = endpoints_[number];
    endpoint.in_line = !endpoint.sendable.empty();
    if (endpoint.in_line) line_.push_back(number);
  }
  return std::nullopt;
}

EndpointSendQueues::Taken EndpointSendQueues::take(EndpointNumber number) {
  Endpoint& endpoint = endpoints_[number];
  const PeerNumber peer = endpoint.sendable.begin()->peer;
  ToPeer& queue = *endpoint.sendable.begin()->queue;
  Posted& posted = queue.posted.front();
  const Taken taken{peer, posted, next_payload(posted)};
  posted.taken += taken.payload;
  if (posted.taken == posted.bytes) {
    queue.posted.pop_front();
    --endpoint.waiting;
  }
  return taken;
}

/// An endpoint stands in line while it has a message that can be sent.
void EndpointSendQueues::list(EndpointNumber number, PeerNumber peer) {
  Endpoint& endpoint = endpoints_[number];
  ToPeer& queue = endpoint.queues.at(peer);
  std::optional<std::uint64_t> order;
  if (!queue.posted.empty() && gate_.has_channel(peer)) order = queue.posted.front().order;
  if (order == queue.listed) return;
  if (queue.listed && order) {
    auto place = endpoint.sendable.extract({*queue.listed, peer});
    place.value().order = *order;
    endpoint.sendable.insert(std::move(place));
  } else if (order) {
    endpoint.sendable.insert({*order, peer, &queue});
  } else {
    endpoint.sendable.erase({*queue.listed, peer});
  }
  queue.listed = order;
  if (endpoint.in_line || endpoint.sendable.empty()) return;
  endpoint.in_line = true;
  line_.push_back(number);
}

void EndpointSendQueues::list_all(PeerNumber peer) {
  if (peer >= senders_.size()) return;
  for (const EndpointNumber sender : senders_[peer]) list(sender, peer);
}

}  // namespace morgana::am2
