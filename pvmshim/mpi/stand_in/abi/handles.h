#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace morgana::stand_in {

/// What a program's handle points to, if it did: it is a number. Those of predefined handles are the
/// standard's, below 1024; all others are MPICH's, which are larger.
struct Handle;

inline constexpr std::size_t predefined_handles = 1024;

/// MPICH's handles by the standard's numbers; 0 where the standard has none.
extern const std::array<std::intptr_t, predefined_handles> mpichs_predefined;

/// MPICH's handle.
inline std::intptr_t mpich_value(const Handle* handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  return number < predefined_handles ? mpichs_predefined[number] : static_cast<std::intptr_t>(number);
}

/// The handle for one of MPICH's that is neither a message nor a file.
Handle* from_mpich(std::intptr_t value);

}  // namespace morgana::stand_in
