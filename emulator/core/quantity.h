#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/core/error.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

// Quantities with units as people write them: "8.25 us", "155.52 Mb/s", "64 KiB", "24.9 us/KB", "25 %".
//
// A number is a decimal, with or without exponent, never negative; it is computed exactly and rounded once,
// to the nearest step of the type that holds it (picosecond, byte, bit per second, femtosecond per byte).
// Units are case-sensitive: prefixes are powers of 1000 (k, M, G, T) or of 1024 (Ki, Mi, Gi). Each throws
// Error, naming the units that fit with an example, for what is no such quantity: nonsense, a missing or
// foreign unit, too large, or other than 0 but too small to differ from it.

/// ps, ns, us, ms, s, min, h.
SimTime parse_time(std::string_view text);
/// B, kB, KiB, MB, MiB, GB, GiB; a whole number of bytes.
Bytes parse_bytes(std::string_view text);
/// b/s, kb/s, Mb/s, Gb/s, Tb/s and, in bytes, B/s, kB/s, MB/s, GB/s; more than 0.
BitRate parse_bit_rate(std::string_view text);
/// fs, ps, ns, us or ms per B, KB, KiB, MB or MiB. In a cost per byte KB is KiB, 1024 bytes, and MB is MiB:
/// papers that give "us/KB" measured messages of powers of two. Or a rate: "25 GB/s" is 0.04 ns/B.
ByteCost parse_byte_cost(std::string_view text);
/// A part of a whole, "25 %" or "0.25"; from 0 up, 1 is the whole.
double parse_share(std::string_view text);
/// A plain number without unit, >= 0: a factor.
double parse_factor(std::string_view text);
/// A whole number, alone or followed by `unit` (what is counted, in the plural: "200 cells", "1 cell");
/// `unit` may be empty.
std::int64_t parse_count(std::string_view text, std::string_view unit);

// The shortest exact form with the largest unit of which there is at least one (sizes: the largest of which
// there is a whole number). The parsers above read it back to the same value; only times may be negative
// here, being differences too.
std::string to_text(SimTime time);
std::string to_text(Bytes size);
std::string to_text(BitRate rate);
std::string to_text(ByteCost cost);
/// "200 cells", "1 cell", "200".
std::string count_to_text(std::int64_t count, std::string_view unit);
/// As a percentage: 0.25 is "25 %".
std::string share_to_text(double share);
/// The shortest decimal that reads back to the same number.
std::string factor_to_text(double factor);

}  // namespace morgana
