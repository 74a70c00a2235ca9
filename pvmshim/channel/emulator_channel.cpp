#include "pvmshim/channel/emulator_channel.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cassert>
#include <deque>
#include <new>
#include <utility>

#include "pvmshim/channel/anonymous_file.h"
#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/leaving_messages.h"
#include "pvmshim/channel/operation_check.h"
#include "pvmshim/channel/payload_arenas.h"
#include "pvmshim/channel/process_watch.h"
#include "pvmshim/channel/rank_end.h"
#include "pvmshim/channel/released_payload.h"
#include "pvmshim/channel/shared_core.h"

namespace morgana {
namespace {

namespace bip = boost::interprocess;
using std::chrono::nanoseconds;

/// A rank that computes longer than this before it says something gets a core of its own. (Not much shorter
/// than the kernel's tick: a timer before the next tick costs as much as a switch.)
constexpr std::chrono::milliseconds long_turn{5};
/// How often the emulator looks whether a rank that should read its answer still lives.
constexpr std::chrono::milliseconds rank_check{100};

/// @throws Error if the user's limits don't allow the ranks so much address space or so large a file
std::uint64_t allowed(std::uint64_t size) {
  const auto check = [size](auto resource, const char* command) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size)
      throw Error(
          fmt::format("the ranks share {} bytes of address space, used only as far as messages need it, but "
                      "the limit is {}: raise it ('{} unlimited') or start fewer ranks",
                      size, limit.rlim_cur, command));
  };
  check(RLIMIT_AS, "ulimit -v");
  check(RLIMIT_FSIZE, "ulimit -f");
  return size;
}

constexpr std::uint64_t whole_pages(std::uint64_t size) {
  return (size + page_size - 1) / page_size * page_size;
}

}  // namespace

class EmulatorChannel::Impl {
 public:
  Impl(const ChannelSettings& settings, std::uint64_t payload_room, std::span<const std::uint32_t> host_of,
       std::span<const std::uint32_t> machine_of)
      : ranks_(settings.ranks),
        payload_room_(static_cast<std::int64_t>(payload_room)),
        file_(allowed(arenas_offset(ranks_) + PayloadArenas::size(ranks_, payload_room))),
        region_(bip::file_mapping(file_.path().c_str(), bip::read_write), bip::read_write, 0,
                arenas_offset(ranks_)),
        header_(*new (region_.get_address()) ChannelHeader{}),
        messages_are_certain_(settings.messages_are_certain != 0),
        may_share_core_(machine_of.empty()),
        shared_core_(ranks_),
        running_(ranks_) {
    header_.layout = channel_layout;
    header_.payload_room = payload_room;
    header_.emulator = getpid();
    header_.settings = settings;
    header_.magic = channel_magic;
    auto* start = static_cast<std::byte*>(region_.get_address());
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      ends_.emplace_back(*reinterpret_cast<RankSlot*>(start + slot_offset(rank)));
    AgreementTable::initialise(start + slot_offset(ranks_));
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      RankSlot& slot = ends_[rank].slot();
      slot.memory.initialise();
      slot.line.stream.initialise();
      slot.host = host_of.empty() ? static_cast<std::uint32_t>(rank) : host_of[rank];
      slot.machine = machine_of.empty() ? 0 : machine_of[rank];
    }
  }

  ~Impl() {
    header_.closed.store(true);
    for (const RankEnd& end : ends_) ring(end.slot());
  }

  std::string path() const { return file_.path(); }

  std::optional<int> pid_of(Rank rank) const { return end_of(rank).pid(); }

  RobustMutex& memory_of(Rank owner) { return ends_[index(owner)].slot().memory; }

  bool ended(Rank rank) const { return end_of(rank).slot().ended.load() != 0; }

  std::string given_name(Context context) const {
    const auto number = static_cast<std::uint64_t>(context);
    for (std::size_t rank = 0; rank < ends_.size(); ++rank)
      for (const NamedContext& named : end_of(Rank{static_cast<std::int32_t>(rank)}).slot().named_contexts) {
        if (number == 0 || named.context.load() != number) continue;
        const auto characters = named.name;  // the rank may be writing it
        std::string name(characters.begin(), std::ranges::find(characters, '\0'));
        std::ranges::replace_if(
            name, [](char one) { return static_cast<unsigned char>(one) < ' ' || one == '\x7f'; }, '?');
        return name;
      }
    return {};
  }

  std::optional<AnnouncedEnd> announced_end(Rank rank) const {
    const RankSlot& slot = end_of(rank).slot();
    const std::uint64_t code = slot.announced_end.load();
    if (code == 0) return std::nullopt;
    const auto error = slot.announced_error;  // the rank may be writing it
    return AnnouncedEnd{static_cast<int>(static_cast<std::uint32_t>(code)),
                        std::string(error.begin(), std::find(error.begin(), error.end(), '\0'))};
  }

  Rest rest(Rank rank) { return ends_[index(rank)].rest(); }

  bool sleeps(Rank rank) const { return Sleep(end_of(rank).slot().sleeps.load()).asleep(); }

  bool has_words(Rank rank) const { return end_of(rank).has_words(); }

  bool is_half_said(Rank rank) const { return end_of(rank).is_half_said(); }

  bool take(Rank rank, Operation& operation) {
    RankEnd& end = ends_[index(rank)];
    try {
      if (!end.take(operation)) return false;
      check_said(operation, ranks_, payload_room_);
    } catch (const MalformedRecord& wrong) {
      throw Error(
          fmt::format("rank {} has sent the emulator an operation that makes no sense ({}): "
                      "the program may have written over the shim's memory",
                      static_cast<int>(rank), wrong.what()));
    }
    if ((operation.wants_answer || operation.kind == OperationKind::exit) && !end.waits(true)) --running_;
    return true;
  }

  void answer(Rank rank, const Answer& answer) {
    RankEnd& end = ends_[index(rank)];
    words_.clear();
    encode(answer.computing.empty() ? answer : with_counts(answer), words_);
    if (end.waits(false)) {
      if (const auto pid = end.pid(); pid && may_share_core_)
        shared_core_.before_waking(index(rank), *pid, running_);
      ++running_;
    }
    end.begin_answer();
    for (std::span<const Word> rest = end.tell(words_); !rest.empty(); rest = end.tell(rest)) {
      const std::uint32_t seen = header_.doorbell.load(std::memory_order_acquire);
      sleep({&rank, 1}, seen, rank_check, false, [&end] { return end.has_room(); });
      if (end.has_room()) continue;
      const std::optional<int> pid = end.pid();
      if (!pid || process_has_ended(*pid))
        throw Error(fmt::format("rank {} has ended without reading its answer", static_cast<int>(rank)));
      if (end.rest() != Rest::none)
        throw Error(
            fmt::format("rank {} does not read its answer: the program may have written over the "
                        "shim's memory",
                        static_cast<int>(rank)));
    }
  }

  void release(std::uint64_t payload) {
    if (!payloads_) {
      payload_region_ =
          bip::mapped_region(bip::file_mapping(file_.path().c_str(), bip::read_write), bip::read_write,
                             static_cast<bip::offset_t>(arenas_offset(ranks_)));
      payloads_.emplace(static_cast<std::byte*>(payload_region_.get_address()), header_.payload_room, ranks_,
                        Rank{0}, true);
    }
    if (payloads_->release(payload))
      hand_back(*payloads_, ends_[index(payloads_->owner(payload))].slot(), payload);
  }

  std::optional<nanoseconds> computed(Rank rank) const { return end_of(rank).computed(); }

  SimTime reached(Rank rank) const { return end_of(rank).reached(); }

  void wait(std::span<const Rank> ranks, nanoseconds timeout, nanoseconds unhurried) {
    const std::uint32_t seen = header_.doorbell.load(std::memory_order_acquire);
    const bool dozes = may_doze();
    sleep(ranks, seen, dozes ? unhurried : timeout, dozes, [this, ranks] {
      bool news = false;
      for (const Rank rank : ranks) {
        RankEnd& end = ends_[index(rank)];
        const bool attaches = end.attaches();
        news = news || attaches || end.has_words();
      }
      return woken_.exchange(false) || news ||
             header_.leaving.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(Leaving::left);
    });
  }

  std::uint32_t most_threads() const {
    std::uint32_t most = 1;
    for (const RankEnd& end : ends_) most = std::max(most, end.slot().clock.threads.at_once.load());
    return most;
  }

  void free_processors() { shared_core_.part(); }
  void running(std::size_t ranks) { running_ = ranks; }
  void running_changes(int by) { running_ += static_cast<std::size_t>(by); }

  bool is_unhurried() const {
    return messages_are_certain_ && header_.impatient.load(std::memory_order_seq_cst) == 0;
  }
  void hurry(bool hurried) {
    if (std::exchange(hurried_, hurried) == hurried) return;
    if (hurried)
      header_.impatient.fetch_add(1, std::memory_order_seq_cst);
    else
      header_.impatient.fetch_sub(1, std::memory_order_seq_cst);
  }

  void wake() {
    woken_.store(true);
    header_.doorbell.fetch_add(1, std::memory_order_release);
    futex_wake(header_.doorbell);
  }

 private:
  /// Says of each computing rank how much of what it has said the emulator knows.
  const Answer& with_counts(const Answer& answer) {
    told_ = answer;
    for (ComputingRank& one : told_.computing) one.said = end_of(one.rank).known();
    return told_;
  }

  const RankEnd& end_of(Rank rank) const { return ends_[index(rank)]; }

  /// Sleeps until `ready`, at most about `timeout`; ranks other than `ranks` do not wake the emulator.
  /// @param seen  the doorbell before anything was looked at
  /// @param dozes  may_doze()
  template <typename Ready>
  void sleep(std::span<const Rank> ranks, std::uint32_t seen, nanoseconds timeout, bool dozes,
             const Ready& ready) {
    // A rank that computes may say something now and then that wants no answer.
    if (running_ > 0) shared_core_.part_after(long_turn);
    wait_for(ranks, dozes ? EmulatorWaits::for_many : EmulatorWaits::for_words);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // either we see a rank's words, or it that we wait
    if (!ready()) {
      const bool first_short = shared_core_.together() && running_ > 0 && timeout > long_turn;
      futex_wait(header_.doorbell, seen, first_short ? long_turn : timeout);
      if (first_short && header_.doorbell.load() == seen) shared_core_.part();
    }
    header_.dozes.store(0, std::memory_order_relaxed);
    wait_for(ranks, EmulatorWaits::not_for_it);
  }

  void wait_for(std::span<const Rank> ranks, EmulatorWaits what) {
    for (const Rank rank : ranks) end_of(rank).slot().emulator_waits.store(what, std::memory_order_relaxed);
  }

  /// Whether no rank waits for the emulator. Who begins to rings from now on.
  bool may_doze() {
    if (!messages_are_certain_) return false;
    header_.dozes.store(1, std::memory_order_seq_cst);
    if (header_.impatient.load(std::memory_order_seq_cst) == 0) return true;
    header_.dozes.store(0, std::memory_order_relaxed);
    return false;
  }

  std::size_t ranks_;
  Bytes payload_room_;
  AnonymousFile file_;
  bip::mapped_region region_;
  bip::mapped_region payload_region_;      // made when first used
  std::optional<PayloadArenas> payloads_;  // in it
  ChannelHeader& header_;
  std::deque<RankEnd> ends_;
  std::vector<Word> words_;
  Answer told_;  ///< scratch
  bool messages_are_certain_;
  bool may_share_core_;  ///< false for an agent's ranks: they take turns with others elsewhere, and with
                         ///< several of its threads
  SharedCore shared_core_;
  /// Ranks that don't wait for an answer. An agent calls answer() on one thread while another one is in
  /// wait().
  std::atomic<std::size_t> running_;
  std::atomic<bool> woken_{false};
  bool hurried_ = false;
};

EmulatorChannel::EmulatorChannel(const ChannelSettings& settings, Bytes payload_room,
                                 std::span<const std::uint32_t> host_of,
                                 std::span<const std::uint32_t> machine_of)
    : impl_(std::make_unique<Impl>(settings, whole_pages(static_cast<std::uint64_t>(payload_room.count())),
                                   host_of, machine_of)) {}
EmulatorChannel::~EmulatorChannel() = default;
std::string EmulatorChannel::path() const {
  return impl_->path();
}
std::optional<int> EmulatorChannel::pid_of(Rank rank) const {
  return impl_->pid_of(rank);
}
RobustMutex& EmulatorChannel::memory_of(Rank owner) {
  return impl_->memory_of(owner);
}
bool EmulatorChannel::ended(Rank rank) const {
  return impl_->ended(rank);
}
std::string EmulatorChannel::given_name(Context context) const {
  return impl_->given_name(context);
}
std::optional<AnnouncedEnd> EmulatorChannel::announced_end(Rank rank) const {
  return impl_->announced_end(rank);
}
EmulatorChannel::Rest EmulatorChannel::rest(Rank rank) {
  return impl_->rest(rank);
}
bool EmulatorChannel::sleeps(Rank rank) const {
  return impl_->sleeps(rank);
}
bool EmulatorChannel::has_words(Rank rank) const {
  return impl_->has_words(rank);
}
bool EmulatorChannel::is_half_said(Rank rank) const {
  return impl_->is_half_said(rank);
}
bool EmulatorChannel::take(Rank rank, Operation& operation) {
  return impl_->take(rank, operation);
}
void EmulatorChannel::answer(Rank rank, const Answer& answer) {
  impl_->answer(rank, answer);
}
std::uint32_t EmulatorChannel::most_threads() const {
  return impl_->most_threads();
}
void EmulatorChannel::release(std::uint64_t payload) {
  impl_->release(payload);
}
std::optional<nanoseconds> EmulatorChannel::computed(Rank rank) {
  return impl_->computed(rank);
}
SimTime EmulatorChannel::reached(Rank rank) const {
  return impl_->reached(rank);
}
void EmulatorChannel::wait(std::span<const Rank> ranks, nanoseconds timeout, nanoseconds unhurried) {
  impl_->wait(ranks, timeout, unhurried);
}
void EmulatorChannel::free_processors() {
  impl_->free_processors();
}
void EmulatorChannel::running(std::size_t ranks) {
  impl_->running(ranks);
}
void EmulatorChannel::running_changes(int by) {
  impl_->running_changes(by);
}
bool EmulatorChannel::is_unhurried() const {
  return impl_->is_unhurried();
}
void EmulatorChannel::hurry(bool hurried) {
  impl_->hurry(hurried);
}
void EmulatorChannel::wake() {
  impl_->wake();
}

}  // namespace morgana
