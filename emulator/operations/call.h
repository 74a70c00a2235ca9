#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace morgana {

/// The calls of MPI and PVM that become operations, by the name that traces and messages to the user show.
/// One line a call: MORGANA_CALL(name).
enum class Call : std::uint16_t {
  unknown,
#define MORGANA_CALL(name) name,
#include "emulator/operations/calls.def"
#undef MORGANA_CALL
  count_
};

/// "MPI_Send"; of Call::unknown "unknown".
std::string_view name_of(Call call);
std::optional<Call> call_named(std::string_view name);

}  // namespace morgana
