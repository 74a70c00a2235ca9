#include "pvmshim/pvm/emulate/inbox.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "emulator/operations/context.h"
#include "pvmshim/pvm/api.h"
#include "pvmshim/pvm/emulate/handlers.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/transfer.h"

namespace morgana::pvm {
namespace {

bool fits(const Pattern& pattern, const Message& message) {
  return (pattern.source == -1 || pattern.source == message.source) &&
         (pattern.tag == -1 || pattern.tag == message.tag) &&
         (pattern.context == -1 || pattern.context == message.context);
}

/// Of a pattern that the engine can match.
Wanted wanted_of(const Pattern& pattern) {
  const Rank source = pattern.source == -1 ? any_rank : rank_of(pattern.source);
  const bool possible = pattern.tag >= -1 && pattern.source >= -1 &&
                        (source == any_rank || index(source) < me().live.settings().ranks);
  if (!possible) return {nowhere_context, any_rank, any_tag};
  return {engine_context(pattern.context), source, Tag{pattern.tag}};
}

/// A message out of the shared memory.
Message& admit(const Arrival& arrival) {
  RankChannel& channel = me().live.channel();
  Message& message = new_message(view_message(channel.data(arrival.payload)));
  channel.release(arrival.payload);
  if (arrival.coming > Bytes()) message.is_coming(arrival);
  return message;
}

bool is_returned(const Arrival& arrival) {
  if (arrival.outcome == Outcome::delivered) return false;
  me().live.channel().release(arrival.payload);
  return true;
}

/// As the one to unpack, in place of the one before.
int make_current(Message& message) {
  message.rewind();
  buffers().set_receive(&message);
  return message.id;
}

/// Of a message whose context can't be seen any more.
bool is_asked_for(const Pattern& pattern, const Arrival& arrival) {
  return (pattern.source == -1 || rank_of(pattern.source) == arrival.source) &&
         (pattern.tag == -1 || Tag{pattern.tag} == arrival.tag);
}

/// What a receive returns for what it has got.
int result_of(const std::optional<Arrival>& arrival) {
  if (!arrival) return 0;
  return is_returned(*arrival) ? PvmHostFail : make_current(admit(*arrival));
}

void free_current() {
  if (buffers().receive != nullptr) buffers().free(*buffers().receive);
}

}  // namespace

struct Inbox::Search {
  std::uint64_t seen = 0;  ///< the last number looked at
  Message* best = nullptr;
  int best_score = 0;
  int error = 0;
};

bool Inbox::engine_can_match(const Pattern& pattern) const {
  const bool from_a_daemon = pattern.source != -1 && rank_of(pattern.source) == daemon_rank;
  return match_ == nullptr && !handlers().any() && pattern.context != -1 && !from_a_daemon;
}

Message* Inbox::take_first(const Pattern& pattern) {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return fits(pattern, *entry.message); });
  if (found == entries_.end()) return nullptr;
  Message* message = found->message;
  entries_.erase(found);
  return message;
}

int Inbox::receive(OpenCall& call, const Pattern& pattern, std::optional<SimTime> limit) {
  free_current();
  if (!engine_can_match(pattern))
    return search(call, pattern, limit ? Patience::limited : Patience::endless, limit.value_or(SimTime()),
                  false);
  if (Message* message = take_first(pattern)) return make_current(*message);
  return result_of(morgana::pvm::receive(call, wanted_of(pattern), OpenCall::Last::yes, limit));
}

int Inbox::try_receive(OpenCall& call, const Pattern& pattern) {
  free_current();
  if (!engine_can_match(pattern)) return search(call, pattern, Patience::none, SimTime(), false);
  if (Message* message = take_first(pattern)) return make_current(*message);
  return result_of(morgana::pvm::try_receive(call, wanted_of(pattern)));
}

int Inbox::probe(OpenCall& call, const Pattern& pattern) {
  return search(call, pattern, Patience::none, SimTime(), true);
}

void Inbox::look_at_new(OpenCall& call, const Pattern& pattern, Search& search) {
  // The match function is the program's own: it may call PVM, so that the list can change meanwhile.
  while (true) {
    const auto next =
        std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.number > search.seen; });
    if (next == entries_.end()) return;
    Message* message = next->message;
    search.seen = next->number;
    int score = 0;
    if (match_ == nullptr) {
      score = fits(pattern, *message) ? 1 : 0;
    } else {
      call.end();
      score = match_(message->id, pattern.source, pattern.tag);
    }
    if (score < 0) {
      search.error = score;
      return;
    }
    if (score > search.best_score || score == 1) {
      search.best = message;
      search.best_score = score;
    }
    if (score == 1) return;
  }
}

/// One more message out of the engine: to its handler or into the list. (One that this host can't ask for is
/// none to others than those who want it.)
/// @return 1; 0 if there was none; PvmHostFail
int Inbox::fetch(OpenCall& call, const Pattern& pattern, Patience patience, SimTime limit) {
  const bool from_anywhere = match_ != nullptr || handlers().any() || pattern.context == -1;
  const Wanted wanted{from_anywhere ? any_context : engine_context(pattern.context), any_rank, any_tag};
  std::optional<Arrival> arrival;
  if (patience == Patience::none)
    arrival = morgana::pvm::try_receive(call, wanted);
  else if (patience == Patience::endless)
    arrival = morgana::pvm::receive(call, wanted, OpenCall::Last::yes);
  else if (limit > SimTime())
    arrival = morgana::pvm::receive(call, wanted, OpenCall::Last::yes, limit);
  if (!arrival) return 0;
  if (is_returned(*arrival)) return match_ == nullptr && is_asked_for(pattern, *arrival) ? PvmHostFail : 1;
  Message& message = admit(*arrival);
  if (!handlers().handle(call, message)) put(message);
  return 1;
}

int Inbox::search(OpenCall& call, const Pattern& pattern, Patience patience, SimTime limit, bool keep) {
  SimTime until;
  if (patience == Patience::limited) until = me().live.read_clock(call.call()) + limit;
  Search search;
  while (true) {
    look_at_new(call, pattern, search);
    if (search.error != 0) return search.error;
    if (search.best != nullptr) break;
    SimTime left;
    if (patience == Patience::limited) left = until - me().live.read_clock(call.call());
    if (const int got = fetch(call, pattern, patience, left); got <= 0) return got;
  }
  if (keep) {
    search.best->rewind();
    return search.best->id;
  }
  std::erase_if(entries_, [&](const Entry& entry) { return entry.message == search.best; });
  return make_current(*search.best);
}

MatchFunction Inbox::set_match(MatchFunction match) {
  return std::exchange(match_, match);
}

void Inbox::clear() {
  for (const Entry& entry : entries_) buffers().free(*entry.message);
  entries_.clear();
}

Inbox& inbox() {
  static Inbox& only = *new Inbox;
  return only;
}

}  // namespace morgana::pvm
