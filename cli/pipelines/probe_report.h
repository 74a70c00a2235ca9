#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/pipeline/probe.h"
#include "emulator/platform/platform_hint.h"
#include "runs/platform_probe.h"

namespace morgana::cli {

/// What `morgana probe` is asked for.
struct ProbeOptions {
  std::string platform;
  std::vector<std::string> overrides;
  std::string least = "1 KiB", most = "64 KiB", bound = "5 %";
  std::optional<std::string> bytes;
  std::uint64_t burst = 16, seed = 1;
  std::string json, csv, plot;
  bool quiet = false;
};

/// A message cut as the measured parameters say, and really sent so.
struct ProbedMessage {
  Bytes size;
  std::size_t fragments = 1;
  pipeline::RealTime predicted, measured;              ///< so cut
  pipeline::RealTime whole_predicted, whole_measured;  ///< as one
};

struct ProbeReport {
  std::string platform;
  pipeline::ProbeSettings settings;
  pipeline::ProbeResult result;
  /// Direct instrumentation, by range; none where no message of the range goes at once.
  std::vector<std::vector<PlatformProbe::Stage>> stages;
  ProbedMessage message;
  /// Sentences: where and why it is no good pipeline; none if it is one.
  std::vector<std::string> objections;
  std::vector<std::string> notes;        ///< what else is to be known
  std::vector<PlatformHint> hints = {};  ///< Platform::hints()
};

/// @throws Error for what can't be probed
ProbeReport probe_report(const ProbeOptions& options);

/// Of directly instrumented stages, the one that keeps fragments of that size waiting longest.
const PlatformProbe::Stage& slowest(const std::vector<PlatformProbe::Stage>& stages,
                                    pipeline::RealBytes size);
/// A size in the middle of a range, by quotients.
pipeline::RealBytes middle(const pipeline::ProbedRange& range);

std::string probe_text(const ProbeReport& report);
std::string probe_json(const ProbeReport& report);
/// What was measured, and the straight lines.
std::string probe_csv(const ProbeReport& report);
void draw_probe(const std::string& file, const ProbeReport& report);

}  // namespace morgana::cli
