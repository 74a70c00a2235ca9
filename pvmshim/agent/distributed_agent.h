#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pvmshim/agent/distributed_program.h"
#include "pvmshim/agent/silence.h"

namespace morgana {

/// As the emulator sees it.
struct DistributedProgram::Agent {
  explicit Agent(ArrivedAgent arrived)
      : connection(std::move(arrived.stream)), stream(*connection), hello(std::move(arrived.hello)) {}

  std::unique_ptr<Stream> connection;
  Stream& stream;
  AgentHello hello;
  std::thread thread;
  std::vector<std::pair<std::int32_t, Operation>> said;  ///< by its ranks, and not handed over; its thread's
  std::vector<Word> words;                               ///< scratch of its thread
  // Guarded by the program's mutex.
  std::size_t begun = 0;
  std::vector<Rank> ranks;
  std::optional<int> exit_code;
  std::uint32_t threads = 1;
  Silence silence;
  bool has_left = false;
  std::optional<std::string> told_name;
  std::vector<std::uint64_t> sent;  ///< messages to each other agent
  std::vector<std::uint64_t> told;  ///< how many from each have been announced to it
};

}  // namespace morgana
