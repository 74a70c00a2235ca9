#pragma once

#include <otf2/otf2.h>

#include <string>

#include "emulator/core/error.h"

namespace morgana {

/// From now on OTF2's own messages go into our errors instead of to stderr, in the whole process.
void catch_otf2_messages();

/// OTF2's last message in this thread; empty if there was none since the last call of this function.
std::string take_otf2_message();

/// @throws Error "can't <doing>: <what OTF2 says>" unless the code is OTF2_SUCCESS
void check_otf2(OTF2_ErrorCode code, const char* doing);

/// Same for OTF2's functions that return an object.
template <typename Handle>
Handle* check_otf2(Handle* handle, const char* doing) {
  if (handle == nullptr) check_otf2(OTF2_ERROR_INVALID, doing);
  return handle;
}

}  // namespace morgana
