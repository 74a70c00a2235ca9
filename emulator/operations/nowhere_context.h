#pragma once

#include "emulator/operations/operation.h"

namespace morgana {

/// No message is ever sent here: who receives from it asks for what nobody can send (in PVM a source or a tag
/// that there is none of).
constexpr Context nowhere_context{open_context_bit | std::uint64_t{1} << 32};

}  // namespace morgana
