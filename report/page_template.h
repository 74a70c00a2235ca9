#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace morgana {

/// Whether this build has what pages need (d3, of the Debian package node-d3).
bool can_make_pages();
/// @throws Error that says how to come by it, unless it has
void check_can_make_pages();

/// A page of report/web with its style, the data, d3 and scripts put in.
/// @param body  what lies in the page's body before its scripts
/// @param scripts  in this order; each a file of report/web
/// @throws Error unless can_make_pages()
std::string filled_page(std::string_view body, const nlohmann::json& data,
                        const std::vector<std::string_view>& scripts);

}  // namespace morgana
