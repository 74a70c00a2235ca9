#include "pvmshim/agent/agent.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "emulator/core/standard_error.h"
#include "pvmshim/agent/letter_relay.h"
#include "pvmshim/agent/output_sender.h"
#include "pvmshim/agent/payload_mirror.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/channel/codec.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "pvmshim/launch/process/waiting.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

/// A message of so many bytes goes to its receiver's machine at once; a longer one when it is asked for.
constexpr std::size_t largest_pushed = 64 * 1024;
/// In parts of so many bytes.
constexpr std::size_t largest_part = 1024 * 1024;
constexpr auto patience_to_connect = 5s;
constexpr auto patience_with_lost_peer = 5s;

std::span<const std::byte> as_content(std::span<const Word> words) {
  return std::as_bytes(words);
}

std::vector<Word> as_words(std::span<const std::byte> content) {
  if (content.size() % sizeof(Word) != 0) throw MalformedFrame("a record is cut off");
  std::vector<Word> words(content.size() / sizeof(Word));
  std::memcpy(words.data(), content.data(), content.size());
  return words;
}

/// A thread that takes no signals.
std::thread quiet_thread(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

/// What threads that receive leave for the one that acts.
class Inbox {
 public:
  void put(Frame frame) {
    {
      const std::lock_guard lock(mutex_);
      frames_.push_back(std::move(frame));
    }
    change();
  }
  void close() {
    closed_ = true;
    change();
  }
  /// Wakes the thread in sleep(), and calls what on_change() was given.
  void change() {
    {
      const std::lock_guard lock(mutex_);
      changed_ = true;
      if (wake_) wake_();
    }
    news_.notify_all();
  }
  /// Called for each change from now on, with a lock held.
  void on_change(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  std::vector<Frame> take() {
    const std::lock_guard lock(mutex_);
    changed_ = false;
    return std::exchange(frames_, {});
  }
  void sleep(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, longest, [this] { return changed_ || closed_; });
  }
  bool is_closed() const { return closed_; }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Frame> frames_;
  std::function<void()> wake_;
  bool changed_ = false;
  std::atomic<bool> closed_{false};
};

/// The streams to the other agents.
class Peers {
 public:
  using Take = std::function<void(std::size_t agent, Frame& frame)>;

  Peers(const AgentSetup& setup, Listener& listener, const std::string& secret)
      : streams_(setup.agents.size()) {
    for (std::size_t other = 0; other < setup.number; ++other) {
      const AgentSetup::Peer& peer = setup.agents[other];
      streams_[other] =
          std::make_unique<Stream>(Stream::connect(peer.addresses, peer.port, patience_to_connect));
      streams_[other]->send(FrameKind::peer, static_cast<std::int32_t>(setup.number),
                            ContentWriter().text(secret).bytes());
      streams_[other]->accept_up_to(largest_frame);
    }
    for (std::size_t missing = streams_.size() - setup.number - 1; missing > 0;)
      if (accept(listener, secret, setup.number)) --missing;
  }

  /// @param take  called on a thread of each stream
  /// @param lost  called when one ends
  void listen(const Take& take, const std::function<void(std::size_t agent)>& lost) {
    for (std::size_t agent = 0; agent < streams_.size(); ++agent) {
      if (streams_[agent] == nullptr) continue;
      threads_.push_back(quiet_thread([this, agent, take, lost] {
        Frame frame;
        try {
          while (streams_[agent]->receive(frame)) take(agent, frame);
        } catch (const Error& error) {
          print_error(fmt::format("morgana: what agent {} says makes no sense: {}\n", agent, error.what()));
        }
        lost(agent);
      }));
    }
  }
  ~Peers() { end(); }
  /// Nothing more is taken.
  void end() {
    for (const auto& stream : streams_)
      if (stream) stream->shut();
    for (std::thread& thread : std::exchange(threads_, {})) thread.join();
  }

  Stream& operator[](std::size_t agent) { return *streams_[agent]; }
  void flush() {
    for (const auto& stream : streams_)
      if (stream) stream->flush();
  }

 private:
  /// @return whether another agent has come
  bool accept(Listener& listener, const std::string& secret, std::uint32_t own) {
    throw_if_interrupted();
    const auto socket = listener.accept_within(100ms);
    if (!socket) return false;
    auto stream = std::make_unique<Stream>(*socket);
    Frame frame;
    try {
      if (stream->receive_within(frame, patience_to_connect) && frame.kind == FrameKind::peer &&
          is_same_secret(ContentReader(frame.content).text(), secret)) {
        const auto agent = static_cast<std::size_t>(frame.rank);
        if (agent > own && agent < streams_.size() && streams_[agent] == nullptr) {
          stream->accept_up_to(largest_frame);
          streams_[agent] = std::move(stream);
          return true;
        }
      }
    } catch (const Error&) {
    }
    print_error(fmt::format("morgana: note: {} has connected without this run's secret, and was dropped\n",
                            stream->address()));
    return false;
  }

  std::vector<std::unique_ptr<Stream>> streams_;  ///< by agent; none for this one
  std::vector<std::thread> threads_;
};

/// One run's ranks on this machine.
class Share {
 public:
  Share(const AgentSetup& setup, Stream& emulator, Inbox& inbox, Peers& peers)
      : setup_(setup),
        emulator_(emulator),
        inbox_(inbox),
        peers_(peers),
        own_(ranks_where([&](std::uint32_t machine) { return machine == setup.number; })),
        exited_(setup.launch.ranks),
        program_(setup.launch),
        mirror_(program_.channel_path()),
        letters_(
            program_.channel_path(),
            ranks_where([&](std::uint32_t machine) { return machine != setup.number; }),
            [this](Rank rank, std::span<const std::byte> datagram) {
              peers_[machine_of(rank)].send(FrameKind::letter, static_cast<std::int32_t>(rank), datagram);
            },
            [this](Rank rank) { return !program_.has_finished(rank); }) {
    settings_.compute = setup.launch.compute;
    settings_.compute_scale = setup.launch.compute_scale;
    inbox_.on_change([this] { program_.wake(); });
    peers_.listen([this](std::size_t agent, Frame& frame) { take_from_peer(agent, frame); },
                  [this](std::size_t agent) { lost_peer_ = static_cast<int>(agent); });
  }
  ~Share() {
    inbox_.on_change({});
    peers_.end();
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  /// @return false when all that runs here is to end
  bool step() {
    for (Frame& frame : inbox_.take())
      if (!take_from_emulator(frame)) return false;
    if (inbox_.is_closed()) return false;
    throw_if_peer_is_lost();
    give_waiting();
    for (const Rank rank : own_) pass_on(rank);
    for (const PayloadMirror::Released& released : mirror_.collect())
      peers_[machine_of(mirror_.owner(released.marked))].add(
          FrameKind::released, -1, ContentWriter().number(released.marked).number(released.readers).bytes());
    if (const std::size_t begun = program_.begun(); begun != begun_) {
      begun_ = begun;
      emulator_.add(FrameKind::begun, -1, ContentWriter().number(begun).bytes());
    }
    const std::chrono::nanoseconds longest = report_progress();
    peers_.flush();
    emulator_.flush();
    if (ended_)
      inbox_.sleep(20ms);
    else if (program_.has_ended())
      end();
    else
      program_.rest(longest);
    return true;
  }

 private:
  template <typename Where>
  std::vector<Rank> ranks_where(const Where& where) const {
    std::vector<Rank> ranks;
    for (std::size_t rank = 0; rank < setup_.launch.ranks; ++rank)
      if (where(setup_.launch.machine_of[rank])) ranks.push_back(Rank{static_cast<std::int32_t>(rank)});
    return ranks;
  }
  std::size_t machine_of(Rank rank) const { return setup_.launch.machine_of[index(rank)]; }
  bool is_own(Rank rank) const { return machine_of(rank) == setup_.number; }
  Rank checked(std::int32_t rank) const {
    if (rank < 0 || static_cast<std::size_t>(rank) >= setup_.launch.ranks || !is_own(Rank{rank}))
      throw MalformedFrame(fmt::format("rank {} is not on this machine", rank));
    return Rank{rank};
  }

  /// The emulator knows sooner of an agent that has gone, and says so to this one.
  void throw_if_peer_is_lost() {
    if (lost_peer_ < 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (!lost_since_) lost_since_ = now;
    if (now - *lost_since_ > patience_with_lost_peer)
      throw Error(
          fmt::format("the connection of agent {} to agent {} has broken", setup_.number, lost_peer_.load()));
  }

  bool take_from_emulator(Frame& frame) {
    switch (frame.kind) {
      case FrameKind::answer: {
        Answer answer;
        decode(as_words(frame.content), answer);
        answer.computing.clear();  // how far those have come, ranks would look up in shared memory
        waiting_.emplace_back(checked(frame.rank), std::move(answer));
        return true;
      }
      case FrameKind::dropped: {
        const std::uint64_t payload = ContentReader(frame.content).number();
        if (is_own(mirror_.owner(payload))) mirror_.release(payload, 1);
        return true;
      }
      case FrameKind::await:
        awaited_[checked(frame.rank)] =
            SimTime::from_ps(static_cast<std::int64_t>(ContentReader(frame.content).number()));
        return true;
      case FrameKind::tell_name: {
        const std::uint64_t context = ContentReader(frame.content).number();
        emulator_.add(FrameKind::name, -1,
                      ContentWriter().number(context).text(program_.given_name(Context{context})).bytes());
        return true;
      }
      case FrameKind::quit:
        return false;
      case FrameKind::alive:
        return true;
      default:
        throw MalformedFrame("the emulator says what only agents say");
    }
  }

  /// On the threads of the streams.
  void take_from_peer(std::size_t agent, Frame& frame) {
    ContentReader content(frame.content);
    switch (frame.kind) {
      case FrameKind::letter:
        return letters_.deliver(checked(frame.rank), frame.content);
      case FrameKind::want: {
        const std::uint64_t marked = content.number();
        if (mirror_.is_block(marked)) return push(marked, peers_[agent]);
        return peers_[agent].send(FrameKind::gone, -1, ContentWriter().number(marked).bytes());
      }
      case FrameKind::gone: {
        mirror_.note_gone(content.number());
        return inbox_.change();
      }
      case FrameKind::block: {
        const std::uint64_t marked = content.number();
        const auto readers = static_cast<std::uint32_t>(content.number());
        const std::uint64_t size = content.number(), begin = content.number();
        const auto part = content.rest();
        mirror_.put_part(marked, readers, size, begin, part);
        if (begin + part.size() == size) inbox_.change();
        return;
      }
      case FrameKind::released: {
        const std::uint64_t marked = content.number();
        return mirror_.release(marked, static_cast<std::uint32_t>(content.number()));
      }
      default:
        throw MalformedFrame("an agent says what it says to the emulator alone");
    }
  }

  void push(std::uint64_t marked, Stream& peer) {
    const std::span<const std::byte> data = mirror_.data(marked);
    const std::uint32_t readers = mirror_.readers(marked);
    std::size_t begin = 0;
    do {
      const auto part = data.subspan(begin, std::min(largest_part, data.size() - begin));
      peer.send(FrameKind::block, -1,
                ContentWriter()
                    .number(marked)
                    .number(readers)
                    .number(data.size())
                    .number(begin)
                    .rest(part)
                    .bytes());
      begin += part.size();
    } while (begin < data.size());
  }

  /// Gives ranks the answers whose payloads are here, and asks for those that are not.
  void give_waiting() {
    std::erase_if(waiting_, [this](auto& waiting) {
      auto& [rank, answer] = waiting;
      bool is_whole = true;
      for_each_payload(answer, [&](std::uint64_t& payload) {
        if (is_own(mirror_.owner(payload)) || mirror_.has_copy(payload) || mirror_.is_gone(payload)) {
          asked_for_.erase(payload);
          return;
        }
        is_whole = false;
        if (asked_for_.insert(payload).second)
          peers_[machine_of(mirror_.owner(payload))].add(FrameKind::want, -1,
                                                         ContentWriter().number(payload).bytes());
      });
      if (!is_whole) return false;
      for_each_payload(answer,
                       [](std::uint64_t& payload) { payload = PayloadMirror::without_mark(payload); });
      program_.answer(rank, answer);
      return true;
    });
  }

  template <typename What>
  static void for_each_payload(Answer& answer, const What& what) {
    for (Completed& completed : answer.completed) {
      if (completed.payload != 0) what(completed.payload);
      for (std::uint64_t& deposit : completed.deposits)
        if (deposit != 0) what(deposit);
    }
  }

  void pass_on(Rank rank) {
    if (exited_[index(rank)]) return;
    while (program_.next(rank, operation_)) {
      awaited_.erase(rank);
      if (operation_.payload != 0) {
        operation_.payload = mirror_.mark(operation_.payload);
        const bool goes_elsewhere = operation_.kind == OperationKind::send && operation_.peer >= Rank{0} &&
                                    index(operation_.peer) < setup_.launch.ranks && !is_own(operation_.peer);
        if (goes_elsewhere && mirror_.data(operation_.payload).size() <= largest_pushed)
          push(operation_.payload, peers_[machine_of(operation_.peer)]);
      }
      words_.clear();
      encode(operation_, words_);
      emulator_.add(FrameKind::operation, static_cast<std::int32_t>(rank), as_content(words_));
      if (operation_.kind != OperationKind::exit) continue;
      exited_[index(rank)] = true;
      return;
    }
  }

  /// @return how long it takes at least until there is more to report
  std::chrono::nanoseconds report_progress() {
    std::chrono::nanoseconds longest = longest_sleep;
    std::erase_if(awaited_, [&](const auto& awaited) {
      const auto& [rank, until] = awaited;
      const std::optional<SimTime> computed = program_.computed(rank);
      if (!computed) return false;  // it has said something, which comes first
      if (*computed < until) {
        longest = std::min(longest, processor_time_missing({rank, SimTime(), until}, *computed, settings_));
        return false;
      }
      emulator_.add(FrameKind::progress, static_cast<std::int32_t>(rank),
                    ContentWriter().number(static_cast<std::uint64_t>(computed->ps())).bytes());
      return true;
    });
    return longest;
  }

  void end() {
    const std::uint32_t threads = program_.most_threads();
    const int code = program_.finish();
    ended_ = true;
    emulator_.send(FrameKind::ended, -1,
                   ContentWriter().number(static_cast<std::uint64_t>(code)).number(threads).bytes());
  }

  const AgentSetup& setup_;
  Stream& emulator_;
  Inbox& inbox_;
  Peers& peers_;
  std::vector<Rank> own_;
  std::vector<bool> exited_;  ///< by rank
  ChannelSettings settings_;
  LiveProgram program_;
  PayloadMirror mirror_;
  LetterRelay letters_;
  std::vector<std::pair<Rank, Answer>> waiting_;  ///< for payloads
  std::set<std::uint64_t> asked_for_;             ///< payloads, marked
  std::map<Rank, SimTime> awaited_;               ///< how far the emulator wants ranks to have computed
  Operation operation_;                           // scratch
  std::vector<Word> words_;                       // scratch
  std::size_t begun_ = 0;
  std::atomic<int> lost_peer_{-1};
  std::optional<std::chrono::steady_clock::time_point> lost_since_;
  bool ended_ = false;
};

/// Beside what the agent does: takes what the emulator says, and says that the agent lives.
class EmulatorLine {
 public:
  EmulatorLine(Stream& emulator, Inbox& inbox)
      : emulator_(emulator),
        receiving_(quiet_thread([this, &inbox] {
          Frame frame;
          try {
            while (emulator_.receive(frame)) inbox.put(std::move(frame));
          } catch (const MalformedFrame&) {
          }
          inbox.close();
        })),
        living_(quiet_thread([this] {
          std::unique_lock lock(mutex_);
          while (!ends_.wait_for(lock, between_signs_of_life, [this] { return is_over_; }))
            emulator_.send(FrameKind::alive);
        })) {}
  ~EmulatorLine() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    ends_.notify_all();
    living_.join();
    emulator_.shut();
    receiving_.join();
  }

 private:
  Stream& emulator_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread receiving_, living_;
};

void take_over(const AgentSetup& setup) {
  std::error_code unreachable;
  std::filesystem::current_path(setup.folder, unreachable);
  if (unreachable)
    throw Error(fmt::format("there is no folder {} on {}: the machines of a run must see the same files",
                            setup.folder, own_machine()));
  for (const std::string& variable : setup.environment)
    if (const std::size_t equals = variable.find('='); equals != std::string::npos)
      setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
}

std::string own_secret() {
  const char* const secret = std::getenv(secret_variable);
  if (secret == nullptr) throw Error("an agent is started by 'morgana run --on', not by hand");
  std::string value = secret;
  unsetenv(secret_variable);  // not for the program
  return value;
}

}  // namespace

void find_place(AgentOptions& options) {
  const auto number = [](const char* name) -> std::optional<std::uint32_t> {
    const char* const text = std::getenv(name);
    if (text == nullptr) return std::nullopt;
    return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  };
  auto own = number("PMI_RANK"), all = number("PMI_SIZE");
  if (!own || !all) {
    own = number("SLURM_PROCID");
    all = number("SLURM_NTASKS");
  }
  if (!own || !all) throw Error("an agent is started by 'morgana run --on', not by hand");
  options.number = *own;
  options.agents = *all;
}

int run_agent(const AgentOptions& options) {
  const std::string secret = own_secret();
  Listener listener;
  Stream emulator(Stream::connect(options.addresses, options.port, patience_to_connect));
  emulator.send(FrameKind::hello, -1,
                encode(AgentHello{secret, own_build(), options.number, options.agents, own_machine(),
                                  own_processor(), listener.port(), own_addresses()}));
  emulator.accept_up_to(largest_frame);
  Frame frame;
  if (!emulator.receive(frame) || frame.kind != FrameKind::setup) return EXIT_FAILURE;  // it has said why
  const AgentSetup setup = decode_setup(frame.content);
  Inbox inbox;
  const EmulatorLine line(emulator, inbox);
  const auto fail = [&](int code, const std::string& why) {
    emulator.send(FrameKind::failed, -1,
                  ContentWriter().number(static_cast<std::uint64_t>(code)).text(why).bytes());
    emulator.finish_sending();
    while (!inbox.is_closed()) inbox.sleep(1s);
    return EXIT_FAILURE;
  };
  try {
    const OutputSender output(emulator);
    take_over(setup);
    Peers peers(setup, listener, secret);
    Share share(setup, emulator, inbox, peers);
    while (share.step()) {
    }
  } catch (const Interrupted& interrupted) {
    return fail(128 + interrupted.signal(), interrupted.what());
  } catch (const RankFailed& failure) {
    return fail(failure.exit_code(), failure.what());
  } catch (const Error& error) {
    return fail(0, error.what());
  }
  emulator.finish_sending();
  return EXIT_SUCCESS;
}

}  // namespace morgana
