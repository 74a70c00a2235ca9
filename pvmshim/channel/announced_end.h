#pragma once

#include <string>

namespace morgana {

/// What a rank has said about an end of the whole run that it is about to cause.
struct AnnouncedEnd {
  int code = 0;       ///< that it gives to MPI_Abort, or MPI's error code
  std::string error;  ///< empty: it has called MPI_Abort; else the error that nobody catches, in words
};

/// Longer words are cut off.
constexpr std::size_t longest_announced_error = 160;

}  // namespace morgana
