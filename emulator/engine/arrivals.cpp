#include "emulator/engine/arrivals.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

bool is_of_collective(Token token) {
  return static_cast<std::uint32_t>(token) >= CollectiveRunner::first_token;
}

/// Of a token that is no collective's.
std::uint32_t slot_of(Token token) {
  return static_cast<std::uint32_t>(token);
}

}  // namespace

void Arrivals::sent(Token token, const Origin& origin) {
  if (is_of_collective(token)) return collectives_.sent(token, origin);
  releases_.note(slot_of(token), origin);
  waits_.make_ready(slot_of(token), events_.now(), SimTime());
}

void Arrivals::matched(Token token) {
  if (!is_of_collective(token)) requests_[slot_of(token)].place = Matcher::no_place;
}

/// A send suspends its sender no longer.
void Arrivals::resumed(Token token) {
  const std::uint32_t slot = slot_of(token);
  if (std::exchange(requests_[slot].writing, false)) return waits_.make_ready(slot, events_.now(), SimTime());
  const Rank rank = requests_[slot].owner;
  const RankState& state = ranks_[index(rank)];
  const bool still_writes =
      state.phase == RankState::Phase::waiting && state.operation.kind == OperationKind::send;
  if (still_writes)
    ends_.end(rank, processors_.free(rank, events_.now()), {});  // else it was killed meanwhile
}

void Arrivals::met(Token send, Token receive) {
  if (is_of_collective(send)) return;
  requests_[slot_of(send)].partner_at = requests_[slot_of(receive)].partner_at;
}

void Arrivals::came_into_socket(Token token, SimTime cost, const Origin& origin) {
  if (!is_of_collective(token)) return reads_.came(requests_[slot_of(token)].owner, cost, origin);
  if (collectives_.goes_on_besides(token)) return collectives_.read_besides(token, cost);
  reads_.came(collectives_.rank_of(token), cost, origin);
}

/// Its library reads first what has come.
bool Arrivals::gets_processor(Rank rank) {
  if (!processors_.gets(rank)) return false;
  reads_.catch_up(rank);
  return true;
}

void Arrivals::received(Token token, const ReceivedMessage& message) {
  if (is_of_collective(token))
    return collectives_.received(token, message.early, message.cost, {message.bytes, message.copy},
                                 message.origin);
  const std::uint32_t slot = slot_of(token);
  releases_.note(slot, message.origin);
  Request& request = requests_[slot];
  request.envelope.source = message.envelope.source;
  request.envelope.tag = message.envelope.tag;
  request.bytes = message.bytes;
  request.payload = message.payload;
  request.early = processors_.is_shared(request.owner) ? SimTime() : message.early;
  request.partner_at = message.begun;
  if (message.coming > Bytes()) {
    requests_.comes(slot, {message.coming, message.copy, Bytes()});
    return waits_.make_ready(slot, events_.now(), message.cost);
  }
  const MemoryWork copy{message.bytes, message.copy};
  const Rank owner = request.owner;
  const bool slowed = copies_.may_slow(owner, copy);
  SimTime cost = message.cost;
  if (slowed) {
    request.early = SimTime();
    copies_.add(slot, copy);
  } else {
    cost = time_before_end(cost + time_before_end(copy.cost, copy.bytes));
  }
  const RankState& state = ranks_[index(owner)];
  const bool is_awaited = request.awaited && !state.in_call;
  waits_.make_ready(slot, events_.now(), cost);
  const bool still_waits = is_awaited && !state.awaited.empty() && !copies_.are_completing(owner);
  if (still_waits && (slowed || copies_.has(owner))) copies_.go_on_with(owner, slot);
}

bool Arrivals::takes_heads(Token token) const {
  return !is_of_collective(token) && requests_[slot_of(token)].streamed;
}

void Arrivals::more_came(Token token, Bytes coming) {
  waits_.more_came(slot_of(token), coming);
}

/// A receive's message does not come: it ends with none of its bytes.
void Arrivals::returned(Token token, const Envelope& envelope, std::uint64_t payload, Outcome why) {
  if (is_of_collective(token)) return collectives_.returned(token, why);
  Request& request = requests_[slot_of(token)];
  request.outcome = why;
  request.payload = payload;
  if (request.kind == OperationKind::receive) {
    request.envelope.source = envelope.source;
    request.envelope.tag = envelope.tag;
    request.bytes = Bytes();
  }
  waits_.make_ready(slot_of(token), events_.now(), SimTime());
}

void Arrivals::recalled(Token token, std::uint64_t payload) {
  Request& request = requests_[slot_of(token)];
  request.cancelled = true;
  request.payload = payload;
  request.bytes = Bytes();
  waits_.make_ready(slot_of(token), events_.now(), SimTime());
}

void Arrivals::waits_unmatched(Rank receiver, const Envelope& envelope, Bytes) {
  RankState& state = ranks_[index(receiver)];
  ++state.news;
  const Operation& operation = state.operation;
  if (state.phase != RankState::Phase::waiting || operation.kind != OperationKind::probe || state.working ||
      copies_.is_in_memory(receiver))
    return;
  if (operation.context != envelope.context && operation.context != any_context) return;
  ends_.message_waits_for_probe(receiver);
}

void Arrivals::delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) {
  if (is_for_collectives(envelope.context) || envelope.context == service_context) return;
  for (OperationObserver* observer : observers_)
    observer->message_delivered(envelope.source, receiver, bytes, sent, events_.now());
}

void Arrivals::access_done(std::uint32_t request, Outcome outcome, SimTime timer_wait) {
  requests_[request].outcome = outcome;
  if (releases_.are_asked())
    if (Origin* origin = releases_.origin_of(request)) {
      origin->came = events_.now();
      origin->timer_wait = timer_wait;
      // A lock is not on the wire while somebody else holds it.
      if (requests_[request].kind == OperationKind::access)
        origin->wire = std::max(events_.now() - origin->ready - timer_wait, SimTime());
    }
  waits_.make_ready(request, events_.now(), SimTime());
}

void Arrivals::collective_done(std::uint32_t request, SimTime done,
                               const std::vector<std::uint64_t>& deposits, Outcome outcome,
                               SimTime partner_at) {
  requests_[request].bytes = Bytes();
  requests_[request].under_way = CollectiveRunner::no_part;
  requests_[request].partner_at = partner_at;
  requests_[request].outcome = outcome;
  requests_.keep_deposits(request, deposits);
  // What goes on in the rank's calls has told of itself; what goes on beside them reaches the rank now.
  if (releases_.are_asked())
    if (Origin* origin = releases_.origin_of(request)) origin->ready = origin->came = done;
  waits_.make_ready(request, done, SimTime());
}

}  // namespace morgana
