#include "replay/replay_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/schema/nearest.h"
#include "replay/translation/trace_translation.h"
#include "traces/import/chakra.h"
#include "traces/import/goal.h"

namespace morgana {

namespace {

namespace fs = std::filesystem;

/// What could be meant in a folder: traces and schedules, and execution traces by their common name.
std::vector<std::string> replayed_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    std::string name = entry.path().filename().string();
    const std::size_t end = name.find(".0.et");
    if (end != std::string::npos) name.resize(end);
    if (end != std::string::npos || entry.is_directory(error) || name.ends_with(".otf2") ||
        name.ends_with(".goal"))
      names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

void refuse_missing_trace(const fs::path& trace) {
  std::error_code error;
  if (trace.empty() || fs::exists(trace, error) || is_graph(trace)) return;
  const std::string name = trace.filename().string();
  const std::vector<std::string> there = replayed_in(trace.parent_path());
  // "run" for run.otf2 lacks too many letters to be near.
  const auto longer =
      std::ranges::find_if(there, [&](const auto& one) { return one.starts_with(name + '.'); });
  const std::optional<std::string> near =
      longer != there.end() ? std::optional(*longer) : nearest(name, there);
  throw Error(fmt::format(
      "there is no trace {}{}{} name an OTF2 trace (a folder that a trace was written to, or the file in it "
      "that ends in .otf2), a schedule (GOAL), or execution traces (NAME for NAME.0.et, NAME.1.et, ...)",
      trace.string(), near ? fmt::format("; did you mean {}", (trace.parent_path() / *near).string()) : "",
      near ? "? Else" : ";"));
}

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
