#include "emulator/transport/infiniband/send_queue.h"

#include <algorithm>

namespace morgana::rc {

void SendQueue::add(WorkRequest request, std::uint64_t packets) {
  ready_ = std::max(request.ready, ready_);
  request.ready = ready_;
  request.first = end_;
  end_ += packets;
  request.end = end_;
  requests_.push_back(request);
}

const WorkRequest& SendQueue::request_of(Psn psn) const {
  if (psn == next_) return requests_[sending_];
  return *std::ranges::partition_point(requests_, [psn](const WorkRequest& one) { return one.end <= psn; });
}

Psn SendQueue::missing_response(Psn up_to) const {
  for (const WorkRequest& request : requests_) {
    if (request.first > up_to) break;
    if (request.verb == Verb::read) return std::max(request.first, oldest_);
  }
  return up_to + 1;
}

void SendQueue::pass_request() {
  if (requests_[sending_].verb == Verb::read) ++reads_;
  ++sending_;
}

bool SendQueue::send_up_to(Psn after) {
  const bool is_new = next_ >= never_sent_;
  next_ = after;
  never_sent_ = std::max(never_sent_, next_);
  if (requests_[sending_].end == after) pass_request();
  return is_new;
}

void SendQueue::acknowledge(Psn up_to) {
  oldest_ = up_to;
  next_ = std::max(next_, up_to);
  while (sending_ < requests_.size() && requests_[sending_].end <= next_) pass_request();
}

std::optional<WorkRequest> SendQueue::take_done() {
  if (requests_.empty() || requests_.front().end > oldest_) return std::nullopt;
  const WorkRequest done = requests_.front();
  requests_.pop_front();
  --sending_;
  if (done.verb == Verb::read) --reads_;
  return done;
}

void SendQueue::go_back() {
  next_ = oldest_;
  sending_ = 0;
  reads_ = 0;
}

void SendQueue::clear() {
  requests_.clear();
  sending_ = 0;
  reads_ = 0;
  oldest_ = next_ = end_;
}

SimTime SendQueue::accepted(Psn expected, SimTime delivered) {
  for (WorkRequest& request : requests_) {
    if (request.end < expected) continue;
    request.delivered = delivered;
    return request.timer_wait.total();
  }
  return SimTime();
}

void SendQueue::note_timer_wait(SimTime since, SimTime now) {
  for (WorkRequest& request : requests_) request.timer_wait.add(since, now);
}

}  // namespace morgana::rc
