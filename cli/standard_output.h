#pragma once

#include <string>

namespace morgana::cli {

/// Why nothing more can be written to standard output: its reader has gone ("was closed"), or there is no
/// space ("is full"). Empty while all is well, as far as is known without writing.
std::string trouble_with_standard_output();

}  // namespace morgana::cli
