// What becomes of a message that has come: its handler, or its way back.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "pvmshim/am/process.h"

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

bool is_returned(Kind kind) {
  return kind == Kind::returned_request || kind == Kind::returned_reply;
}

const char* describe(int reason) {
  switch (reason) {
    case EBADTAG:
      return "its tag is not the destination's (EBADTAG)";
    case EBADHANDLER:
      return "the destination has no such handler (EBADHANDLER)";
    case EBADSEGOFF:
      return "it does not lie in the destination's segment (EBADSEGOFF)";
    default:
      return "the destination has no such endpoint (EBADENDPOINT)";
  }
}

}  // namespace

void Process::handle(Arrival& arrival) {
  const Message& message = arrival.message;
  const auto found = endpoints.find(message.to);
  am_endpoint* endpoint = found == endpoints.end() ? nullptr : found->second.get();
  const bool gives_credit = message.kind == Kind::reply || message.kind == Kind::returned_request;
  if (endpoint != nullptr && gives_credit) {
    const auto place = endpoint->unreplied.find({arrival.source, message.from});
    if (place != endpoint->unreplied.end() && --place->second == 0) endpoint->unreplied.erase(place);
  }
  if (is_returned(message.kind)) {
    if (endpoint != nullptr) handle_returned(arrival, *endpoint);
    return;
  }
  if (message.kind == Kind::reply && message.handler == 0) return;
  if (const int reason = reason_to_refuse(arrival); reason != 0) return send_back(arrival, reason);
  run(arrival, *endpoint);
}

/// @return 0 if it is delivered
int Process::reason_to_refuse(const Arrival& arrival) const {
  const Message& message = arrival.message;
  const auto found = endpoints.find(message.to);
  if (found == endpoints.end()) return EBADENDPOINT;
  const am_endpoint& endpoint = *found->second;
  const bool let_in =
      endpoint.tag == AM_ALL || (endpoint.tag != AM_NONE && endpoint.tag == message.protection);
  if (message.kind == Kind::request && !let_in) return EBADTAG;
  if (!endpoint.handlers.contains(message.handler)) return EBADHANDLER;
  const std::uint64_t bytes = arrival.bytes.size() - arrival.data;
  const bool fits = bytes <= endpoint.length && message.offset <= endpoint.length - bytes;
  return message.form == Form::bulk && !fits ? EBADSEGOFF : 0;
}

void Process::send_back(const Arrival& arrival, int reason) {
  Message back = arrival.message;
  back.kind = back.kind == Kind::request ? Kind::returned_request : Kind::returned_reply;
  std::swap(back.to, back.from);
  back.protection = static_cast<tag_t>(reason);
  send(arrival.source, back, {});
}

void Process::run(Arrival& arrival, am_endpoint& endpoint) {
  const Message& message = arrival.message;
  Token token{&endpoint, {arrival.source, message.from}, message.kind == Kind::request};
  const am_handler_fn handler = endpoint.handlers.at(message.handler);
  const int* words = message.words.data();
  std::byte* data = arrival.bytes.data() + arrival.data;
  const std::size_t bytes = arrival.bytes.size() - arrival.data;
  if (message.form == Form::bulk) {
    std::byte* there = endpoint.segment + message.offset;
    if (bytes > 0) std::memcpy(there, data, bytes);
    data = there;
  }
  handling = &token;
  if (message.form == Form::brief)
    call(message.count, handler, words, static_cast<void*>(&token));
  else
    call(message.count, handler, words, static_cast<void*>(&token), static_cast<void*>(data),
         static_cast<int>(bytes));
  handling = nullptr;
  if (!token.may_reply) return;
  Message credit;
  credit.kind = Kind::reply;
  credit.to = message.from;
  credit.from = message.to;
  send(arrival.source, credit, {});
}

void Process::handle_returned(const Arrival& arrival, am_endpoint& endpoint) {
  const Message& message = arrival.message;
  const int reason = static_cast<int>(message.protection);
  const bool request = message.kind == Kind::returned_request;
  const auto operation = static_cast<op_t>(static_cast<int>(message.form) + (request ? 0 : AM_REPLY_M));
  const en_t to{arrival.source, message.from};
  if (endpoint.on_error != nullptr) {
    Token token{&endpoint, to, false};
    handling = &token;
    endpoint.on_error(reason, operation, to, message.handler, message.words.data(), message.count);
    handling = nullptr;
    return;
  }
  std::fprintf(stderr,
               "libmorgana-am: a %s of process %d to endpoint %d of process %d came back: %s; "
               "AM_SetErrorHandler lets the program go on\n",
               request ? "request" : "reply", rank_, to.number, to.rank, describe(reason));
  MPI_Abort(world_, 1);
}

}  // namespace morgana::am
