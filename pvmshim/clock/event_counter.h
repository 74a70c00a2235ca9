#pragma once

#include <cstdint>

namespace morgana {

/// The kernel's number of an event counter (eventfd), which a later file with the same descriptor does not
/// have; 0 if the descriptor is no event counter, or the kernel has no numbers. May be called within a
/// signal's handler.
std::uint64_t number_of_event_counter(int descriptor);
/// Whether the descriptor is that counter still. While the program has no descriptor left to read its number
/// with, any event counter is taken for it.
bool is_event_counter(int descriptor, std::uint64_t number);
/// Adds to an event counter, unless it is full: it never waits.
void add_to_event_counter(int descriptor, std::uint64_t more);

}  // namespace morgana
