#pragma once

#include <filesystem>
#include <functional>
#include <memory>

namespace morgana {

class DependencyGraph;
class TraceTranslation;
namespace chakra {
struct Trace;
}

/// What a replay runs, read once for any number of replays: a recorded trace, a schedule, or an execution
/// trace, which is a schedule once the platform is known. One of them.
struct ReplayInput {
  std::shared_ptr<const TraceTranslation> trace;
  std::shared_ptr<const DependencyGraph> schedule;
  std::shared_ptr<const chakra::Trace> execution;
};

/// Of a replay's time, what reading its input is reckoned to take.
constexpr double reading_share = 0.25;

/// Whether a name stands for something that runs as a graph: a schedule (GOAL) or an execution trace
/// (Chakra).
/// @throws Error for execution traces whose files are not all there
bool is_graph(const std::filesystem::path& trace);

/// @throws Error if there is nothing of that name to be replayed, with a name near it if the folder has one
void refuse_missing_trace(const std::filesystem::path& trace);

/// Reads a trace (the folder or its .otf2 file), a schedule (GOAL) or an execution trace (Chakra) for
/// replays.
/// @param progress  as that of a replay, which this is the first part of; may be empty
/// @throws Error for what can't be opened, and for schedules that can't be read
std::shared_ptr<const ReplayInput> read_trace(const std::filesystem::path& trace,
                                              const std::function<void(double)>& progress);

}  // namespace morgana
