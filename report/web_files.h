#pragma once

#include <string_view>

namespace morgana {

/// The files of report/web, and d3 (M. Bostock: Data-Driven Documents, version 5), as they were when this was
/// built.
struct WebFiles {
  std::string_view page, style, script;
  std::string_view d3;  ///< empty if it was not there
};
WebFiles web_files();

}  // namespace morgana
