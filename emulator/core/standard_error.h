#pragma once

#include <string>

namespace morgana {

/// Writes the text there as it is. Where standard error is closed or full it is lost, and nothing else:
/// fmt::print would throw, and a run must not end because a report can't be written.
void print_error(const std::string& text) noexcept;

}  // namespace morgana
