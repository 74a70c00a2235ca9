#include "tests/collectives/schedule_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace morgana::schedule_tests {
namespace {

struct Message {
  Bytes bytes;
  int started_at = 0;
  int* completes_at = nullptr;  // of the step at this end; not_yet until then
  MemberSet heard_of;           // of the sender, when it started the send
  MemberSet* learns = nullptr;  // of the receiver's group
};
constexpr int not_yet = -1;

struct Channel {
  std::vector<Message> sends, receives;
  std::size_t matched = 0;
};

struct Progress {
  std::size_t next = 0;
  int clock = 0;
  bool in_group = false;
  std::vector<int> completions;  // of the steps of the group under way; never reallocated meanwhile
  MemberSet heard_of, learned;
};

class Run {
 public:
  Run(const std::vector<Schedule>& schedules, Sends sends)
      : schedules_(schedules), sends_(sends), progress_(schedules.size()) {
    result_.members.resize(schedules.size());
    for (std::size_t i = 0; i < schedules.size(); ++i) progress_[i].heard_of.set(i);
  }

  Execution execute() {
    for (bool moved = true; moved && result_.failure.empty();) {
      moved = false;
      for (std::size_t i = 0; i < schedules_.size() && result_.failure.empty(); ++i)
        while (result_.failure.empty() && advance(i)) moved = true;
    }
    if (result_.failure.empty()) look_for_leftovers();
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      result_.members[i].heard_of = progress_[i].heard_of;
      result_.rounds = std::max(result_.rounds, progress_[i].clock);
    }
    return std::move(result_);
  }

 private:
  /// @return whether the member could start or end a group
  bool advance(std::size_t i) {
    Progress& member = progress_[i];
    if (!member.in_group) {
      if (member.next == schedules_[i].size()) return false;
      start_group(i);
      return true;
    }
    if (std::ranges::count(member.completions, not_yet) > 0) return false;
    for (const int completion : member.completions) member.clock = std::max(member.clock, completion);
    member.heard_of |= member.learned;
    member.in_group = false;
    return true;
  }

  void start_group(std::size_t i) {
    Progress& member = progress_[i];
    const Schedule& schedule = schedules_[i];
    std::size_t end = member.next;
    while (end < schedule.size() && schedule[end].kind != ScheduleStep::Kind::fence) ++end;
    member.in_group = true;
    member.completions.assign(end - member.next, not_yet);
    member.learned.reset();
    for (std::size_t step = member.next; step < end && result_.failure.empty(); ++step)
      start(i, schedule[step], member.completions[step - member.next]);
    member.next = std::min(end + 1, schedule.size());
  }

  void start(std::size_t i, const ScheduleStep& step, int& completes_at) {
    Execution::Member& tally = result_.members[i];
    Progress& member = progress_[i];
    const bool is_message = step.kind == ScheduleStep::Kind::send || step.kind == ScheduleStep::Kind::receive;
    const auto peer = static_cast<std::size_t>(step.peer);
    if (step.bytes < Bytes() || (is_message && (step.peer < 0 || peer >= schedules_.size() || peer == i))) {
      result_.failure =
          fmt::format("member {} has a step with peer {} and {} bytes", i, step.peer, step.bytes.count());
      return;
    }
    switch (step.kind) {
      case ScheduleStep::Kind::send: {
        tally.sent += step.bytes;
        ++tally.messages_sent;
        Channel& channel = channels_[{i, peer}];
        channel.sends.push_back({step.bytes, member.clock, &completes_at, member.heard_of, nullptr});
        if (sends_ == Sends::eager) completes_at = member.clock + 1;
        match(i, peer, channel);
        break;
      }
      case ScheduleStep::Kind::receive: {
        tally.received += step.bytes;
        Channel& channel = channels_[{peer, i}];
        channel.receives.push_back({step.bytes, member.clock, &completes_at, {}, &member.learned});
        match(peer, i, channel);
        break;
      }
      case ScheduleStep::Kind::reduce:
        tally.reduced += step.bytes;
        completes_at = member.clock;
        break;
      case ScheduleStep::Kind::copy:
        tally.copied += step.bytes;
        completes_at = member.clock;
        break;
      case ScheduleStep::Kind::fence:
        break;
    }
  }

  void match(std::size_t from, std::size_t to, Channel& channel) {
    if (channel.matched == std::min(channel.sends.size(), channel.receives.size())) return;
    const Message& send = channel.sends[channel.matched];
    const Message& receive = channel.receives[channel.matched];
    ++channel.matched;
    if (send.bytes != receive.bytes) {
      result_.failure = fmt::format("message {} from {} to {} is sent with {} bytes and received with {}",
                                    channel.matched, from, to, send.bytes.count(), receive.bytes.count());
      return;
    }
    if (sends_ == Sends::eager) {
      *receive.completes_at = std::max(send.started_at + 1, receive.started_at);
    } else {
      *receive.completes_at = *send.completes_at = std::max(send.started_at, receive.started_at) + 1;
    }
    *receive.learns |= send.heard_of;
  }

  void look_for_leftovers() {
    for (std::size_t i = 0; i < schedules_.size(); ++i)
      if (progress_[i].in_group || progress_[i].next != schedules_[i].size())
        result_.failure += fmt::format("member {} is stuck before step {} of {}; ", i, progress_[i].next,
                                       schedules_[i].size());
    for (const auto& [pair, channel] : channels_)
      if (channel.sends.size() != channel.receives.size())
        result_.failure += fmt::format("from {} to {}: {} sends, {} receives; ", pair.first, pair.second,
                                       channel.sends.size(), channel.receives.size());
  }

  const std::vector<Schedule>& schedules_;
  Sends sends_;
  std::vector<Progress> progress_;
  std::map<std::pair<std::size_t, std::size_t>, Channel> channels_;
  Execution result_;
};

}  // namespace

Execution execute(const std::vector<Schedule>& schedules, Sends sends) {
  return Run(schedules, sends).execute();
}

}  // namespace morgana::schedule_tests
