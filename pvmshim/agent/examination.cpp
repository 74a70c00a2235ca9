#include "pvmshim/agent/examination.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "pvmshim/agent/agent_start.h"
#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_with_agents = 3s;
/// Not all agents have to come, and a machine's checks may take their time.
constexpr auto longest_start = 60s, longest_look = 90s;
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
  Echo(Listener& listener, const std::string& secret)
      : accepting_(quiet_thread([this, &listener, secret] {
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
  explicit ProbeFile(const std::string& content) {
    const int file = mkstemp(path_.data());
    if (file < 0) {
      path_.clear();
      return;
    }
    const bool is_written =
        write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
        fsync(file) == 0;
    close(file);
    if (!is_written) remove();
  }
  ~ProbeFile() { remove(); }
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;

  const std::string& name() const { return path_; }

 private:
  void remove() {
    if (!path_.empty()) unlink(path_.c_str());
    path_.clear();
  }

  std::string path_ = ".morgana-doctor-XXXXXX";
};

void take_findings(ArrivedAgent& agent, ExaminedMachine& machine) {
  try {
    Frame frame;
    if (!agent.stream->receive_within(frame, longest_look) || frame.kind != FrameKind::examined)
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
  AgentStart start(machines);
  const auto begun = std::chrono::steady_clock::now();
  std::vector<ArrivedAgent> agents = start.gather([&](std::span<const ArrivedAgent> come) {
    told(come.empty() ? fmt::format("{} starts agents", start.starter())
                      : fmt::format("{} of {} agents have come", come.size(), come.front().hello.agents));
    if (std::chrono::steady_clock::now() - begun > longest_start)
      throw Error(fmt::format(
          "{} after {} s: can all machines reach this one, and is Morgana installed there?",
          come.empty() ? std::string("no agent has come")
                       : fmt::format("{} of {} agents have come", come.size(), come.front().hello.agents),
          longest_start.count()));
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
  const Echo echo(listener, secret);
  Findings findings;
  findings.checks = check_machine();
  findings.work = time_of_work();
  findings.no_files = why_no_files(order);
  for (std::uint32_t other = 0; other < order.number; ++other)
    findings.reached.push_back(reach(order, other, secret));
  emulator.send(FrameKind::examined, -1, encode(findings));
  Frame frame;
  while (emulator.receive(frame) && frame.kind == FrameKind::probe) emulator.send(FrameKind::probe);
}

}  // namespace morgana
