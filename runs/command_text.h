#pragma once

#include <string>
#include <vector>

namespace morgana {

/// A program and its arguments, in one line as the user would type it.
std::string command_text(const std::vector<std::string>& program);

}  // namespace morgana
