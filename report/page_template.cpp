#include "report/page_template.h"

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "emulator/core/error.h"
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

std::string filled_page(std::string_view body, const nlohmann::json& data,
                        const std::vector<std::string_view>& scripts) {
  check_can_make_pages();
  const std::string drawn = for_script(data);
  std::string all;
  for (const std::string_view script : scripts) all += script;
  const WebFiles files = web_files();
  const std::array<std::pair<std::string_view, std::string_view>, 5> values{
      {{"@style@", files.style}, {"@body@", body}, {"@data@", drawn}, {"@d3@", files.d3}, {"@script@", all}}};
  return filled(files.page, values);
}

}  // namespace morgana
