#include "pvmshim/agent/setup.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <fstream>

#include "pvmshim/agent/frame.h"
#include "pvmshim/channel/channel_memory.h"

namespace morgana {
namespace {

void put(ContentWriter& to, const std::vector<std::string>& texts) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}
void put(ContentWriter& to, const std::vector<std::uint32_t>& numbers) {
  to.number(numbers.size());
  for (const std::uint32_t number : numbers) to.number(number);
}
std::vector<std::string> texts(ContentReader& from) {
  std::vector<std::string> all(from.count());
  for (std::string& text : all) text = from.text();
  return all;
}
std::vector<std::uint32_t> numbers(ContentReader& from) {
  std::vector<std::uint32_t> all(from.count());
  for (std::uint32_t& number : all) number = static_cast<std::uint32_t>(from.number());
  return all;
}

void put(ContentWriter& to, const RankProgram& program) {
  put(to, program.command);
  to.number(program.ranks);
  to.number(program.environment.size());
  for (const auto& [name, value] : program.environment) to.text(name).text(value);
}
RankProgram program(ContentReader& from) {
  RankProgram one;
  one.command = texts(from);
  if (one.command.empty()) throw MalformedFrame("a program without a name");
  one.ranks = static_cast<std::size_t>(from.number());
  one.environment.resize(from.count());
  for (auto& [name, value] : one.environment) {
    name = from.text();
    value = from.text();
  }
  return one;
}

void put(ContentWriter& to, const LaunchOptions& launch) {
  const std::vector<RankProgram> programs = programs_of(launch);
  to.number(programs.size());
  for (const RankProgram& one : programs) put(to, one);
  to.number(launch.ranks).number(launch.share.ranks.size());
  for (const int rank : launch.share.ranks) to.number(static_cast<std::uint64_t>(rank));
  put(to, launch.machine_of);
  put(to, launch.host_of);
  to.number(static_cast<std::uint64_t>(static_cast<std::int64_t>(launch.input)))
      .number(static_cast<std::uint64_t>(launch.mpi))
      .number(static_cast<std::uint64_t>(launch.compute))
      .number(std::bit_cast<std::uint64_t>(launch.compute_scale))
      .number(launch.cores_per_rank)
      .number(static_cast<std::uint64_t>(launch.least_distance.ps()))
      .number(static_cast<std::uint64_t>(launch.least_distance_between_hosts.ps()))
      .number(launch.epoch_s ? 1 : 0)
      .number(static_cast<std::uint64_t>(launch.epoch_s.value_or(0)))
      .number(launch.messages_are_certain ? 1 : 0)
      .number(launch.messages_may_return ? 1 : 0)
      .number(launch.page_faults_suspend_threads ? 1 : 0)
      .number(launch.processors_are_shared ? 1 : 0)
      .number(static_cast<std::uint64_t>(launch.payload_room.count()));
}

LaunchOptions launch_options(ContentReader& from) {
  LaunchOptions launch;
  launch.programs.resize(from.count());
  if (launch.programs.empty()) throw MalformedFrame("a run without a program");
  for (RankProgram& one : launch.programs) one = program(from);
  launch.command = launch.programs.front().command;
  launch.ranks = static_cast<std::size_t>(from.number());
  launch.share.of = launch.ranks;
  launch.share.ranks.resize(from.count());
  for (int& rank : launch.share.ranks) rank = static_cast<int>(from.number());
  launch.machine_of = numbers(from);
  launch.host_of = numbers(from);
  if (launch.machine_of.size() != launch.ranks || launch.host_of.size() != launch.ranks)
    throw MalformedFrame("a rank has no place");
  launch.input = static_cast<int>(static_cast<std::int64_t>(from.number()));
  launch.mpi = static_cast<MpiChoice>(from.number());
  launch.compute = static_cast<ComputeMode>(from.number());
  launch.compute_scale = std::bit_cast<double>(from.number());
  launch.cores_per_rank = static_cast<std::uint32_t>(from.number());
  launch.least_distance = SimTime::from_ps(static_cast<std::int64_t>(from.number()));
  launch.least_distance_between_hosts = SimTime::from_ps(static_cast<std::int64_t>(from.number()));
  const bool has_epoch = from.number() != 0;
  const auto epoch = static_cast<std::int64_t>(from.number());
  if (has_epoch) launch.epoch_s = epoch;
  launch.messages_are_certain = from.number() != 0;
  launch.messages_may_return = from.number() != 0;
  launch.page_faults_suspend_threads = from.number() != 0;
  launch.processors_are_shared = from.number() != 0;
  launch.payload_room = Bytes(static_cast<std::int64_t>(from.number()));
  return launch;
}

}  // namespace

std::uint64_t own_build() {
  return channel_layout ^ (std::uint64_t{sizeof(LaunchOptions)} << 48) ^ channel_magic;
}

std::string own_machine() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

std::string own_processor() {
  std::ifstream about("/proc/cpuinfo");
  for (std::string line; std::getline(about, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "";
}

std::vector<std::byte> encode(const AgentHello& hello) {
  ContentWriter to;
  to.text(hello.secret).number(hello.build).number(hello.number).number(hello.agents);
  to.text(hello.machine).text(hello.processor).number(hello.port);
  put(to, hello.addresses);
  return to.bytes();
}

AgentHello decode_hello(std::span<const std::byte> content) {
  ContentReader from(content);
  AgentHello hello;
  hello.secret = from.text();
  hello.build = from.number();
  hello.number = static_cast<std::uint32_t>(from.number());
  hello.agents = static_cast<std::uint32_t>(from.number());
  hello.machine = from.text();
  hello.processor = from.text();
  hello.port = static_cast<std::uint16_t>(from.number());
  hello.addresses = texts(from);
  return hello;
}

std::vector<std::byte> encode(const AgentSetup& setup) {
  ContentWriter to;
  to.number(setup.number).number(setup.agents.size());
  for (const AgentSetup::Peer& peer : setup.agents) {
    put(to, peer.addresses);
    to.number(peer.port);
  }
  to.text(setup.folder);
  put(to, setup.environment);
  put(to, setup.launch);
  return to.bytes();
}

AgentSetup decode_setup(std::span<const std::byte> content) {
  ContentReader from(content);
  AgentSetup setup;
  setup.number = static_cast<std::uint32_t>(from.number());
  setup.agents.resize(from.count());
  for (AgentSetup::Peer& peer : setup.agents) {
    peer.addresses = texts(from);
    peer.port = static_cast<std::uint16_t>(from.number());
  }
  if (setup.number >= setup.agents.size()) throw MalformedFrame("an agent that is none of all");
  setup.folder = from.text();
  setup.environment = texts(from);
  setup.launch = launch_options(from);
  return setup;
}

}  // namespace morgana
