#include "report/timeline_page.h"

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "report/web_files.h"

namespace morgana {
namespace {

/// The text with each @NAME@ of the template replaced; what is put in is not looked at again.
std::string filled(std::string_view page,
                   std::span<const std::pair<std::string_view, std::string_view>> values) {
  std::string text;
  while (!page.empty()) {
    std::size_t next = std::string_view::npos;
    const std::pair<std::string_view, std::string_view>* found = nullptr;
    for (const auto& value : values) {
      const std::size_t at = page.find(value.first);
      if (at < next) next = at, found = &value;
    }
    text += page.substr(0, next);
    if (found == nullptr) break;
    text += found->second;
    page.remove_prefix(next + found->first.size());
  }
  return text;
}

/// JSON in a script element: "</script>" would end it, and "<!--" begin a comment.
std::string for_script(const nlohmann::json& data) {
  std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

bool can_make_pages() {
  return !web_files().d3.empty();
}

void check_can_make_pages() {
  if (!can_make_pages())
    throw Error(
        "this build of Morgana has no d3, which reports are drawn with: install the package node-d3 and "
        "build again");
}

std::string timeline_page(const Timeline& timeline, std::size_t most_events, const CriticalPath* path,
                          const LinkHistory& links) {
  check_can_make_pages();
  const std::string data = for_script(page_data(timeline, most_events, path, links));
  const WebFiles files = web_files();
  const std::array<std::pair<std::string_view, std::string_view>, 4> values{
      {{"@style@", files.style}, {"@data@", data}, {"@d3@", files.d3}, {"@script@", files.script}}};
  return filled(files.page, values);
}

}  // namespace morgana
