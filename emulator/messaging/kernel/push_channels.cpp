#include "emulator/messaging/kernel/push_channels.h"

#include <utility>

namespace morgana {

void PushChannels::begin(KernelMessage& message) {
  Pair& pair = pair_of(message);
  message.ordinal = pair.sent++;
  if (pair.free.empty()) pair.free.push_back(++pair.channels);
  message.channel = pair.free.back();
  pair.free.pop_back();
}

void PushChannels::see(const KernelMessage& message) {
  Pair& pair = pair_of(message);
  ++pair.seen;
  pair.skip_given_up();
}

void PushChannels::give_up(const KernelMessage& message) {
  Pair& pair = pair_of(message);
  pair.given_up.insert(message.ordinal);
  pair.skip_given_up();
}

void PushChannels::end(KernelMessage& message) {
  if (message.channel != 0) pair_of(message).free.push_back(std::exchange(message.channel, 0));
}

}  // namespace morgana
