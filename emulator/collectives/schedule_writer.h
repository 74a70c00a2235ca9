#pragma once

#include "emulator/collectives/schedule.h"

namespace morgana::collectives {

/// Writes a schedule step by step, without fences that would separate nothing.
class ScheduleWriter {
 public:
  explicit ScheduleWriter(Schedule& schedule) : schedule_(schedule) { schedule_.clear(); }

  /// Writes on in the same schedule, for members who count themselves from 0 and whose first is `first`.
  ScheduleWriter counting_from(std::int32_t first) { return {schedule_, first}; }

  /// Starts together with the other steps since the last fence. Empty messages are sent too.
  void send(std::int32_t to, Bytes bytes) { add(ScheduleStep::Kind::send, first_ + to, bytes); }
  void receive(std::int32_t from, Bytes bytes) { add(ScheduleStep::Kind::receive, first_ + from, bytes); }
  /// On the processor, in the order written: sends that follow start when it has ended.
  void copy_alongside(Bytes bytes) {
    if (bytes > Bytes()) add(ScheduleStep::Kind::copy, -1, bytes);
  }
  /// The same, of what came before the last fence.
  void reduce_alongside(Bytes bytes) {
    if (bytes > Bytes()) add(ScheduleStep::Kind::reduce, -1, bytes);
  }
  /// Until everything so far has completed.
  void fence() {
    if (!schedule_.empty() && schedule_.back().kind != ScheduleStep::Kind::fence)
      add(ScheduleStep::Kind::fence, -1, Bytes());
  }

  // What blocks until it is done, as the calls of the same name do.
  void blocking_send(std::int32_t to, Bytes bytes) {
    send(to, bytes);
    fence();
  }
  void blocking_receive(std::int32_t from, Bytes bytes) {
    receive(from, bytes);
    fence();
  }
  void send_receive(std::int32_t to, Bytes outgoing, std::int32_t from, Bytes incoming) {
    receive(from, incoming);
    send(to, outgoing);
    fence();
  }
  void exchange(std::int32_t peer, Bytes outgoing, Bytes incoming) {
    send_receive(peer, outgoing, peer, incoming);
  }
  void reduce(Bytes bytes) {
    if (bytes <= Bytes()) return;
    reduce_alongside(bytes);
    fence();
  }
  void copy(Bytes bytes) {
    copy_alongside(bytes);
    fence();
  }

  /// A collective ends when its last steps have completed: no fence is needed after them.
  void finish() {
    if (!schedule_.empty() && schedule_.back().kind == ScheduleStep::Kind::fence) schedule_.pop_back();
  }

 private:
  ScheduleWriter(Schedule& schedule, std::int32_t first) : schedule_(schedule), first_(first) {}

  void add(ScheduleStep::Kind kind, std::int32_t peer, Bytes bytes) {
    schedule_.push_back({kind, peer, bytes});
  }

  Schedule& schedule_;
  std::int32_t first_ = 0;  ///< index of the member who counts as 0
};

}  // namespace morgana::collectives
