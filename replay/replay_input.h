#pragma once

#include <filesystem>
#include <functional>
#include <memory>

namespace morgana {

class DependencyGraph;
class TraceTranslation;

/// What a replay runs, read once for any number of replays: a recorded trace, or a schedule. One of the two.
struct ReplayInput {
  std::shared_ptr<const TraceTranslation> trace;
  std::shared_ptr<const DependencyGraph> schedule;
};

/// Of a replay's time, what reading its input is reckoned to take.
constexpr double reading_share = 0.25;

/// Reads a trace (the folder or its .otf2 file) or a schedule (GOAL) for replays.
/// @param progress  as that of a replay, which this is the first part of; may be empty
/// @throws Error for what can't be opened, and for schedules that can't be read
std::shared_ptr<const ReplayInput> read_trace(const std::filesystem::path& trace,
                                              const std::function<void(double)>& progress);

}  // namespace morgana
