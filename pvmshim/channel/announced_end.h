#pragma once

#include <string>

#include "emulator/operations/outcome.h"

namespace morgana {

/// What a rank has said about an end of the whole run that it is about to cause.
struct AnnouncedEnd {
  int code = 0;       ///< that it gives to MPI_Abort, or MPI's error code
  std::string error;  ///< empty: it has called MPI_Abort; else the uncaught error, in words
};

/// The error that a call ends with whose message was returned: MPICH's MPI_ERR_OTHER.
constexpr int code_of_returned = 15;
/// "what it sent was returned: given up"
inline std::string describe_returned(Outcome outcome) {
  return std::string("what it sent was returned: ").append(name_of(outcome));
}

/// Longer words are cut off.
constexpr std::size_t longest_announced_error = 160;

}  // namespace morgana
