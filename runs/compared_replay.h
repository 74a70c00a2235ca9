#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "replay/comparison.h"

namespace morgana {

/// A replay that was made for a comparison, maybe by another process.
struct ComparedReplay {
  ComparedRun run;                   ///< without a ratio
  std::vector<std::string> notices;  ///< of the trace, and of what became of the run
  nlohmann::json page = {};          ///< page_data() of report/timeline_page.h, or null
  std::string stands_still = {};     ///< as ReplayResult::stands_still
};

/// Encoded, from one process to another.
std::string text_of(const ComparedReplay& replay);
/// @throws nlohmann::json::exception for a text that is none of text_of()
ComparedReplay compared_replay_of(const std::string& text);

}  // namespace morgana
