#pragma once

#include <cstddef>
#include <cstdint>

namespace morgana {

/// A computer on which ranks run, numbered from 0.
enum class HostId : std::uint32_t {};
constexpr std::size_t index(HostId host) {
  return static_cast<std::size_t>(host);
}

}  // namespace morgana
