#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace morgana {

/// The unit that was meant by another spelling of it: Gb/s by Gbps and Gbit/s, us by usec, kB by KB. The
/// letters for bit and byte are never mistaken for each other: no unit is meant by "mbs".
/// @return nothing where none is, or several may be
std::optional<std::string_view> unit_meant(std::string_view spelling,
                                           std::span<const std::string_view> units);

}  // namespace morgana
