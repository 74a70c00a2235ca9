// Requests and replies, in their three forms and with 0 to 8 words.
#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

#include "pvmshim/am/monitor.h"
#include "pvmshim/am/process.h"
#include "pvmshim/am/refusal.h"

using namespace morgana::am;

namespace {

/// What a call wants to be sent.
struct Content {
  MessageForm form;
  handler_t handler;
  std::initializer_list<int> words;
  const void* data = nullptr;
  int bytes = 0;
  uintptr_t offset = 0;
};

int check_content(const char* call, const Content& content) {
  if (content.handler < 1 || content.handler >= AM_MAX_HANDLERS)
    return refuse(call, AM_ERR_BAD_ARG,
                  "handler " + std::to_string(content.handler) + " is not one of 1 to " +
                      std::to_string(AM_MAX_HANDLERS - 1));
  if (content.bytes < 0 || (content.data == nullptr && content.bytes > 0))
    return refuse(call, AM_ERR_BAD_ARG,
                  std::to_string(content.bytes) + " bytes at " +
                      (content.data == nullptr ? "no address" : "an address") + " can't be sent");
  const int longest = content.form == MessageForm::medium ? AM_MAX_MEDIUM : AM_MAX_LONG;
  if (content.bytes <= longest) return AM_OK;
  return refuse(call, AM_ERR_BAD_ARG,
                std::to_string(content.bytes) + " bytes are too long a message: it has at most " +
                    std::to_string(longest));
}

int send(bool reply, const am_endpoint& from, en_t to, tag_t tag, const Content& content) {
  Message message;
  message.way = {static_cast<std::uint8_t>(to.number), from.number, reply};
  message.form = content.form;
  message.handler = static_cast<std::uint8_t>(content.handler);
  message.protection = tag;
  message.count = static_cast<std::uint8_t>(content.words.size());
  std::copy(content.words.begin(), content.words.end(), message.words.begin());
  message.offset = content.offset;
  return process->send(
      &from, to.rank, message,
      {static_cast<const std::byte*>(content.data), static_cast<std::size_t>(content.bytes)});
}

constexpr const char* mpi_refuses = "MPI has not taken the message";

int request(const char* call, ep_t endpoint, int index, const Content& content) {
  const Inside here;
  if (const int error = check(call, endpoint); error != AM_OK) return error;
  if (process->handling != nullptr)
    return refuse(call, AM_ERR_BAD_ARG, "a handler sends no request: it may reply, once");
  const auto found = endpoint->translations.find(index);
  if (found == endpoint->translations.end()) return refuse(call, AM_ERR_BAD_ARG, nothing_at(index));
  if (const int error = check_content(call, content); error != AM_OK) return error;
  const auto [name, tag] = found->second;  // a handler may change the table meanwhile
  const auto has_credit = [endpoint] { return endpoint->unreplied < AM_CREDITS; };
  while (!has_credit()) {
    process->wait_for_message(endpoint->bundle, has_credit);
    if (!has_credit()) process->poll(endpoint->bundle);
  }
  ++endpoint->unreplied;
  const int result = send(false, *endpoint, name, tag, content);
  if (result == AM_OK) return AM_OK;
  --endpoint->unreplied;
  return refuse(call, result, mpi_refuses);
}

int reply(const char* call, void* token, const Content& content) {
  const Inside here;
  if (process == nullptr) return refuse(call, AM_ERR_NOT_INIT, not_initialised);
  Token* handling = process->handling;
  if (token == nullptr) return refuse(call, AM_ERR_BAD_ARG, "the token is null");
  if (handling == nullptr) return refuse(call, AM_ERR_RESOURCE, "no handler runs that could reply");
  if (token != handling)
    return refuse(call, AM_ERR_RESOURCE, "the token is not that of the handler that runs now");
  if (!handling->may_reply)
    return refuse(call, AM_ERR_RESOURCE,
                  "it is a request's handler that may reply, and once; this one handles a reply, a message "
                  "that came back, or a request that has had its reply");
  if (const int error = check_content(call, content); error != AM_OK) return error;
  const int result = send(true, *handling->endpoint, handling->source, AM_NONE, content);
  if (result != AM_OK) return refuse(call, result, mpi_refuses);
  handling->may_reply = false;
  return AM_OK;
}

}  // namespace

// The words' parameters, and the words.
#define PARAMETERS_0
#define PARAMETERS_1 , int w0
#define PARAMETERS_2 PARAMETERS_1, int w1
#define PARAMETERS_3 PARAMETERS_2, int w2
#define PARAMETERS_4 PARAMETERS_3, int w3
#define PARAMETERS_5 PARAMETERS_4, int w4
#define PARAMETERS_6 PARAMETERS_5, int w5
#define PARAMETERS_7 PARAMETERS_6, int w6
#define PARAMETERS_8 PARAMETERS_7, int w7
#define WORDS_0
#define WORDS_1 w0
#define WORDS_2 WORDS_1, w1
#define WORDS_3 WORDS_2, w2
#define WORDS_4 WORDS_3, w3
#define WORDS_5 WORDS_4, w4
#define WORDS_6 WORDS_5, w5
#define WORDS_7 WORDS_6, w6
#define WORDS_8 WORDS_7, w7
#define CALLS(M)                                                                                          \
  int AM_Request##M(ep_t endpoint, int index, handler_t handler PARAMETERS_##M) {                         \
    return request(__func__, endpoint, index, {MessageForm::brief, handler, {WORDS_##M}});                \
  }                                                                                                       \
  int AM_RequestI##M(ep_t endpoint, int index, handler_t handler, void* data, int bytes PARAMETERS_##M) { \
    return request(__func__, endpoint, index, {MessageForm::medium, handler, {WORDS_##M}, data, bytes});  \
  }                                                                                                       \
  int AM_RequestXfer##M(ep_t endpoint, int index, uintptr_t offset, handler_t handler, void* data,        \
                        int bytes PARAMETERS_##M) {                                                       \
    return request(__func__, endpoint, index,                                                             \
                   {MessageForm::bulk, handler, {WORDS_##M}, data, bytes, offset});                       \
  }                                                                                                       \
  int AM_Reply##M(void* token, handler_t handler PARAMETERS_##M) {                                        \
    return reply(__func__, token, {MessageForm::brief, handler, {WORDS_##M}});                            \
  }                                                                                                       \
  int AM_ReplyI##M(void* token, handler_t handler, void* data, int bytes PARAMETERS_##M) {                \
    return reply(__func__, token, {MessageForm::medium, handler, {WORDS_##M}, data, bytes});              \
  }                                                                                                       \
  int AM_ReplyXfer##M(void* token, uintptr_t offset, handler_t handler, void* data,                       \
                      int bytes PARAMETERS_##M) {                                                         \
    return reply(__func__, token, {MessageForm::bulk, handler, {WORDS_##M}, data, bytes, offset});        \
  }
CALLS(0)
CALLS(1)
CALLS(2)
CALLS(3)
CALLS(4)
CALLS(5)
CALLS(6)
CALLS(7)
CALLS(8)
