#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/time.h"

namespace morgana {

/// A job of several that ran on one network.
struct JobResult {
  std::string name;              ///< the trace
  std::size_t ranks = 0;         ///< of its own
  std::size_t hosts = 0;         ///< on which they ran
  std::size_t first_host = 0;    ///< the lowest of these
  SimTime start;                 ///< of its ranks
  SimTime end;                   ///< of its last rank; where it stands still, of what ended last
  bool stands_still = false;     ///< some of its ranks wait for what never comes
  std::uint32_t times = 1;       ///< how often it ran, one run after the other
  double communication_share{};  ///< of its ranks' time, 0 to 1
  std::vector<std::int64_t> host_numbers = {};  ///< of the hosts on which they ran, ascending
  /// What it takes on the same hosts without the other jobs, if that was asked for and it ran once.
  std::optional<SimTime> alone = {};
  SimTime time() const { return end - start; }
};

/// For the summary: "648.4 us: a2a.otf2, 16 ranks on 16 hosts from host 0 on"; "648.4 us, 23.1 % longer than
/// the 526.6 us that it takes alone: ..."; "stands still since 1.000 us: ...", which counts from the run's
/// start.
std::string job_text(const JobResult& job);
/// A list: subject, ranks, hosts, first_host, start_ps, end_ps, stands_still, times, communication_share;
/// alone_ps if known.
nlohmann::ordered_json jobs_json(std::span<const JobResult> jobs);

}  // namespace morgana
