// Mailboxes: messages that the virtual machine keeps under a name. The calls of PVM 3.3 (insert, lookup,
// delete) keep a number each in the same mailboxes.

#include <string.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/inbox.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/send_message.h"
#include "pvmshim/pvm/emulate/task_call.h"

using namespace morgana::pvm;
using morgana::Call;

namespace {

bool is_name(const char* name) {
  return name != nullptr && *name != '\0';
}

int put(OpenCall& call, const char* name, int index, int flags, Message& message) {
  message.wait_for_all(call.call());
  return ask_daemon(call, {Ask::put_info,
                           0,
                           {index, flags, pvmmyctx},
                           {name},
                           block_of(message, message.context, message.tag)})
      .status;
}

/// @return the index, and the message in `found`; or an error
int get(OpenCall& call, const char* name, int index, int flags, Message** found) {
  const Reply reply = ask_daemon(call, {Ask::receive_info, 0, {index, flags}, {name}, {}});
  if (reply.status >= 0) *found = &new_message(view_message(reply.data));
  return reply.status;
}

int remove(OpenCall& call, const char* name, int index, int flags) {
  return ask_daemon(call, {Ask::delete_info, 0, {index, flags}, {name}, {}}).status;
}

/// What pvm_getmboxinfo shows, until its next call.
struct MailboxList {
  std::deque<std::string> names;
  std::deque<std::vector<int>> numbers;
  std::vector<pvmmboxinfo> classes;

  explicit MailboxList(const Reply& reply) {
    std::size_t next = 0;
    const auto number = [&] { return static_cast<int>(reply.numbers.at(next++)); };
    for (const std::string& name : reply.texts) {
      const int instances = number();
      std::array<std::vector<int>*, 3> columns{};
      for (auto& column : columns) column = &numbers.emplace_back();
      for (int i = 0; i < instances; ++i)
        for (auto* column : columns) column->push_back(number());
      names.push_back(name);
      classes.push_back(
          {names.back().data(), instances, columns[0]->data(), columns[1]->data(), columns[2]->data()});
    }
  }
};

}  // namespace

int pvm_putinfo(char* name, int id, int flags) {
  return reported_call(Call::pvm_putinfo,
                       [&](OpenCall& call) -> int {
                         if (!is_name(name)) return PvmBadParam;
                         if (id <= 0) return PvmBadParam;
                         Message* message = buffers().messages.find(id);
                         return message == nullptr ? PvmNoSuchBuf : put(call, name, -1, flags, *message);
                       },
                       {PvmDenied, PvmExists});
}

int pvm_recvinfo(char* name, int index, int flags) {
  return reported_call(Call::pvm_recvinfo,
                       [&](OpenCall& call) -> int {
                         if (!is_name(name) || index < 0) return PvmBadParam;
                         if (Message* current = buffers().receive) buffers().free(*current);
                         Message* found = nullptr;
                         const int result = get(call, name, index, flags, &found);
                         if (result < 0) return result;
                         buffers().set_receive(found);
                         return found->id;
                       },
                       {PvmNotFound});
}

int pvm_delinfo(char* name, int index, int flags) {
  return reported_call(Call::pvm_delinfo,
                       [&](OpenCall& call) {
                         return !is_name(name) || index < 0 ? PvmBadParam : remove(call, name, index, flags);
                       },
                       {PvmDenied, PvmNotFound});
}

int pvm_getmboxinfo(char* pattern, int* count, pvmmboxinfo** classes) {
  static MailboxList* list = nullptr;
  return reported_call(Call::pvm_getmboxinfo, [&](OpenCall& call) {
    const Reply reply = ask_daemon(call, {Ask::list_info, 0, {}, {pattern == nullptr ? "" : pattern}, {}});
    if (reply.status < 0) return reply.status;
    delete list;
    list = new MailboxList(reply);
    if (classes != nullptr) *classes = list->classes.data();
    if (count != nullptr) *count = static_cast<int>(list->classes.size());
    return reply.status;
  });
}

int pvm_insert(char* name, int index, int number) {
  return reported_call(Call::pvm_insert,
                       [&](OpenCall& call) -> int {
                         if (!is_name(name) || index < -1) return PvmBadParam;
                         Message message(Encoding::xdr);
                         message.pack(PVM_INT, &number, 1, 1);
                         return put(call, name, index,
                                    PvmMboxDefault | PvmMboxMultiInstance | PvmMboxPersistent, message);
                       },
                       {PvmDupEntry});
}

int pvm_lookup(char* name, int index, int* number) {
  return reported_call(Call::pvm_lookup,
                       [&](OpenCall& call) -> int {
                         if (!is_name(name) || index < -1) return PvmBadParam;
                         Message* found = nullptr;
                         const int result =
                             get(call, name, std::max(index, 0),
                                 index < 0 ? PvmMboxDefault | PvmMboxFirstAvail : PvmMboxDefault, &found);
                         if (result < 0) return result;
                         if (number != nullptr) {
                           found->begin_unpacking();
                           found->unpack(PVM_INT, number, 1, 1, Call::pvm_recvinfo);
                         }
                         buffers().free(*found);
                         return result;
                       },
                       {PvmNoEntry});
}

int pvm_delete(char* name, int index) {
  return reported_call(Call::pvm_delete,
                       [&](OpenCall& call) {
                         return !is_name(name) || index < 0 ? PvmBadParam
                                                            : remove(call, name, index, PvmMboxDefault);
                       },
                       {PvmNoEntry});
}

int pvm_getnoresets(int** tasks, int* count) {
  static std::vector<int>& found = *new std::vector<int>;
  return reported_call(Call::pvm_getnoresets, [&](OpenCall& call) {
    found.clear();
    Message* message = nullptr;
    int index = 0;
    while ((index = get(call, PVMNORESETCLASS, index, PvmMboxFirstAvail, &message)) >= 0) {
      int task = 0;
      message->begin_unpacking();
      message->unpack(PVM_INT, &task, 1, 1, Call::pvm_recvinfo);
      buffers().free(*message);
      found.push_back(task);
      ++index;
    }
    if (tasks != nullptr) *tasks = found.data();
    if (count != nullptr) *count = static_cast<int>(found.size());
    return PvmOk;
  });
}
