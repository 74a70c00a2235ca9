#include "pvmshim/channel/rank_channel.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/followers.h"
#include "pvmshim/channel/leaving_messages.h"
#include "pvmshim/channel/mapped_channel.h"
#include "pvmshim/channel/payload_arenas.h"
#include "pvmshim/channel/process_watch.h"
#include "pvmshim/channel/released_payload.h"
#include "pvmshim/channel/stretch_clock.h"

namespace morgana {
namespace {

using std::chrono::nanoseconds;

/// How often a sleeping rank looks whether the emulator still runs. Each look is a turn on a processor: a
/// thousand ranks that wait for the last one to start must not take the processors from it.
constexpr nanoseconds emulator_check(std::size_t ranks) {
  return std::chrono::milliseconds(std::max<std::size_t>(100, ranks));
}
/// How often a sleeping rank does the work that it has been given.
constexpr std::chrono::milliseconds between_work{1};
/// How long a rank that polls sleeps for others to come before it asks the emulator, which can tell by their
/// processor clocks, if those count, how far ranks have come that have not called meanwhile.
constexpr nanoseconds patience(ComputeMode compute) {
  return std::chrono::milliseconds(compute == ComputeMode::none ? 20 : 1);
}

}  // namespace

class RankChannel::Impl {
 public:
  Impl(const std::string& path, Rank rank)
      : rank_(rank),
        memory_(path, rank),
        header_(memory_.header()),
        settings_(header_.settings),
        slot_(memory_.slot_of(rank)),
        operations_(slot_.operations),
        answers_(slot_.answers),
        emulator_(header_.emulator),
        hosts_(memory_.hosts()),
        machines_(memory_.machines()),
        leaving_(path, rank),
        clock_(slot_.clock, settings_) {
    std::int32_t nobody = 0;
    if (slot_.pid.load() == getpid() && slot_.passed_on.exchange(0) != 0) {
      if (settings_.compute == ComputeMode::measured) clock_.calibrate();
      go_on();
      return;
    }
    if (slot_.pid.load() != 0) taken(path);
    if (settings_.compute == ComputeMode::measured) clock_.calibrate();
    if (!slot_.pid.compare_exchange_strong(nobody, getpid())) taken(path);
    arenas_.emplace(memory_.arenas(), header_.payload_room, settings_.ranks, rank);
    ring_emulator_now();
  }

  const ChannelSettings& settings() const { return settings_; }
  Rank rank() const { return rank_; }
  bool resumed() const { return resumed_; }
  void pass_on(bool passed_on) { slot_.passed_on.store(passed_on ? 1 : 0); }

  void post(const Operation& operation) {
    words_.clear();
    encode(leaving_.as_told(operation), words_);
    clock_.begin_sum();  // seen before the words are
    std::span<const Word> rest(words_);
    while (true) {
      rest = rest.subspan(operations_.write(rest));
      unannounced_ = true;
      if (rest.empty()) break;
      wait_for_emulator(SleepsFor::ring, [this] { return operations_.free() > 0; });
    }
    goes_on_ = operation.kind == OperationKind::send;
    if (operation.wants_answer) send_leaving();
    if (operation.wants_answer && grow_impatient(header_)) clock_.has_rested();
    // Whoever wants an answer sleeps now, in here or, with others, in the real library.
    if (ends_call(operation.part) || operation.wants_answer) announce();
  }

  void await(Answer& answer) {
    words_.resize(1);
    receive(words_);
    words_.resize(std::clamp(record_length(words_[0]), std::size_t{1}, longest_record));
    receive(std::span(words_).subspan(1));
    header_.impatient.fetch_sub(1, std::memory_order_relaxed);
    decode(words_, answer);
  }

  void show_reached(SimTime clock) { slot_.clock.reached_ps.store(clock.ps(), std::memory_order_release); }

  Quiet quiet(const Answer& answer) const {
    const Quiet told{answer.quiet_until, answer.quiet_until};
    if (answer.computing.empty() || settings_.least_distance_ps == 0) return told;
    SimTime until = answer.quiet_but_for_computing;
    for (const ComputingRank& one : answer.computing) {
      if (index(one.rank) >= settings_.ranks) return told;
      const RankSlot& other = slot_of(one.rank);
      const std::int64_t reached = other.clock.reached_ps.load(std::memory_order_acquire);
      // After that: what it has said meanwhile, the emulator may know more about.
      if (other.operations.written.load(std::memory_order_acquire) != one.said) return told;
      until = std::min(until, SimTime::from_ps(reached + distance_to(one.rank)));
    }
    return {std::max(until, answer.quiet_until),
            std::max(answer.quiet_but_for_computing, answer.quiet_until)};
  }

  std::uint64_t allocate(Bytes size, std::uint32_t readers) {
    while (true) {
      arenas_->free_list(slot_.released);
      if (const std::uint64_t handle = arenas_->allocate(size, readers)) return handle;
      slot_.lacks_room.store(1);
      wait_for_emulator(SleepsFor::memory, [this] { return slot_.released.load() != 0; });
      slot_.lacks_room.store(0);
    }
  }

  void work_while_asleep(void (*work)()) { work_ = work; }

  std::span<std::byte> data(std::uint64_t handle) { return arenas_->data(handle); }

  bool give_way(const Answer& answer, SimTime now) {
    if (wake_followers(slot_, false)) clock_.has_rested();
    const auto time_left = [&](const ComputingRank& one) {
      const RankSlot& other = slot_of(one.rank);
      return other.clock.reached_ps.load(std::memory_order_relaxed) + distance_to(one.rank);
    };
    const ComputingRank& slowest = *std::ranges::min_element(answer.computing, {}, time_left);
    RankSlot& other = slot_of(slowest.rank);
    // The emulator answers that one when it knows that this one has come as far.
    if (Sleep(other.sleeps.load(std::memory_order_relaxed)).is_for(SleepsFor::answer)) ring_emulator_now();
    const bool moved =
        look_out_.sees(other, now.ps() - distance_to(slowest.rank) + 1, slowest.said) ||
        // With room for more than one poll.
        follow(other, now.ps() - distance_to(slowest.rank) / 2, slowest.said, patience(settings_.compute));
    clock_.has_rested();
    return moved;
  }

  void release(std::uint64_t handle) {
    if (!arenas_->release(handle)) return;
    const Rank owner = arenas_->owner(handle);
    if (owner == rank_) {
      arenas_->free(handle);
      return;
    }
    if (hand_back(*arenas_, slot_of(owner), handle)) clock_.has_rested();
  }

  void announce_message(Rank receiver, std::uint64_t payload, Context context, Tag tag) {
    arenas_->address(payload, receiver, context, tag);
    RankSlot& slot = slot_of(receiver);
    if (const std::uint32_t machine = machine_of(receiver); machine != machine_of(rank_)) {
      leaving_.put(slot_, line_to_(machine), machine, *arenas_, payload);
      return;
    }
    arenas_->put_on_list(slot.announced, payload);
    if (ring(slot, SleepsFor::message)) clock_.has_rested();
  }

  void take_announced(std::vector<SentMessage>& messages) {
    if (slot_.announced.load(std::memory_order_relaxed) == 0) return;
    handles_.clear();
    arenas_->take_list(slot_.announced, handles_);
    for (const std::uint64_t handle : handles_) {
      if (arenas_->receiver(handle) != rank_)
        throw Error(fmt::format("payload {} of the list for rank {} is not for it: a program wrote over it",
                                handle, static_cast<int>(rank_)));
      messages.push_back({handle, arenas_->owner(handle), arenas_->context(handle), arenas_->tag(handle)});
    }
  }

  void await_announced() {
    sleep_until(SleepsFor::message, [this] { return slot_.announced.load(std::memory_order_acquire) != 0; });
  }

  RobustMutex& memory_of(Rank owner) { return slot_of(owner).memory; }
  std::uint32_t host_of(Rank rank) const { return hosts_[index(rank)]; }
  std::uint32_t machine_of(Rank rank) const { return machines_[index(rank)]; }

  void enter() { clock_.enter(); }

  void leave() {
    // Those of a call that has waited leave now; of others more may follow, which the agent gathers.
    if (!goes_on_)
      send_leaving();
    else if (!leaving_.empty() && leaving_.has_any(line_to_))
      leave_to_agent();
    announce();
    clock_.leave();
  }

  nanoseconds computed_since_post() const { return clock_.sum(); }
  std::optional<nanoseconds> computed_in_passing() { return clock_.sum_in_passing(); }
  nanoseconds computed_by_now() const { return clock_.sum_by_now(); }
  void finished() {
    send_leaving();
    slot_.ended.store(1);
    unannounced_ = false;
    ring_emulator_now();
    if (is_under_memcheck()) memory_.protect_payloads();
  }
  void announce(const AnnouncedEnd& end) {
    slot_.announced_error.fill('\0');
    end.error.copy(slot_.announced_error.data(), slot_.announced_error.size());
    slot_.announced_end.store(std::uint64_t{1} << 32 | static_cast<std::uint32_t>(end.code));
  }
  void name(Context context, const std::string& given) {
    const auto number = static_cast<std::uint64_t>(context);
    auto entry = std::ranges::find_if(slot_.named_contexts,
                                      [&](const NamedContext& one) { return one.context == number; });
    if (entry == slot_.named_contexts.end())
      entry = slot_.named_contexts.begin() + names_given_++ % most_named_contexts;
    entry->context = 0;  // while it is written
    entry->name.fill('\0');
    given.copy(entry->name.data(), entry->name.size());
    entry->context = number;
  }
  void take_back_announcement() { slot_.announced_end.store(0); }

 private:
  /// Valgrind's memcheck reads all memory that a process may write when it ends, in search of leaks: of the
  /// payloads' it would make gigabytes of zeros.
  static bool is_under_memcheck() {
    const char* const preloaded = std::getenv("LD_PRELOAD");
    return preloaded != nullptr && std::strstr(preloaded, "vgpreload_memcheck") != nullptr;
  }
  /// As the program that this process ran before.
  void go_on() {
    resumed_ = true;
    clock_.go_on();
    naps_ = slot_.naps.load();
    arenas_.emplace(memory_.arenas(), header_.payload_room, settings_.ranks, rank_, true);
  }

  RankSlot& slot_of(Rank rank) const { return memory_.slot_of(rank); }

  [[noreturn]] void taken(const std::string& path) const {
    throw Error(fmt::format("rank {} is attached to {} already: only one process can be a rank",
                            static_cast<int>(rank_), path));
  }

  void receive(std::span<Word> words) {
    while (!words.empty()) {
      const auto available = std::min<std::uint64_t>(answers_.available(), words.size());
      if (available == 0) {
        sleep_until(SleepsFor::answer, [this] { return answers_.available() > 0; });
        continue;
      }
      answers_.read(words.first(available));
      words = words.subspan(available);
      if (answers_.passed_mark()) ring_emulator_now();
    }
  }

  /// Wakes the emulator, if it waits for that, for what was posted since the last time.
  void announce() {
    const auto much = [this] { return operations_.free() < OperationRing::capacity / 2; };
    // The one that is woken may take this rank's turn on the processor.
    if (!std::exchange(unannounced_, false)) return;
    const bool rung = ring_emulator(header_, slot_, much);
    if (wake_followers(slot_, true) || rung) clock_.has_rested();
  }

  /// What this rank and that one do reaches the other no sooner than after this (ps).
  std::int64_t distance_to(Rank other) const {
    return host_of(other) == host_of(rank_)
               ? settings_.least_distance_ps
               : std::max(settings_.least_distance_ps, settings_.least_distance_between_hosts_ps);
  }

  /// Messages to ranks elsewhere: by this rank itself, if it can.
  void send_leaving() {
    if (leaving_.empty()) return;
    const auto throw_if_gone = [this] {
      if (header_.closed.load()) _exit(EXIT_FAILURE);
      if (process_has_ended(emulator_)) emulator_gone();
    };
    if (!leaving_.send(line_to_, *arenas_, throw_if_gone)) leave_to_agent();
    clock_.has_rested();
  }
  void leave_to_agent() {
    if (morgana::leave_to_agent(header_.leaving)) ring_emulator_now();
  }

  void ring_emulator_now() {
    if (ring_emulator(header_, slot_, [] { return true; })) clock_.has_rested();
  }

  /// Sleeps for what the emulator must go on for.
  template <typename Ready>
  void wait_for_emulator(SleepsFor what, const Ready& ready) {
    if (grow_impatient(header_)) clock_.has_rested();
    sleep_until(what, ready);
    header_.impatient.fetch_sub(1, std::memory_order_relaxed);
  }

  template <typename Ready>
  void sleep_until(SleepsFor what, const Ready& ready) {
    send_leaving();
    announce();
    clock_.has_rested();
    const Sleep sleep(++sleeps_, what);
    while (true) {
      const std::uint32_t seen = slot_.bell.load(std::memory_order_acquire);
      slot_.sleeps.store(sleep.word(), std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (ready()) break;
      if (header_.closed.load()) _exit(EXIT_FAILURE);  // the launcher has said why
      if (work_ != nullptr) work_();
      futex_wait(slot_.bell, seen, work_ == nullptr ? emulator_check(settings_.ranks) : between_work);
      if (slot_.bell.load(std::memory_order_relaxed) != seen) continue;
      if (process_has_ended(emulator_)) emulator_gone();
      slot_.naps.store(++naps_, std::memory_order_release);
    }
    slot_.sleeps.store(0, std::memory_order_relaxed);
  }

  Rank rank_;
  MappedChannel memory_;
  ChannelHeader& header_;
  ChannelSettings settings_;
  RankSlot& slot_;
  RingWriter<OperationRing> operations_;
  RingReader<AnswerRing> answers_;
  std::int32_t emulator_;
  const std::vector<std::uint32_t> hosts_, machines_;  ///< of the ranks, as they were before any program ran
  LeavingMessages leaving_;
  struct LineTo {
    const Impl& impl;
    MachineLine& operator()(std::uint32_t machine) const {
      return impl.slot_of(Rank{static_cast<std::int32_t>(machine)}).line;
    }
  };
  const LineTo line_to_{*this};
  bool goes_on_ = false;  ///< the last that was posted is a send, for which its call has not waited
  std::optional<PayloadArenas> arenas_;
  std::vector<Word> words_;
  std::vector<std::uint64_t> handles_;  // scratch
  bool unannounced_ = false;
  LookOut look_out_;
  std::size_t names_given_ = 0;
  bool resumed_ = false;
  std::uint32_t sleeps_ = 0, naps_ = 0;  ///< so far
  void (*work_)() = nullptr;

  StretchClock clock_;
};

RankChannel::RankChannel(const std::string& path, Rank rank) : impl_(std::make_unique<Impl>(path, rank)) {}
RankChannel::~RankChannel() = default;
const ChannelSettings& RankChannel::settings() const {
  return impl_->settings();
}
Rank RankChannel::rank() const {
  return impl_->rank();
}
void RankChannel::post(const Operation& operation) {
  impl_->post(operation);
}
void RankChannel::await(Answer& answer) {
  impl_->await(answer);
}
void RankChannel::show_reached(SimTime clock) {
  impl_->show_reached(clock);
}
bool RankChannel::give_way(const Answer& answer, SimTime now) {
  return impl_->give_way(answer, now);
}
RankChannel::Quiet RankChannel::quiet(const Answer& answer) const {
  return impl_->quiet(answer);
}
std::uint64_t RankChannel::allocate(Bytes size, std::uint32_t readers) {
  return impl_->allocate(size, readers);
}
void RankChannel::announce_message(Rank receiver, std::uint64_t payload, Context context, Tag tag) {
  impl_->announce_message(receiver, payload, context, tag);
}
void RankChannel::take_announced(std::vector<SentMessage>& messages) {
  impl_->take_announced(messages);
}
void RankChannel::await_announced() {
  impl_->await_announced();
}
void RankChannel::work_while_asleep(void (*work)()) {
  impl_->work_while_asleep(work);
}
std::span<std::byte> RankChannel::data(std::uint64_t handle) {
  return impl_->data(handle);
}
void RankChannel::release(std::uint64_t handle) {
  impl_->release(handle);
}
RobustMutex& RankChannel::memory_of(Rank owner) {
  return impl_->memory_of(owner);
}
std::uint32_t RankChannel::host_of(Rank rank) const {
  return impl_->host_of(rank);
}
std::uint32_t RankChannel::machine_of(Rank rank) const {
  return impl_->machine_of(rank);
}
void RankChannel::enter() {
  impl_->enter();
}
void RankChannel::leave() {
  impl_->leave();
}
std::chrono::nanoseconds RankChannel::computed_since_post() const {
  return impl_->computed_since_post();
}
std::optional<std::chrono::nanoseconds> RankChannel::computed_in_passing() {
  return impl_->computed_in_passing();
}
std::chrono::nanoseconds RankChannel::computed_by_now() const {
  return impl_->computed_by_now();
}
void RankChannel::finished() {
  impl_->finished();
}
bool RankChannel::resumed() const {
  return impl_->resumed();
}
void RankChannel::pass_on(bool passed_on) {
  impl_->pass_on(passed_on);
}
void RankChannel::announce(const AnnouncedEnd& end) {
  impl_->announce(end);
}
void RankChannel::name(Context context, const std::string& given) {
  impl_->name(context, given);
}
void RankChannel::take_back_announcement() {
  impl_->take_back_announcement();
}

void emulator_gone() {
  static constexpr char message[] = "morgana: the emulator has ended before this rank; the rank ends too\n";
  (void)!write(STDERR_FILENO, message, sizeof message - 1);
  _exit(EXIT_FAILURE);
}

}  // namespace morgana
