// What becomes of a message that has come: its handler, or its way back.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "pvmshim/am/monitor.h"
#include "pvmshim/am/process.h"
#include "pvmshim/am/refusal.h"

namespace morgana::am {
namespace {

/// Calls a handler with `before` and as many words as the sequence is long.
template <std::size_t... I, typename... Before>
void call_with(std::index_sequence<I...>, am_handler_fn handler, const int* words, Before... before) {
  using Function = void (*)(Before..., decltype(static_cast<void>(I), int{})...);
  reinterpret_cast<Function>(handler)(before..., words[I]...);
}

template <std::size_t Words = 0, typename... Before>
void call(std::size_t count, am_handler_fn handler, const int* words, Before... before) {
  if (count == Words) return call_with(std::make_index_sequence<Words>(), handler, words, before...);
  if constexpr (Words < AM_MAX_SHORT) call<Words + 1>(count, handler, words, before...);
}

const char* describe(int reason) {
  switch (reason) {
    case EBADTAG:
      return "its tag is not the destination's (EBADTAG)";
    case EBADHANDLER:
      return "the destination has no such handler (EBADHANDLER)";
    case EBADSEGOFF:
      return "it begins outside of the destination's segment (EBADSEGOFF)";
    case EBADLENGTH:
      return "it goes beyond the end of the destination's segment (EBADLENGTH)";
    case EUNREACHABLE:
      return "the destination can't be reached (EUNREACHABLE)";
    default:
      return "the destination has no such endpoint (EBADENDPOINT)";
  }
}

}  // namespace

void Process::handle(ActiveArrival& arrival) {
  const Message& message = arrival.message;
  const auto found = endpoints.find(message.way.to);
  am_endpoint* endpoint = found == endpoints.end() ? nullptr : found->second.get();
  const bool gives_credit =
      message.way.reply != message.way.returned;  // a reply, or a request that comes back
  if (endpoint != nullptr && gives_credit && endpoint->unreplied > 0) --endpoint->unreplied;
  if (message.way.returned) {
    const bool none =
        message.way.reply && message.handler == 0;  // an empty reply has no handler that is missed
    if (endpoint != nullptr && !none) handle_returned(arrival, *endpoint);
    return;
  }
  if (message.way.reply && message.handler == 0) return;
  if (const int reason = reason_to_refuse(arrival); reason != 0) return send_back(arrival, reason);
  run(arrival, *endpoint);
}

/// @return 0 if it is delivered
int Process::reason_to_refuse(const ActiveArrival& arrival) const {
  const Message& message = arrival.message;
  const auto found = endpoints.find(message.way.to);
  if (found == endpoints.end()) return EBADENDPOINT;
  const am_endpoint& endpoint = *found->second;
  const bool let_in =
      endpoint.tag == AM_ALL || (endpoint.tag != AM_NONE && endpoint.tag == message.protection);
  if (!message.way.reply && !let_in) return EBADTAG;
  if (!endpoint.handlers.contains(message.handler)) return EBADHANDLER;
  if (message.form != MessageForm::bulk) return 0;
  const std::uint64_t bytes = arrival.bytes.size() - arrival.data;
  if (message.offset > endpoint.length) return EBADSEGOFF;
  return bytes > endpoint.length - message.offset ? EBADLENGTH : 0;
}

void Process::send_back(const ActiveArrival& arrival, int reason) {
  Message back = arrival.message;
  std::swap(back.way.to, back.way.from);
  back.way.returned = back.refused = true;
  back.protection = static_cast<tag_t>(reason);
  const auto refusing = endpoints.find(arrival.message.way.to);
  send(refusing == endpoints.end() ? nullptr : refusing->second.get(), arrival.source, back, {});
}

void Process::run(ActiveArrival& arrival, am_endpoint& endpoint) {
  const Message& message = arrival.message;
  Token token{&endpoint, {arrival.source, message.way.from}, !message.way.reply};
  const am_handler_fn handler = endpoint.handlers.at(message.handler);
  const int* words = message.words.data();
  std::byte* data = arrival.bytes.data() + arrival.data;
  const std::size_t bytes = arrival.bytes.size() - arrival.data;
  if (message.form == MessageForm::bulk) {
    std::byte* there = endpoint.segment + message.offset;
    if (bytes > 0) std::memcpy(there, data, bytes);
    data = there;
  }
  handling = &token;
  {
    const Outside others_may_call;
    if (message.form == MessageForm::brief)
      call(message.count, handler, words, static_cast<void*>(&token));
    else
      call(message.count, handler, words, static_cast<void*>(&token), static_cast<void*>(data),
           static_cast<int>(bytes));
  }
  handling = nullptr;
  if (!token.may_reply) return;
  Message credit;
  credit.way = {message.way.from, message.way.to, true};
  send(&endpoint, arrival.source, credit, {});
}

void Process::handle_returned(const ActiveArrival& arrival, am_endpoint& endpoint) {
  const Message& message = arrival.message;
  const int reason = message.refused ? static_cast<int>(message.protection) : EUNREACHABLE;
  const auto operation =
      static_cast<op_t>(static_cast<int>(message.form) + (message.way.reply ? AM_REPLY_M : 0));
  const en_t to{arrival.source, message.way.from};
  const bool ends = endpoint.on_error == nullptr;
  if (ends || is_verbose())
    std::fprintf(stderr, "libmorgana-am: a %s of process %d to endpoint %d of process %d came back: %s%s\n",
                 message.way.reply ? "reply" : "request", rank_, to.number, to.rank, describe(reason),
                 ends ? "; an error handler (AM_SetHandler at index 0) lets the program go on" : "");
  if (ends) {
    MPI_Abort(world_, 1);
    return;
  }
  const std::size_t bytes = arrival.bytes.size() - arrival.data;
  am_argblock block{to, message.handler, message.words.data(), message.count, nullptr, 0};
  if (bytes > 0) block.data = arrival.bytes.data() + arrival.data;
  block.bytes = static_cast<int>(bytes);
  Token token{&endpoint, to, false};
  const am_error_fn handler = endpoint.on_error;
  handling = &token;
  {
    const Outside others_may_call;
    handler(reason, operation, &block);
  }
  handling = nullptr;
}

}  // namespace morgana::am
