#include "pvmshim/pvmd/notifications.h"

#include <algorithm>

#include "pvmshim/pvmd/message.h"

namespace morgana::pvm {
namespace {

constexpr std::int32_t int_type = 3;  // PVM_INT
constexpr std::size_t int_size = 4;   // as XDR has it, most significant byte first

}  // namespace

SendMessage notification(Rank to, std::int32_t context, std::int32_t tag,
                         const std::vector<std::int32_t>& words) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < words.size(); ++i)
    parts.push_back({int_type, 1, static_cast<std::int64_t>((i + 1) * int_size)});
  const std::size_t size = words.size() * int_size;

  SendMessage message{to, engine_context(context), tag, {}, static_cast<std::int64_t>(size)};
  message.block.resize(block_size(parts.size(), size));
  const MessageHeader header{message_magic,
                             daemon_source,
                             context,
                             tag,
                             static_cast<std::uint32_t>(Encoding::xdr),
                             static_cast<std::uint32_t>(parts.size()),
                             size};
  auto at = begin_message(message.block, header, parts).begin();
  for (const std::int32_t word : words)
    for (int shift = 24; shift >= 0; shift -= 8)
      *at++ = static_cast<std::byte>(static_cast<std::uint32_t>(word) >> shift & 0xff);
  return message;
}

void Notifications::watch(Rank watcher, TaskId id, std::int32_t context, std::int32_t tag, TaskId said) {
  exits_.push_back({watcher, id, context, tag, said});
}

std::optional<SendMessage> Notifications::cancel(Rank watcher, TaskId id, std::int32_t context,
                                                 std::int32_t tag) {
  const auto found = std::find_if(exits_.begin(), exits_.end(), [&](const Watch& watch) {
    return watch.watcher == watcher && watch.id == id && watch.context == context && watch.tag == tag;
  });
  if (found == exits_.end()) return std::nullopt;
  SendMessage message = found->message();
  exits_.erase(found);
  return message;
}

void Notifications::watch_additions(Rank watcher, std::int32_t context, std::int32_t tag,
                                    std::int32_t count) {
  const auto found = std::find_if(additions_.begin(), additions_.end(), [&](const Watch& watch) {
    return watch.watcher == watcher && watch.context == context && watch.tag == tag;
  });
  if (found != additions_.end() && count == 0)
    additions_.erase(found);
  else if (found != additions_.end())
    found->count = count;
  else if (count != 0)
    additions_.push_back({watcher, 0, context, tag, 0, count});
}

std::vector<SendMessage> Notifications::gone(TaskId id) {
  std::vector<SendMessage> messages;
  for (const Watch& watch : exits_)
    if (watch.id == id) messages.push_back(watch.message());
  exits_.remove_if([id](const Watch& watch) { return watch.id == id; });
  return messages;
}

std::vector<SendMessage> Notifications::added(const std::vector<TaskId>& hosts) {
  std::vector<std::int32_t> words{static_cast<std::int32_t>(hosts.size())};
  words.insert(words.end(), hosts.begin(), hosts.end());
  std::vector<SendMessage> messages;
  for (Watch& watch : additions_) {
    messages.push_back(notification(watch.watcher, watch.context, watch.tag, words));
    if (watch.count != -1) watch.count = std::max(watch.count - 1, 0);
  }
  additions_.remove_if([](const Watch& watch) { return watch.count == 0; });
  return messages;
}

void Notifications::forget(Rank watcher) {
  const auto theirs = [watcher](const Watch& watch) { return watch.watcher == watcher; };
  exits_.remove_if(theirs);
  additions_.remove_if(theirs);
}

}  // namespace morgana::pvm
