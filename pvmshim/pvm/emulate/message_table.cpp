#include "pvmshim/pvm/emulate/message_table.h"

#include "pvmshim/pvm/api.h"

namespace morgana::pvm {

void MessageTable::grow() {
  constexpr std::size_t first_size = 8;
  const std::size_t before = slots_.size();
  const std::size_t size = before == 0 ? first_size : next_size_;
  if (before > 0) next_size_ += before;
  slots_.resize(size);
  for (std::size_t i = before; i < size; ++i) {
    slots_[i].next_free = free_;
    free_ = static_cast<int>(i);
  }
}

Message& MessageTable::add(Encoding encoding) {
  if (free_ == 0) grow();
  const int id = free_;
  Slot& slot = slots_[static_cast<std::size_t>(id)];
  free_ = slot.next_free;
  slot.message = std::make_unique<Message>(encoding);
  slot.message->id = id;
  return *slot.message;
}

Message* MessageTable::find(int id) const {
  if (id <= 0 || static_cast<std::size_t>(id) >= slots_.size()) return nullptr;
  return slots_[static_cast<std::size_t>(id)].message.get();
}

void MessageTable::remove(Message& message) {
  const int id = message.id;
  Slot& slot = slots_[static_cast<std::size_t>(id)];
  slot.message.reset();
  slot.next_free = free_;
  free_ = id;
}

int Buffers::set_send(Message* message) {
  const int before = send == nullptr ? 0 : send->id;
  if (message != nullptr && message == receive) receive = nullptr;
  send = message;
  if (message != nullptr) message->begin_packing();
  return before;
}

int Buffers::set_receive(Message* message) {
  const int before = receive == nullptr ? 0 : receive->id;
  if (message != nullptr && message == send) send = nullptr;
  receive = message;
  if (message != nullptr) message->begin_unpacking();
  return before;
}

void Buffers::free(Message& message) {
  if (send == &message) send = nullptr;
  if (receive == &message) receive = nullptr;
  message.end();
  messages.remove(message);
}

Buffers& buffers() {
  static Buffers& all = *new Buffers;  // never destroyed: programs use PVM until their process ends
  return all;
}

Message& new_message(const MessageView& view) {
  const bool is_xdr = static_cast<Encoding>(view.header.encoding) == Encoding::xdr;
  Message& message = buffers().messages.add(is_xdr ? Encoding::xdr : Encoding::raw);
  message.tag = view.header.tag;
  message.context = view.header.context;
  message.source = view.header.source;
  message.destination = pvmmytid;
  message.receive(view.parts, view.data);
  return message;
}

}  // namespace morgana::pvm
