#include "pvmshim/agent/share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pvmshim/agent/room_survey.h"
#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/leaving_messages.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/waiting.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

/// An answer of so many bytes has room in the channel, whatever else is there.
constexpr std::size_t longest_at_once = 1024 * sizeof(Word);
/// The acting thread mostly acts for microseconds.
constexpr auto patience_with_acting = 10ms;
/// How long operations may come together that nobody waits for.
constexpr std::chrono::nanoseconds longest_gathering = 1ms;

/// Messages of nonblocking sends that follow each other leave together, so often.
constexpr std::chrono::nanoseconds between_looks_for_left = 100us;

/// What the thread that hears the emulator takes itself, in the order in which it comes.
bool is_for_at_once(const Frame& frame) {
  return frame.kind == FrameKind::expect ||
         (frame.kind == FrameKind::answer && frame.content.size() <= longest_at_once);
}

std::vector<Word> as_words(std::span<const std::byte> content) {
  if (content.size() % sizeof(Word) != 0) throw MalformedFrame("a record is cut off");
  std::vector<Word> words(content.size() / sizeof(Word));
  std::memcpy(words.data(), content.data(), content.size());
  return words;
}

Answer answer_in(const Frame& frame) {
  Answer answer;
  decode(as_words(frame.content), answer);
  answer.computing.clear();  // how far those have come, ranks would look up in shared memory
  return answer;
}

}  // namespace

Share::Share(const AgentSetup& setup, Stream& emulator, FrameInbox& inbox, Peers& peers)
    : setup_(setup),
      emulator_(emulator),
      inbox_(inbox),
      peers_(peers),
      lost_peer_(setup, peers),
      places_(setup.launch.machine_of, setup.number),
      own_(places_.own()),
      said_(setup.launch.ranks),
      told_promised_(setup.agents.size()),
      to_wake_(setup.agents.size() + 1),
      program_(start()),
      mirror_(program_->channel_path()),
      letters_(
          program_->channel_path(), places_.elsewhere(),
          [this](Rank rank, std::span<const std::byte> datagram) {
            peers_[places_.machine_of(rank)].send(FrameKind::letter, static_cast<std::int32_t>(rank),
                                                  datagram);
          },
          [this](Rank rank) { return !program_->has_finished(rank); }),
      payloads_(places_, setup.number, setup.agents.size(), mirror_, peers_),
      waiting_(setup.agents.size(),
               {[this](std::uint64_t payload) {
                  return places_.is_own(mirror_.owner(payload)) || mirror_.has_copy(payload) ||
                         mirror_.is_gone(payload);
                },
                [this](std::uint64_t payload) {
                  peers_[places_.machine_of(mirror_.owner(payload))].add(
                      FrameKind::want, -1, ContentWriter().number(payload).bytes());
                },
                [this](Rank rank, const Answer& answer) { program_->answer(rank, answer); }}) {
  settings_.compute = setup.launch.compute;
  settings_.compute_scale = setup.launch.compute_scale;
  for (std::size_t agent = 0; agent < setup.agents.size(); ++agent)
    if (agent != setup.number) peers_[agent].share(mirror_.line(agent), [this] { return waits_in_vain(); });
  memory_.emplace(
      program_->channel_path(),
      [this](Rank rank, std::uint64_t connection, std::span<const std::byte> request) {
        ask_for_access(rank, connection, request);
      },
      [this](std::int32_t machine) {
        const auto agent = static_cast<std::size_t>(machine);
        return machine < 0 || agent >= setup_.agents.size() || agent == setup_.number
                   ? -1
                   : peers_[agent].descriptor();
      });
  if (setup.runs_tasks) peers_.reach_emulator(emulator_);
  inbox_.on_change([this] { program_->wake(); });
  inbox_.at_once([this](Frame& frame) { return take_at_once(frame); });
  peers_.listen([this](std::size_t agent, Frame& frame) { take_from_peer(agent, frame); },
                [this](std::size_t agent) { wake_receivers(agent); },
                [this](std::size_t agent) { lost_peer_.note(agent); });
}

Share::~Share() {
  ended_ = true;  // nobody is to say that ranks are gone
  inbox_.at_once({});
  inbox_.on_change({});
  program_->end_ranks();  // none may hold up what follows, or be told that it has lost the agent
  peers_.end();
}

bool Share::step() {
  std::unique_lock acts(acting_);
  for (Frame& frame : inbox_.take()) {
    if (!take_from_emulator(frame)) return false;
    ++acted_;
  }
  if (inbox_.is_closed()) return false;
  lost_peer_.throw_if_line_is_broken(mirror_);
  lost_peer_.throw_if_lost();
  send_replies();
  if (waiting_.give_all()) mirror_.forget_gone();
  const std::chrono::nanoseconds until_more_left = send_left();
  heard_.clear();
  program_->begin_hearing();
  for (const Rank rank : own_) {
    if (pass_on(rank)) program_->has_heard_all(rank);
    if (said_.may_say_more(rank)) heard_.push_back(rank);
  }
  program_->end_hearing();
  report_released();
  tell_room();
  if (const std::size_t begun = program_->begun(); begun != begun_) {
    begun_ = begun;
    emulator_.add(FrameKind::begun, -1, ContentWriter().number(begun).bytes());
  }
  program_->hurry(awaited_.is_hurried(Clock::now()));
  peers_.flush();
  const std::chrono::nanoseconds until_progress = report_progress();
  const std::chrono::nanoseconds longest = std::min({until_progress, flush_or_gather(), until_more_left});
  acts.unlock();
  if (ended_)
    inbox_.sleep(20ms);
  else if (program_->has_ended())
    end();
  else
    program_->rest(longest, heard_);
  return true;
}

/// @throws MalformedFrame if the payload is no rank's
Rank Share::checked_owner(std::uint64_t marked) const {
  const Rank owner = mirror_.owner(marked);
  if (!places_.is_rank(owner)) throw MalformedFrame(fmt::format("payload {} is no rank's", marked));
  return owner;
}

bool Share::take_from_emulator(Frame& frame) {
  switch (frame.kind) {
    case FrameKind::answer:
      waiting_.add(places_.checked(frame.rank), answer_in(frame));
      return true;
    case FrameKind::expect:
      waiting_.expect(frame.rank, ContentReader(frame.content).number());
      return true;
    case FrameKind::dropped: {
      const std::uint64_t payload = ContentReader(frame.content).number();
      if (places_.is_own(mirror_.owner(payload))) mirror_.release(payload, 1);
      return true;
    }
    case FrameKind::await:
      awaited_.await(places_.checked(frame.rank),
                     SimTime::from_ps(static_cast<std::int64_t>(ContentReader(frame.content).number())),
                     Clock::now());
      return true;
    case FrameKind::taken:
      said_.note_taken(places_.checked(frame.rank), ContentReader(frame.content).number());
      return true;
    case FrameKind::tell_name: {
      const std::uint64_t context = ContentReader(frame.content).number();
      emulator_.add(FrameKind::name, -1,
                    ContentWriter().number(context).text(program_->given_name(Context{context})).bytes());
      return true;
    }
    case FrameKind::tell_room:
      asked_for_room_ = ContentReader(frame.content).number();
      return true;
    case FrameKind::task:
      carry_out_for_task(frame.content);
      return true;
    case FrameKind::quit:
      return false;
    case FrameKind::alive:
      return true;
    default:
      if (take_of_tasks(frame)) return true;
      throw MalformedFrame("the emulator says what only agents say");
  }
}

/// On the thread of the emulator's stream: an answer that waits for nothing goes to its rank from here.
bool Share::take_at_once(Frame& frame) {
  if (tasks_ != nullptr && take_of_tasks_at_once(frame)) return true;
  if (!is_for_at_once(frame)) return false;
  // What is behind a frame that was left must not overtake it.
  std::unique_lock acts(acting_, std::defer_lock);
  if (acted_ < left_ || !acts.try_lock_for(patience_with_acting)) {
    left_ = inbox_.queued() + 1;  // only this thread puts any there
    return false;
  }
  try {
    if (frame.kind == FrameKind::expect)
      take_from_emulator(frame);
    else if (!waiting_.add_or_give(places_.checked(frame.rank), answer_in(frame)))
      inbox_.change();
    return true;
  } catch (const std::exception&) {  // the thread that acts says what is wrong
    left_ = inbox_.queued() + 1;
    return false;
  }
}

/// While another process writes to a connection: whether this one need not wait any more. Ranks may have died
/// or been stopped meanwhile, one that writes among them: the acting thread says so. @throws as step()
bool Share::waits_in_vain() {
  if (inbox_.is_over() || interrupted() != 0) return true;
  if (std::this_thread::get_id() == acting_thread_ && !ended_) program_->rest(0ns, {});
  return false;
}

/// On the threads of the streams.
void Share::take_from_peer(std::size_t agent, Frame& frame) {
  ContentReader content(frame.content);
  // What else there is may take a while.
  if (frame.kind != FrameKind::message && frame.kind != FrameKind::block) wake_receivers(agent);
  switch (frame.kind) {
    case FrameKind::letter:
      return letters_.deliver(places_.checked(frame.rank), frame.content);
    case FrameKind::want: {
      const std::uint64_t marked = content.number();
      return reply(agent, FrameKind::want, ContentWriter().number(marked).bytes());
    }
    case FrameKind::gone: {
      mirror_.note_gone(content.number());
      return inbox_.change();
    }
    case FrameKind::block: {
      const std::uint64_t marked = content.number();
      const std::uint64_t mark = content.number();
      const auto readers = static_cast<std::uint32_t>(content.number());
      const std::uint64_t size = content.number(), begin = content.number();
      const auto part = content.rest();
      // A PVM task's place may be known to its agent before it is known here.
      const Rank owner = checked_owner(marked);
      if (places_.is_placed(owner) && places_.machine_of(owner) != agent)
        throw MalformedFrame(fmt::format("payload {} is not of its ranks", marked));
      mirror_.put_part(marked, mark, readers, size, begin, part);
      if (begin + part.size() == size && waiting_.any()) inbox_.change();
      return;
    }
    case FrameKind::message: {
      const Rank receiver = places_.checked(frame.rank);
      const std::uint64_t marked = content.number();
      const Context context{content.number()};
      mirror_.announce(marked, receiver, context, Tag{static_cast<std::int32_t>(content.number())});
      if (std::vector<Rank>& all = to_wake_[agent]; std::ranges::find(all, receiver) == all.end())
        all.push_back(receiver);
      waiting_.came(agent);
      if (waiting_.any()) inbox_.change();
      return;
    }
    case FrameKind::released: {
      const std::uint64_t marked = content.number(), readers = content.number();
      if (!places_.is_own(checked_owner(marked)) || readers > mirror_.readers(marked))
        throw MalformedFrame(fmt::format("payload {} has no {} readers on its machine", marked, readers));
      mirror_.release(marked, static_cast<std::uint32_t>(readers));
      if (agent < setup_.agents.size()) ++released_by_others_;  // else PVM's daemon has read it
      return;
    }
    case FrameKind::access: {
      const Rank rank = places_.checked(frame.rank);
      const std::uint64_t connection = content.number();
      const auto outcome =
          carry_out(content.rest(), program_->pid_of(rank).value_or(0), program_->memory_of(rank));
      return reply(agent, FrameKind::accessed, ContentWriter().number(connection).rest(outcome).bytes());
    }
    case FrameKind::accessed: {
      const std::uint64_t connection = content.number();
      return memory_->deliver(connection, content.rest());
    }
    default:
      throw MalformedFrame("an agent says what it says to the emulator alone");
  }
}

/// A rank that waits for several messages is woken once for all that came together.
void Share::wake_receivers(std::size_t agent) {
  std::vector<Rank>& all = to_wake_[agent];
  for (const Rank receiver : all) mirror_.wake(receiver);
  all.clear();
}

/// On the relay's thread.
void Share::ask_for_access(Rank rank, std::uint64_t connection, std::span<const std::byte> request) {
  if (!places_.is_rank(rank) || places_.is_own(rank))
    throw MalformedFrame(fmt::format("rank {} is not on another machine", static_cast<int>(rank)));
  peers_[places_.machine_of(rank)].send(FrameKind::access, static_cast<std::int32_t>(rank),
                                        ContentWriter().number(connection).rest(request).bytes());
}

/// On the threads of the streams.
void Share::reply(std::size_t agent, FrameKind kind, std::vector<std::byte> content) {
  replies_.put(agent, kind, std::move(content));
  inbox_.change();
}

void Share::send_replies() {
  for (const Replies::Reply& reply : replies_.take()) {
    Stream& peer = peers_[reply.agent];
    if (reply.kind != FrameKind::want) {
      peer.add(reply.kind, -1, reply.content);
      continue;
    }
    // Looked for on the thread that marks: the next payload at that place goes after this one.
    const std::uint64_t marked = ContentReader(reply.content).number();
    try {
      if (mirror_.is_block(marked)) {
        payloads_.push(marked, reply.agent);
        continue;
      }
    } catch (const Error&) {  // its readers, who are others, have released it since
    }
    peer.add(FrameKind::gone, -1, reply.content);
  }
}

/// Messages that are announced to their receivers as soon as they are sent, as far as ranks don't send them.
/// @return how long it takes until it is looked for more, at most
std::chrono::nanoseconds Share::send_left() {
  const auto leave_from_here = [this](std::size_t agent) {
    return agent != setup_.number && mirror_.line(agent).leaving.load(std::memory_order_relaxed) != 0;
  };
  const auto any = [&] {
    for (std::size_t agent = 0; agent < setup_.agents.size(); ++agent)
      if (leave_from_here(agent)) return true;
    return false;
  };
  if (look_for_left(mirror_.left(), any)) {
    for (std::size_t agent = 0; agent < setup_.agents.size(); ++agent)
      if (leave_from_here(agent))
        peers_[agent].write([&](int socket) { mirror_.send_leaving(agent, socket); });
  }
  const bool looks_soon = mirror_.left() == static_cast<std::uint32_t>(Leaving::soon);
  return looks_soon ? between_looks_for_left : longest_sleep;
}

/// Before the operations of those messages: an answer to what follows from them comes behind them.
void Share::tell_promised(std::size_t agent) {
  const std::uint64_t promised = mirror_.line(agent).promised.load(std::memory_order_acquire);
  if (promised == told_promised_[agent]) return;
  told_promised_[agent] = promised;
  emulator_.add(FrameKind::sent, static_cast<std::int32_t>(agent), ContentWriter().number(promised).bytes());
}

/// What nobody waits for goes to the emulator together with what is said soon after.
/// @return how long that may wait
std::chrono::nanoseconds Share::flush_or_gather() {
  const auto now = Clock::now();
  const bool gathers = program_->is_unhurried() && now - flushed_ < longest_gathering;
  if (gathers) return emulator_.has_gathered() ? longest_gathering : longest_sleep;
  emulator_.flush();
  flushed_ = now;
  return longest_sleep;
}

/// @return whether all was passed on that the rank has said
bool Share::pass_on(Rank rank) {
  while (!said_.has_exited(rank)) {
    if (!said_.may_say_more(rank)) return false;
    if (!program_->next(rank, operation_)) return true;
    said_.note_said(rank, operation_.kind);
    awaited_.has_spoken(rank);
    if (operation_.payload != 0 && payloads_.pass_on(rank, operation_))
      tell_promised(places_.machine_of(operation_.peer));
    if (operation_.kind == OperationKind::context_created) payloads_.note_context(operation_);
    words_.clear();
    encode(operation_, words_);
    emulator_.add(FrameKind::operation, static_cast<std::int32_t>(rank), std::as_bytes(std::span(words_)));
  }
  return true;
}

/// @return how long it takes at least until there is more to report
std::chrono::nanoseconds Share::report_progress() {
  if (settings_.compute != ComputeMode::measured) return longest_sleep;
  return awaited_.report(
      longest_sleep, [this](Rank rank) { return program_->computed(rank); },
      [this](Rank rank, SimTime computed, SimTime until) {
        return processor_time_missing({rank, SimTime(), until}, computed, settings_);
      },
      [this](Rank rank, SimTime computed) {
        emulator_.add(FrameKind::progress, static_cast<std::int32_t>(rank),
                      ContentWriter().number(static_cast<std::uint64_t>(computed.ps())).bytes());
      });
}

void Share::report_released() {
  for (const PayloadMirror::Released& released : mirror_.collect()) {
    const std::size_t machine = places_.machine_of(mirror_.owner(released.marked));
    if (machine < setup_.agents.size()) ++released_to_others_;  // else they are of PVM's daemon
    peers_[machine].add(FrameKind::released, -1,
                        ContentWriter().number(released.marked).number(released.readers).bytes());
  }
}

/// Behind what was reported of all that ranks have read, and all that they have said: one that has ended
/// since has not said so.
void Share::tell_room() {
  if (!asked_for_room_) return;
  const std::uint64_t heard = released_by_others_;  // before the ranks that this wakes are looked at
  RoomReply reply{*asked_for_room_, program_->at_rest(), released_to_others_, heard};
  const bool have_said_all = tasks_ != nullptr || std::ranges::all_of(own_, [this](Rank rank) {
                               return said_.has_exited(rank) || !program_->has_finished(rank);
                             });
  reply.rest.all = reply.rest.all && have_said_all && !waiting_.any();
  emulator_.add(FrameKind::room, -1, encode(reply));
  asked_for_room_.reset();
}

void Share::end() {
  const std::uint32_t threads = program_->most_threads();
  const int code = program_->finish();
  ended_ = true;
  emulator_.send(FrameKind::ended, -1,
                 ContentWriter().number(static_cast<std::uint64_t>(code)).number(threads).bytes());
}

}  // namespace morgana
