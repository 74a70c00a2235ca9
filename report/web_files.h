#pragma once

#include <string_view>

namespace morgana {

/// The files of report/web, and d3 (M. Bostock: Data-Driven Documents, version 5), as they were when this was
/// built.
struct WebFiles {
  std::string_view page, style;                          ///< of all pages
  std::string_view run, charts;                          ///< bodies: of a run, and of what lies side by side
  std::string_view texts, axis, timeline, lives, links;  ///< scripts of both
  std::string_view execution, run_script;
  std::string_view figures, charts_script;
  std::string_view d3;  ///< empty if it was not there
};
WebFiles web_files();

}  // namespace morgana
