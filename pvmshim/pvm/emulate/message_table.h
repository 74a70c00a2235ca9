#pragma once

#include <memory>
#include <vector>

#include "pvmshim/pvm/emulate/message.h"

namespace morgana::pvm {

/// The messages of this process and their handles, which are given out in the real library's order.
class MessageTable {
 public:
  Message& add(Encoding encoding);
  /// Null if there is none.
  Message* find(int id) const;
  void remove(Message& message);

 private:
  struct Slot {
    std::unique_ptr<Message> message;
    int next_free = 0;
  };
  void grow();

  std::vector<Slot> slots_;
  std::size_t next_size_ = 13;
  int free_ = 0;  ///< the first free slot; 0: none
};

/// The process's messages, and which ones pvm_pk* and pvm_upk* work on; null for none.
struct Buffers {
  MessageTable messages;
  Message* send = nullptr;
  Message* receive = nullptr;

  /// Makes it the one to pack or to unpack. @return the handle of the one before, 0 for none
  int set_send(Message* message);
  int set_receive(Message* message);
  void free(Message& message);
};

Buffers& buffers();

/// A new message with what lies in a block.
Message& new_message(const MessageView& view);

}  // namespace morgana::pvm
