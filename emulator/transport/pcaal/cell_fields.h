#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/transport/pcaal/pdu.h"

namespace morgana::pcaal {

/// What all cells of the parallel computing adaptation layer have in common (figure 5.9): 41 octets of their
/// kind, then an octet of which the low half is the type and the high half four flags, a number in four
/// octets, and a CRC-16 of all before it.
constexpr std::size_t common_fields_at = 41;

/// A field of up to four octets, the highest first.
void put(Cell& cell, std::size_t at, std::uint32_t value, std::size_t octets);
std::uint32_t get(const Cell& cell, std::size_t at, std::size_t octets);

/// Writes the common fields. @param type, flags  below 16
void close(Cell& cell, std::uint8_t type, unsigned flags, Number number);
bool is_intact(const Cell& cell);
std::uint8_t type_of(const Cell& cell);
unsigned flags_of(const Cell& cell);
Number number_of(const Cell& cell);

}  // namespace morgana::pcaal
