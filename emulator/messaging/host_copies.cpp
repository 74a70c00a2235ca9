#include "emulator/messaging/host_copies.h"

#include <algorithm>

#include "emulator/core/end_of_time.h"

namespace morgana {

void HostCopies::copy(std::uint32_t number) {
  const LibraryMessage& message = messages_[number];
  const Rank receiver = message.send.receiver;
  if (machine_.memory && machine_.memory->is_shared(machine_.host_of[index(receiver)])) {
    std::deque<std::uint32_t>& line =
        lines_.try_emplace(static_cast<std::uint32_t>(index(receiver))).first.value();
    line.push_back(number);
    if (line.size() == 1) begin(number);
    return;
  }
  SimTime& until = until_[index(receiver)];
  until = std::max(until, machine_.events->now()) +
          time_before_end(machine_.messages.copy_per_byte, message.left);
  machine_.events->schedule(until, *this, number);
}

void HostCopies::begin(std::uint32_t number) {
  const LibraryMessage& message = messages_[number];
  const HostId host = machine_.host_of[index(message.send.receiver)];
  const MemoryWork work{message.left, machine_.messages.copy_per_byte};
  if (machine_.memory->may_slow(host, work)) {
    machine_.memory->begin(host, work, *this, number);
    return;
  }
  machine_.events->schedule(machine_.events->now() + time_before_end(work.cost, work.bytes), *this, number);
}

/// The next copy to the same receiver begins.
void HostCopies::done(std::uint32_t number) {
  if (!lines_.empty()) {
    const auto line = lines_.find(static_cast<std::uint32_t>(index(messages_[number].send.receiver)));
    if (line != lines_.end() && line->second.front() == number) {
      line.value().pop_front();
      if (line->second.empty())
        lines_.erase(line);
      else
        begin(line->second.front());
    }
  }
  listener_.copied_within_host(number);
}

}  // namespace morgana
