#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/agent/machines.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/stream.h"

namespace morgana {

/// One thing that Morgana needs of a machine, and whether it is there.
struct Check {
  /// `failed`: it was tried, and what it needs is not known.
  enum class State { ok, warning, missing, failed };
  State state;
  std::string what;
  std::string detail;  ///< what was found
  std::string mend;    ///< what to do about it, empty if ok
};

/// What an agent is to look at where machines are examined before a run.
struct ExaminationOrder {
  std::uint32_t number = 0;              ///< of the agent among all
  std::vector<AgentSetup::Peer> agents;  ///< by number
  std::string folder;                    ///< in which a run would start
  std::string file;     ///< of this examination, in that folder; empty: none could be written
  std::string content;  ///< of the file
};

/// Whether an agent has reached another one.
struct ReachedAgent {
  std::uint32_t agent = 0;
  double round_trip = 0;  ///< s, the shortest of several
  std::string why_not;    ///< empty: it was reached
};

/// What an agent has found.
struct Findings {
  std::vector<Check> checks;          ///< of its machine
  double work = 0;                    ///< CPU time, s, of work that is the same on all machines
  std::string no_files;               ///< why it does not see the folder and the file; empty: it does
  std::vector<ReachedAgent> reached;  ///< those of lower numbers: in a run it connects to them
};

/// A machine that was examined.
struct ExaminedMachine {
  AgentHello hello;
  double round_trip = 0;  ///< s, to this process and back, the shortest of several
  bool has_file = false;  ///< whether there was one to be looked for in the folder
  Findings findings;
  std::string silent;  ///< why there are no findings; empty: there are
};

/// Starts an agent on each machine, has it look around, and ends it.
/// @param told  called with what is being done
/// @return by the agents' numbers. @throws Error if they can't be started, or not all come; Interrupted
std::vector<ExaminedMachine> examine(const Machines& machines,
                                     const std::function<void(const std::string&)>& told);

/// Does so as an agent, until the emulator's process says that it is over or is gone.
/// @param listener  where agents of higher numbers find this one
/// @param check_machine  what is looked at on this machine alone
void answer_examination(const ExaminationOrder& order, Stream& emulator, Listener& listener,
                        const std::string& secret, const std::function<std::vector<Check>()>& check_machine);

std::vector<std::byte> encode(const ExaminationOrder& order);
std::vector<std::byte> encode(const Findings& findings);
/// @throws MalformedFrame
ExaminationOrder decode_examination(std::span<const std::byte> content);
Findings decode_findings(std::span<const std::byte> content);

}  // namespace morgana
