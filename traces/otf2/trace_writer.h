#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// The properties of a recorded run that its trace stores.
struct TraceProperties {
  std::string program;               ///< the command line
  std::string platform;              ///< the platform's name; "native" for a capture
  double compute_scale = 1.0;        ///< the trace's compute times are measured times x this; > 0, <= 1e12
  std::vector<std::string> host_of;  ///< by rank: its host's name; without ranks that are spawned later
  std::size_t services = 0;          ///< ranks 0 to services - 1 only serve the others (PVM's daemon)
  std::size_t ranks_at_start = 0;    ///< ranks that are not spawned. Set by readers; TraceWriter ignores it
  bool tags_name_endpoints = false;  ///< message tags are EndpointTags of libmorgana-am
  bool built_for_openmpi = false;    ///< all programs of the run are built for Open MPI
  /// The run replayed an execution trace with reductions in switches (NVLS, CollNet). The messages to and
  /// from the switches are not in this trace, only the ranks' waits for them, and a replay repeats these
  /// waits with their recorded lengths.
  bool waits_for_switches = false;
  /// Why the run stopped early ("a deadlock"); empty: it ran to its end. Set by readers;
  /// TraceWriter::finish() has it as a parameter.
  std::string broken_off = {};
};

/// The name of a host of a modelled platform: "host3" for number 3.
std::string modelled_host_name(std::size_t host);

struct NetworkMetrics;

/// Writes an emulated, replayed or captured run as an OTF2 trace with Score-P's conventions, from an
/// observer's calls alone. Timestamps are in picoseconds. OTF2 attributes hold what its records have no field
/// for (wildcards, per-peer sizes, request sets of unsuccessful tests), so that a replay can repeat the run
/// exactly. The folder appears at its place only when finish() has succeeded. A writer that is destroyed
/// before that removes what it has written.
class TraceWriter : public OperationObserver {
 public:
  /// @param folder  is created by finish(). It must not exist, be empty, or hold nothing but an OTF2 trace of
  /// Morgana, which finish() replaces
  /// @throws Error if the folder holds anything else, or the trace can't be written
  TraceWriter(const std::filesystem::path& folder, const TraceProperties& properties);
  ~TraceWriter() override;
  /// @throws Error if there is no such rank, an operation goes back in time, or the trace can't be written
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;
  /// Sets the network's metrics over the run, before finish(). Replays of the trace ignore them.
  void add(NetworkMetrics metrics);
  /// Writes the definitions and moves the folder to its place. To be called once, after all operations.
  /// @param broken_off  why the run stopped early ("a deadlock"), when a rank may be inside a call; empty:
  /// the run ended
  /// @return a sentence for the user if this trace has replaced an older one; else empty
  /// @throws Error if the trace can't be written or moved. In the second case the sentence names the folder
  /// that holds it
  std::string finish(const std::string& broken_off = {});

 private:
  // Keeps OTF2's headers, which are C and define macros, out of the files that include this one.
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
