#include "pvmshim/agent/examination.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "emulator/core/unfinished_path.h"
#include "pvmshim/agent/agent_start.h"
#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_with_agents = 3s;
/// For the first, and from each to the next: less than a run's, as it is only asked whether they come.
constexpr auto longest_wait_for_agents = 30s;
/// A machine's checks may take their time.
constexpr auto longest_look = 120s;
constexpr int round_trips = 50;

/// The shortest round trip of a probe, s. @throws Error if one does not come back
double shortest_round_trip(Stream& stream) {
  auto shortest = std::chrono::steady_clock::duration::max();
  Frame frame;
  for (int i = 0; i < round_trips; ++i) {
    const auto sent = std::chrono::steady_clock::now();
    stream.send(FrameKind::probe);
    if (!stream.receive_within(frame, patience_with_agents) || frame.kind != FrameKind::probe)
      throw Error("a probe did not come back");
    shortest = std::min(shortest, std::chrono::steady_clock::now() - sent);
  }
  return std::chrono::duration<double>(shortest).count();
}

/// CPU time of work that takes some 10 ms, s: the least of several, as whatever disturbs only adds to it.
double time_of_work() {
  constexpr int attempts = 5;
  constexpr std::uint64_t steps = 2'000'000;
  double least = HUGE_VAL;
  for (int i = 0; i < attempts; ++i) {
    timespec begun{}, ended{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    std::uint64_t number = 1;
    double sum = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
      number = number * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
      sum += std::sqrt(static_cast<double>(number >> 11U));
    }
    [[maybe_unused]] const volatile double kept = sum;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    least = std::min(least, static_cast<double>(ended.tv_sec - begun.tv_sec) +
                                1e-9 * static_cast<double>(ended.tv_nsec - begun.tv_nsec));
  }
  return least;
}

std::string why_no_files(const ExaminationOrder& order) {
  std::error_code error;
  if (!std::filesystem::is_directory(order.folder, error)) return fmt::format("there is no {}", order.folder);
  if (order.file.empty()) return "";
  std::ifstream file(std::filesystem::path(order.folder) / order.file);
  if (!file) return fmt::format("{} there is another one: it lacks a file just written", order.folder);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return content == order.content ? "" : fmt::format("a file just written in {} is not whole", order.folder);
}

/// Sends back what agents of higher numbers send.
class Echo {
 public:
  /// @param agents  as many may connect
  Echo(Listener& listener, const std::string& secret, std::size_t agents)
      : most_(2 * agents), accepting_(quiet_thread([this, &listener, secret] {
          while (!is_over_)
            if (const auto socket = listener.accept_within(100ms)) answer(*socket, secret);
        })) {}
  ~Echo() {
    is_over_ = true;
    accepting_.join();
    for (const auto& stream : streams_) stream->shut();
    for (std::thread& thread : answering_) thread.join();
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

 private:
  void answer(int socket, const std::string& secret) {
    if (streams_.size() == most_) {  // strangers
      ::close(socket);
      return;
    }
    Stream& stream = *streams_.emplace_back(std::make_unique<Stream>(socket));
    answering_.push_back(quiet_thread([&stream, secret] {
      Frame frame;
      try {
        if (!stream.receive_within(frame, patience_with_agents) || frame.kind != FrameKind::peer ||
            !is_same_secret(ContentReader(frame.content).text(), secret))
          return stream.shut();
        while (stream.receive(frame))
          if (frame.kind == FrameKind::probe) stream.send(FrameKind::probe);
      } catch (const Error&) {
      }
      stream.shut();
    }));
  }

  std::atomic<bool> is_over_{false};
  const std::size_t most_;
  std::vector<std::unique_ptr<Stream>> streams_;  // of the accepting thread, until it has ended
  std::vector<std::thread> answering_;
  std::thread accepting_;
};

ReachedAgent reach(const ExaminationOrder& order, std::uint32_t number, const std::string& secret) {
  ReachedAgent reached{number, 0, ""};
  const AgentSetup::Peer& peer = order.agents[number];
  try {
    Stream stream(Stream::connect(peer.addresses, peer.port, patience_with_agents));
    stream.send(FrameKind::peer, static_cast<std::int32_t>(order.number),
                ContentWriter().text(secret).bytes());
    reached.round_trip = shortest_round_trip(stream);
    stream.shut();
  } catch (const Error& error) {
    reached.why_not = error.what();
  }
  return reached;
}

/// A file in the folder in which a run would start, while this object lives.
class ProbeFile {
 public:
  explicit ProbeFile(const std::string& content)
      : name_(".morgana-doctor-" + new_secret()), unfinished_(name_) {
    std::ofstream file(name_);
    file << content << std::flush;
    is_there_ = file.good();
  }
  ~ProbeFile() { unlink(name_.c_str()); }
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;

  /// Empty if it could not be written.
  std::string name() const { return is_there_ ? name_ : ""; }

 private:
  std::string name_;
  UnfinishedPath unfinished_;
  bool is_there_ = false;
};

void take_findings(ArrivedAgent& agent, ExaminedMachine& machine) {
  try {
    Frame frame;
    if (!agent.stream->receive_within(frame, longest_look, throw_if_interrupted) ||
        frame.kind != FrameKind::examined)
      throw Error("its agent has ended early");
    machine.findings = decode_findings(frame.content);
    machine.round_trip = shortest_round_trip(*agent.stream);
  } catch (const Error& error) {
    machine.silent = error.what();
  }
}

}  // namespace

std::vector<ExaminedMachine> examine(const Machines& machines,
                                     const std::function<void(const std::string&)>& told) {
  AgentStart start(machines, Guardian::Input::inherited_as(-1));
  AgentStart::Patience patience = AgentStart::patience_of(machines.engine);
  if (patience.first) patience.first = longest_wait_for_agents;
  patience.between = longest_wait_for_agents;
  std::vector<ArrivedAgent> agents = start.gather(patience, [&](std::span<const ArrivedAgent> come) {
    told(come.empty() ? fmt::format("{} starts agents", start.starter())
                      : fmt::format("{} of {} agents have come", come.size(), come.front().hello.agents));
  });
  ExaminationOrder order;
  order.folder = std::filesystem::current_path().string();
  order.content = new_secret();
  const ProbeFile file(order.content);
  order.file = file.name();
  for (const ArrivedAgent& agent : agents) order.agents.push_back(peer_of(agent.hello, *agent.stream));
  for (const ArrivedAgent& agent : agents) {
    order.number = agent.hello.number;
    agent.stream->send(FrameKind::examine, -1, encode(order));
  }
  std::vector<ExaminedMachine> all;
  for (ArrivedAgent& agent : agents) {
    throw_if_interrupted();
    told(fmt::format("looking at {}", agent.hello.machine));
    ExaminedMachine& machine = all.emplace_back();
    machine.hello = agent.hello;
    machine.has_file = !order.file.empty();
    take_findings(agent, machine);
  }
  for (const ArrivedAgent& agent : agents) {
    agent.stream->send(FrameKind::quit);
    agent.stream->shut();
  }
  start.end();
  return all;
}

void answer_examination(const ExaminationOrder& order, Stream& emulator, Listener& listener,
                        const std::string& secret, const std::function<std::vector<Check>()>& check_machine) {
  const Echo echo(listener, secret, order.agents.size());
  Findings findings;
  findings.checks = check_machine();
  findings.work = time_of_work();
  findings.no_files = why_no_files(order);
  findings.reached.resize(order.number);
  std::vector<std::thread> reaching;  // at once: one that can't be reached takes its time
  for (std::uint32_t other = 0; other < order.number; ++other)
    reaching.push_back(quiet_thread([&, other] { findings.reached[other] = reach(order, other, secret); }));
  for (std::thread& thread : reaching) thread.join();
  emulator.send(FrameKind::examined, -1, encode(findings));
  Frame frame;
  while (emulator.receive(frame) && frame.kind == FrameKind::probe) emulator.send(FrameKind::probe);
}

}  // namespace morgana
