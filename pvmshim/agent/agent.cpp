#include "pvmshim/agent/agent.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "pvmshim/agent/agent_start.h"
#include "pvmshim/agent/frame_inbox.h"
#include "pvmshim/agent/output_sender.h"
#include "pvmshim/agent/peers.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/share.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/agent/work_order.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/rank_failure.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_to_connect = 5s;

/// Beside what the agent does: takes what the emulator says, and says that the agent lives.
class EmulatorLine {
 public:
  EmulatorLine(Stream& emulator, FrameInbox& inbox)
      : emulator_(emulator),
        receiving_(quiet_thread([this, &inbox] {
          Frame frame;
          try {
            while (emulator_.receive(frame)) inbox.put(std::move(frame));
          } catch (const MalformedFrame&) {
          }
          inbox.close();
        })),
        living_(quiet_thread([this] { give_signs_of_life(); })) {}
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
  /// Each says how much later it leaves than it might have: what this machine's load costs (Silence).
  void give_signs_of_life() {
    using Clock = std::chrono::steady_clock;
    std::unique_lock lock(mutex_);
    for (auto last = Clock::now();
         !ends_.wait_for(lock, between_signs_of_life, [this] { return is_over_; });) {
      const auto now = Clock::now();
      const auto delay = std::max(now - last - between_signs_of_life, Clock::duration::zero());
      last = now;
      emulator_.send(
          FrameKind::alive, -1,
          ContentWriter()
              .number(static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(delay).count()))
              .bytes());
    }
  }

  Stream& emulator_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread receiving_, living_;
};

/// What the launcher sees by it, nothing that this process starts is to hold open.
void keep_launchers_connection() {
  if (const char* const descriptor = std::getenv("PMI_FD"))
    fcntl(static_cast<int>(std::strtol(descriptor, nullptr, 10)), F_SETFD, FD_CLOEXEC);
}

/// @return a socket. @throws Error naming this machine, as others may print at the same time
int connect_to_emulator(const AgentOptions& options) {
  try {
    return Stream::connect(options.addresses, options.port, patience_to_connect);
  } catch (const Error& error) {
    throw Error(fmt::format("the agent on {} ({}) can't reach the run: {}", own_machine(), options.number,
                            error.what()));
  }
}

std::string own_secret() {
  const char* const secret = std::getenv(secret_variable);
  if (secret == nullptr)
    throw Error("an agent is started by a command with --on (morgana run --on mpi), not by hand");
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
  if (!own || !all)
    throw Error("an agent is started by a command with --on (morgana run --on mpi), not by hand");
  options.number = *own;
  options.agents = *all;
}

int run_agent(const AgentOptions& options, const std::function<std::vector<Check>()>& check_machine) {
  const std::string secret = own_secret();
  keep_launchers_connection();
  Listener listener;
  AgentHello hello{secret,
                   own_build(),
                   options.number,
                   options.agents,
                   own_machine(),
                   own_processor(),
                   options.ep_seconds_per_pair,
                   listener.port(),
                   own_addresses(),
                   options.why_not_calibrated};
  Stream emulator(connect_to_emulator(options));
  emulator.send(FrameKind::hello, -1, encode(hello));
  emulator.accept_up_to(largest_frame);
  Frame frame;
  if (!emulator.receive(frame)) {
    // Which may know nothing of this agent yet.
    hello.why_lost = connection_has_closed;
    try {
      Stream again(connect_to_emulator(options));
      again.send(FrameKind::hello, -1, encode(hello));
      again.finish_sending();
    } catch (const Error&) {  // the run is over
    }
    return EXIT_FAILURE;
  }
  if (frame.kind == FrameKind::examine) {
    answer_examination(decode_examination(frame.content), emulator, listener, secret, check_machine);
    return EXIT_SUCCESS;
  }
  if (frame.kind == FrameKind::work) return be_worker(decode_work_order(frame.content), emulator);
  if (frame.kind != FrameKind::setup) return EXIT_FAILURE;
  const AgentSetup setup = decode_setup(frame.content);
  emulator.watch_other_end();
  FrameInbox inbox;
  const EmulatorLine line(emulator, inbox);
  const auto fail = [&](int code, const std::string& why) {
    emulator.send(FrameKind::failed, -1,
                  ContentWriter().number(static_cast<std::uint64_t>(code)).text(why).bytes());
    emulator.finish_sending();
    while (!inbox.is_closed()) {
      inbox.take();
      inbox.sleep(1s);
    }
    return EXIT_FAILURE;
  };
  try {
    const OutputSender output(emulator);
    take_over(setup.folder, setup.environment);
    Peers peers(setup, listener, secret, [&inbox] { return inbox.is_over(); });
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
