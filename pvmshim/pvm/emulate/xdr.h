#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace morgana::pvm {

// External data representation (RFC 4506), as PVM 3.4.6 on 64-bit Linux uses it: every integer has 32 bits.
// What does not fit into them is cut off, and longs come back as if they had been unsigned.

constexpr std::size_t xdr_unit = 4;
constexpr std::size_t in_xdr_units(std::size_t bytes) {
  return (bytes + xdr_unit - 1) / xdr_unit * xdr_unit;
}

/// Appends `count` elements of a type (element_of), `stride` elements from one to the next.
void append_xdr(std::vector<std::byte>& data, int type, const void* from, int count, int stride);

/// Takes up to `count` elements from the beginning of `data`.
/// @return how many there were
int take_xdr(std::span<const std::byte> data, int type, void* to, int count, int stride);

}  // namespace morgana::pvm
