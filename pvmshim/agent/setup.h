#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/launch/mpi/live_program.h"

namespace morgana {

/// Who an agent is, as it says first.
struct AgentHello {
  std::string secret;
  std::uint64_t build = 0;         ///< own_build()
  std::uint32_t number = 0;        ///< of the agent, as what has started it says
  std::uint32_t agents = 0;        ///< how many that has started; 0: it does not say
  std::string machine;             ///< its name
  std::string processor;           ///< its model
  double ep_seconds_per_pair = 0;  ///< by `morgana calibrate` there (s); 0: not measured
  std::uint16_t port = 0;          ///< where it waits for the other agents
  std::vector<std::string> addresses;
  std::string why_not_calibrated = {};  ///< as UsableCalibration::why_not
  /// What became of the connection over which it greeted before; empty: it did not.
  std::string why_lost = {};
};

/// What an agent is to start, and whom it is to know.
struct AgentSetup {
  std::uint32_t number = 0;  ///< of the agent among all
  struct Peer {
    std::vector<std::string> addresses;
    std::uint16_t port = 0;
  };
  std::vector<Peer> agents;  ///< by number
  std::string folder;        ///< in which the program starts
  std::vector<std::string> environment;
  LaunchOptions launch;  ///< `share` and `machine_of` say which ranks are the agent's
  /// Ranks are tasks of a PVM program, which begin while it runs.
  bool runs_tasks = false;
};

/// Goes to a folder of another machine's process, and takes its variables. @throws Error if there is none
void take_over(const std::string& folder, std::span<const std::string> environment);

void put_texts(ContentWriter& to, std::span<const std::string> texts);
/// @throws MalformedFrame
std::vector<std::string> texts_from(ContentReader& from);
/// How other agents find an agent. @param stream  its own, to the emulator
AgentSetup::Peer peer_of(const AgentHello& hello, const Stream& stream);
void put_agents(ContentWriter& to, std::span<const AgentSetup::Peer> agents);
/// @throws MalformedFrame
std::vector<AgentSetup::Peer> agents_from(ContentReader& from);

/// Differs between builds whose processes would not understand each other.
std::uint64_t own_build();
/// This machine's.
std::string own_machine();
std::string own_processor();

std::vector<std::byte> encode(const AgentHello& hello);
std::vector<std::byte> encode(const AgentSetup& setup);
/// @throws MalformedFrame
AgentHello decode_hello(std::span<const std::byte> content);
AgentSetup decode_setup(std::span<const std::byte> content);

}  // namespace morgana
