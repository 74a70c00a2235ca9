#include "emulator/transport/pcaal/cell_fields.h"

namespace morgana::pcaal {
namespace {

constexpr std::size_t number_at = common_fields_at + 1, check_at = common_fields_at + 5;

// ITU-T's polynomial x^16 + x^12 + x^5 + 1 over all octets before the check, from all ones on.
std::uint32_t check_of(const Cell& cell) {
  std::uint32_t crc = 0xffff;
  for (std::size_t i = 0; i < check_at; ++i) {
    crc ^= std::uint32_t{cell[i]} << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

}  // namespace

void put(Cell& cell, std::size_t at, std::uint32_t value, std::size_t octets) {
  for (std::size_t i = 0; i < octets; ++i)
    cell[at + i] = static_cast<std::uint8_t>(value >> (8 * (octets - 1 - i)));
}

std::uint32_t get(const Cell& cell, std::size_t at, std::size_t octets) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < octets; ++i) value = value << 8 | cell[at + i];
  return value;
}

void close(Cell& cell, std::uint8_t type, unsigned flags, Number number) {
  cell[common_fields_at] = static_cast<std::uint8_t>(flags << 4 | type);
  put(cell, number_at, number, 4);
  put(cell, check_at, check_of(cell), 2);
}

bool is_intact(const Cell& cell) {
  return get(cell, check_at, 2) == check_of(cell);
}

std::uint8_t type_of(const Cell& cell) {
  return cell[common_fields_at] & 15U;
}

unsigned flags_of(const Cell& cell) {
  return cell[common_fields_at] >> 4U;
}

Number number_of(const Cell& cell) {
  return get(cell, number_at, 4);
}

}  // namespace morgana::pcaal
