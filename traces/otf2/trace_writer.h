#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// What a trace says of the run that it recorded.
struct TraceProperties {
  std::string program;               ///< command line
  std::string platform;              ///< "native" for a capture
  double compute_scale = 1.0;        ///< by which recorded compute times have been multiplied already
  std::vector<std::string> host_of;  ///< host's name by rank, of those that run from the start on
  std::size_t services = 0;          ///< ranks 0 to services - 1 only serve the others
  std::size_t ranks_at_start = 0;    ///< read from a trace: how many ranks run from the start on
  bool tags_name_endpoints = false;  ///< of messages of libmorgana-am (EndpointTag)
  bool built_for_openmpi = false;    ///< its programs need Open MPI's library, all of them
  /// Ranks of its execution trace waited for switches that add up: these waits last as long as recorded.
  bool waits_for_switches = false;
  std::string broken_off = {};  ///< read from a trace: what ended the run before its end; or empty
};

/// The name of a modelled platform's host.
std::string modelled_host_name(std::size_t host);

struct NetworkMetrics;

/// Writes a run as an OTF2 trace (Score-P's conventions), from what an observer sees alone; whether the run
/// was emulated, replayed or captured. Clock: picoseconds. What OTF2's records don't say (wildcards, per-peer
/// sizes, request sets of unsuccessful tests) stands in attributes, so that a replay can repeat the run
/// exactly. The folder appears under its name only when finish() has succeeded: nothing half-written is left.
class TraceWriter : public OperationObserver {
 public:
  /// @param folder  must not exist, or be an OTF2 trace of ours and hold nothing else (replaced by finish())
  TraceWriter(const std::filesystem::path& folder, const TraceProperties& properties);
  ~TraceWriter() override;
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;
  /// What the network did meanwhile. Before finish(); replays of the trace take no notice of it.
  void add(NetworkMetrics metrics);
  /// @param broken_off  what has ended the run before its end ("a deadlock"): the calls that its ranks are in
  /// have no end in the trace; empty: it went to its end
  /// @return a sentence for the user if an older trace has given way to this one; else nothing
  std::string finish(const std::string& broken_off = {});

 private:
  // OTF2's headers, which are C and define macros, stay out of what includes this.
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
