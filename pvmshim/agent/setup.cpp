#include "pvmshim/agent/setup.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "pvmshim/channel/channel_memory.h"

namespace morgana {

void put_texts(ContentWriter& to, std::span<const std::string> texts) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> texts_from(ContentReader& from) {
  std::vector<std::string> all(from.count());
  for (std::string& text : all) text = from.text();
  return all;
}

namespace {

void put(ContentWriter& to, const std::vector<std::uint32_t>& numbers) {
  to.number(numbers.size());
  for (const std::uint32_t number : numbers) to.number(number);
}
std::vector<std::uint32_t> numbers(ContentReader& from) {
  std::vector<std::uint32_t> all(from.count());
  for (std::uint32_t& number : all) number = static_cast<std::uint32_t>(from.number());
  return all;
}

void put(ContentWriter& to, const RankProgram& program) {
  put_texts(to, program.command);
  to.number(program.ranks);
  to.number(program.environment.size());
  for (const auto& [name, value] : program.environment) to.text(name).text(value);
}
RankProgram program(ContentReader& from) {
  RankProgram one;
  one.command = texts_from(from);
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
      .number(launch.receives_take_no_time ? 1 : 0)
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
  launch.receives_take_no_time = from.number() != 0;
  launch.page_faults_suspend_threads = from.number() != 0;
  launch.processors_are_shared = from.number() != 0;
  launch.payload_room = Bytes(static_cast<std::int64_t>(from.number()));
  return launch;
}

/// The first 8 bytes of the hash that the linker has put into this program (NT_GNU_BUILD_ID); 0: it has none.
std::uint64_t linkers_number() {
  std::uint64_t number = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* to) {
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = program->dlpi_phdr[i];
          if (part.p_type != PT_NOTE) continue;
          const auto* note = reinterpret_cast<const std::byte*>(program->dlpi_addr + part.p_vaddr);
          const std::byte* const end = note + part.p_memsz;
          while (note + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) head;
            std::memcpy(&head, note, sizeof head);
            const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
            const std::byte* const content = note + sizeof head + padded(head.n_namesz);
            if (head.n_type == NT_GNU_BUILD_ID && head.n_descsz >= sizeof(std::uint64_t)) {
              std::memcpy(to, content, sizeof(std::uint64_t));
              return 1;
            }
            note = content + padded(head.n_descsz);
          }
        }
        return 1;  // the first is this program; no other matters
      },
      &number);
  return number;
}

}  // namespace

std::uint64_t own_build() {
  return channel_layout ^ (std::uint64_t{sizeof(LaunchOptions)} << 48) ^ channel_magic ^ linkers_number();
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
  to.text(hello.machine).text(hello.processor);
  to.number(std::bit_cast<std::uint64_t>(hello.ep_seconds_per_pair)).number(hello.port);
  put_texts(to, hello.addresses);
  to.text(hello.why_not_calibrated).text(hello.why_lost);
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
  if (hello.build != own_build()) return hello;  // which may say other things from here on
  hello.processor = from.text();
  hello.ep_seconds_per_pair = std::bit_cast<double>(from.number());
  hello.port = static_cast<std::uint16_t>(from.number());
  hello.addresses = texts_from(from);
  hello.why_not_calibrated = from.text();
  hello.why_lost = from.text();
  return hello;
}

void take_over(const std::string& folder, std::span<const std::string> environment) {
  std::error_code unreachable;
  std::filesystem::current_path(folder, unreachable);
  if (unreachable)
    throw Error(fmt::format("there is no folder {} on {}: the machines of a run must see the same files",
                            folder, own_machine()));
  for (const std::string& variable : environment)
    if (const std::size_t equals = variable.find('='); equals != std::string::npos)
      setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
}

AgentSetup::Peer peer_of(const AgentHello& hello, const Stream& stream) {
  AgentSetup::Peer peer{{stream.address()}, hello.port};
  peer.addresses.insert(peer.addresses.end(), hello.addresses.begin(), hello.addresses.end());
  return peer;
}

void put_agents(ContentWriter& to, std::span<const AgentSetup::Peer> agents) {
  to.number(agents.size());
  for (const AgentSetup::Peer& peer : agents) {
    put_texts(to, peer.addresses);
    to.number(peer.port);
  }
}

std::vector<AgentSetup::Peer> agents_from(ContentReader& from) {
  std::vector<AgentSetup::Peer> agents(from.count());
  for (AgentSetup::Peer& peer : agents) {
    peer.addresses = texts_from(from);
    peer.port = static_cast<std::uint16_t>(from.number());
  }
  return agents;
}

std::vector<std::byte> encode(const AgentSetup& setup) {
  ContentWriter to;
  to.number(setup.number);
  put_agents(to, setup.agents);
  to.text(setup.folder);
  put_texts(to, setup.environment);
  put(to, setup.launch);
  to.number(setup.runs_tasks ? 1 : 0);
  return to.bytes();
}

AgentSetup decode_setup(std::span<const std::byte> content) {
  ContentReader from(content);
  AgentSetup setup;
  setup.number = static_cast<std::uint32_t>(from.number());
  setup.agents = agents_from(from);
  if (setup.number >= setup.agents.size()) throw MalformedFrame("an agent that is none of all");
  setup.folder = from.text();
  setup.environment = texts_from(from);
  setup.launch = launch_options(from);
  setup.runs_tasks = from.number() != 0;
  return setup;
}

}  // namespace morgana
