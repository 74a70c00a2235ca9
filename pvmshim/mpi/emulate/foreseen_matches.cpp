#include "pvmshim/mpi/emulate/foreseen_matches.h"

#include "emulator/core/error.h"

namespace morgana::mpi::emulated {

std::size_t ForeseenMatches::KeyHash::operator()(const Key& key) const {
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;  // of the golden ratio
  const auto ends = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.source)) << 32 |
                    static_cast<std::uint32_t>(key.tag);
  const std::uint64_t mixed = (static_cast<std::uint64_t>(key.context) * odd ^ ends) * odd;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

ForeseenMatches::ForeseenMatches(RankChannel& channel)
    : channel_(channel), certain_(channel.settings().messages_are_certain != 0) {}

std::uint64_t ForeseenMatches::announce(const Operation& send) {
  if (!certain_) return send.payload;
  const std::uint64_t payload = send.payload != 0 ? send.payload : channel_.allocate(Bytes(0), 1);
  channel_.announce_message(send.peer, payload, send.context, send.tag);
  return payload;
}

void ForeseenMatches::started(const Operation& receive) {
  if (!certain_ || receive.taken != no_request) return;
  const Key key{receive.context, receive.peer, receive.tag};
  Receive& started = receives_.try_emplace(receive.request, Receive{key}).first->second;
  const auto before = not_foreseen_.find(key.context);
  if (receive.peer == any_rank || receive.tag == any_tag || before != not_foreseen_.end()) {
    ++not_foreseen_[key.context];
    return;
  }
  started.foreseen = true;
  look();
  Lines& lines = lines_[key];
  if (lines.messages.empty()) {
    lines.receives.push(static_cast<std::uint64_t>(receive.request));
  } else {
    started.payload = lines.messages.front();
    lines.messages.pop();
  }
}

bool ForeseenMatches::foresees(RequestId receive) const {
  const auto found = receives_.find(receive);
  return found != receives_.end() && found->second.foreseen;
}

Completed ForeseenMatches::take(RequestId receive) {
  const auto found = receives_.find(receive);
  for (look(); found->second.payload == 0; look()) channel_.await_announced();
  const Receive& taken = found->second;
  Completed completed;
  completed.request = receive;
  completed.source = taken.key.source;
  completed.tag = taken.key.tag;
  completed.payload = taken.payload;
  completed.bytes = Bytes(static_cast<std::int64_t>(channel_.data(taken.payload).size()));
  receives_.erase(found);
  return completed;
}

void ForeseenMatches::completed(const Completed& completed) {
  const auto found = receives_.find(completed.request);
  if (found == receives_.end()) return;
  look();  // what is completed has been sent, and its block must be on no list when it is given back
  const Receive receive = found->second;
  receives_.erase(found);
  if (receive.foreseen) return;
  const auto pending = not_foreseen_.find(receive.key.context);
  if (--pending->second == 0) not_foreseen_.erase(pending);
  forget_message({receive.key.context, completed.source, completed.tag});
}

void ForeseenMatches::set_aside(Context context, const Completed& found) {
  if (!certain_) return;
  look();
  forget_message({context, found.source, found.tag});
}

/// Finds the receives of the messages that have been sent meanwhile.
void ForeseenMatches::look() {
  sent_.clear();
  channel_.take_announced(sent_);
  for (const RankChannel::SentMessage& message : sent_) {
    Lines& lines = lines_[{message.context, message.source, message.tag}];
    if (lines.receives.empty()) {
      lines.messages.push(message.payload);
      continue;
    }
    receives_.at(RequestId{lines.receives.front()}).payload = message.payload;
    lines.receives.pop();
  }
}

/// The first of those messages is a receive's that was not foreseen.
void ForeseenMatches::forget_message(const Key& key) {
  Lines& lines = lines_[key];
  if (lines.messages.empty())
    throw Error("a message has come that was not sent: the program may have written over the shim's memory");
  lines.messages.pop();
}

}  // namespace morgana::mpi::emulated
