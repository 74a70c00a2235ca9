#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/messaging/library_costs.h"
#include "emulator/messaging/library_message.h"

namespace morgana {

/// Pushed bytes of messages that came before their receives: each receiver has space for the same number. No
/// more are ever there, and what is there of a message stands in its Rare::kept.
class UnexpectedBuffers {
 public:
  /// The references must outlive this object. @param costs  say whether the space is limited; else nothing is
  /// counted
  UnexpectedBuffers(std::size_t receivers, const LibraryCosts& costs, LibraryMessageTable& messages)
      : costs_(costs), used_(receivers), messages_(messages) {}

  /// @return false if there is less space at the message's receiver; then it takes none
  bool take(LibraryMessage& message, Bytes bytes) {
    if (!costs_.may_drop()) return true;
    Bytes& used = used_[index(message.send.receiver)];
    if (bytes > costs_.unexpected_space() - used) return false;
    used += bytes;
    messages_.make_rare(message).kept += bytes;
    return true;
  }
  /// A message has come whose receive is not posted: takes what has been pushed of it. Where there is no
  /// space for that, the message is a rendezvous of which nothing has been pushed. @return whether there was
  bool keep(LibraryMessage& message) {
    if (message.local || take(message, message.rendezvous ? messages_.rare_of(message).pushed : message.left))
      return true;
    message.rendezvous = true;
    if (message.rare != LibraryMessage::nothing)
      message.left += std::exchange(messages_.make_rare(message).pushed, Bytes());
    return false;
  }
  /// What is there of the message has been taken, or is not needed.
  void free(LibraryMessage& message) {
    if (message.rare == LibraryMessage::nothing) return;
    used_[index(message.send.receiver)] -= std::exchange(messages_.make_rare(message).kept, Bytes());
  }

 private:
  const LibraryCosts& costs_;
  std::vector<Bytes> used_;  // by receiver
  LibraryMessageTable& messages_;
};

}  // namespace morgana
