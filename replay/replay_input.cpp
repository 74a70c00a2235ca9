#include "replay/replay_input.h"

#include "replay/translation/trace_translation.h"
#include "traces/import/chakra.h"
#include "traces/import/goal.h"

namespace morgana {

bool is_graph(const std::filesystem::path& trace) {
  return is_goal(trace) || chakra::is_chakra(trace);
}

std::shared_ptr<const ReplayInput> read_trace(const std::filesystem::path& trace,
                                              const std::function<void(double)>& progress) {
  const auto part = [&progress](double share) {
    if (progress) progress(reading_share * share);
  };
  auto input = std::make_shared<ReplayInput>();
  if (is_goal(trace))
    input->schedule = read_goal_graph(trace, part);
  else if (chakra::is_chakra(trace))
    input->execution = chakra::read(trace, part);
  else
    input->trace = std::make_shared<TraceTranslation>(trace, part);
  return input;
}

}  // namespace morgana
