// Requests and replies, in their three forms and with 0 to 8 words.
#include <algorithm>
#include <initializer_list>
#include <span>

#include "pvmshim/am/process.h"

using namespace morgana::am;

namespace {

/// What a call wants to be sent.
struct Content {
  Form form;
  handler_t handler;
  std::initializer_list<int> words;
  const void* data = nullptr;
  int bytes = 0;
  uintptr_t offset = 0;
};

int check(const Content& content) {
  if (content.handler < 1 || content.handler >= AM_MAX_HANDLERS || content.bytes < 0 ||
      (content.data == nullptr && content.bytes > 0))
    return AM_ERR_BAD_ARG;
  const int longest = content.form == Form::medium ? AM_MAX_MEDIUM : AM_MAX_LONG;
  return content.bytes > longest ? AM_ERR_BAD_ARG : AM_OK;
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
      to.rank, message,
      {static_cast<const std::byte*>(content.data), static_cast<std::size_t>(content.bytes)});
}

int request(ep_t endpoint, int index, const Content& content) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  if (process->handling != nullptr || !process->knows(endpoint)) return AM_ERR_BAD_ARG;
  const auto found = endpoint->translations.find(index);
  if (found == endpoint->translations.end()) return AM_ERR_BAD_ARG;
  if (const int error = check(content); error != AM_OK) return error;
  const auto [name, tag] = found->second;  // a handler may change the table meanwhile
  const std::pair place(name.rank, static_cast<std::uint8_t>(name.number));
  while (endpoint->unreplied[place] >= AM_CREDITS) {
    process->wait_for_message(endpoint->bundle);
    process->poll(endpoint->bundle);
  }
  ++endpoint->unreplied[place];
  const int result = send(false, *endpoint, name, tag, content);
  if (result != AM_OK) --endpoint->unreplied[place];
  return result;
}

int reply(void* token, const Content& content) {
  if (process == nullptr) return AM_ERR_NOT_INIT;
  Token* handling = process->handling;
  if (token == nullptr) return AM_ERR_BAD_ARG;
  if (handling == nullptr || token != handling || !handling->may_reply) return AM_ERR_RESOURCE;
  if (const int error = check(content); error != AM_OK) return error;
  const int result = send(true, *handling->endpoint, handling->source, AM_NONE, content);
  if (result == AM_OK) handling->may_reply = false;
  return result;
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
    return request(endpoint, index, {Form::brief, handler, {WORDS_##M}});                                 \
  }                                                                                                       \
  int AM_RequestI##M(ep_t endpoint, int index, handler_t handler, void* data, int bytes PARAMETERS_##M) { \
    return request(endpoint, index, {Form::medium, handler, {WORDS_##M}, data, bytes});                   \
  }                                                                                                       \
  int AM_RequestXfer##M(ep_t endpoint, int index, uintptr_t offset, handler_t handler, void* data,        \
                        int bytes PARAMETERS_##M) {                                                       \
    return request(endpoint, index, {Form::bulk, handler, {WORDS_##M}, data, bytes, offset});             \
  }                                                                                                       \
  int AM_Reply##M(void* token, handler_t handler PARAMETERS_##M) {                                        \
    return reply(token, {Form::brief, handler, {WORDS_##M}});                                             \
  }                                                                                                       \
  int AM_ReplyI##M(void* token, handler_t handler, void* data, int bytes PARAMETERS_##M) {                \
    return reply(token, {Form::medium, handler, {WORDS_##M}, data, bytes});                               \
  }                                                                                                       \
  int AM_ReplyXfer##M(void* token, uintptr_t offset, handler_t handler, void* data,                       \
                      int bytes PARAMETERS_##M) {                                                         \
    return reply(token, {Form::bulk, handler, {WORDS_##M}, data, bytes, offset});                         \
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
