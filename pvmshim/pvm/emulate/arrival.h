#pragma once

#include <cstdint>

#include "emulator/operations/operation.h"

namespace morgana::pvm {

/// A message that has come, or its head.
struct Arrival {
  std::uint64_t payload = 0;
  RequestId request = no_request;  ///< under which its rest is waited for
  Bytes bytes;
  Bytes coming;  ///< that are not there yet
  Rank source = any_rank;
  Tag tag = any_tag;
  Outcome outcome =
      Outcome::delivered;  ///< else the rest never comes: the receiving host could not ask for it
};

}  // namespace morgana::pvm
