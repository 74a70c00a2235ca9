#pragma once

#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {

/// MPICH 4.0's default choice, on a communicator in which it sees no nodes: the selection
/// table "generic.json" that it carries in itself, blocking and nonblocking forms apart.
/// An operator counts as built in if it commutes. Intercommunicators have algorithms of their own, which use
/// these within a group.
Algorithm mpich_choice(const Member& member);

// When an algorithm can carry out a member's part; where it can't, MPICH falls back on its own choice.
bool always_applies(const Member& member);
bool applies_out_of_place(const Member& member);
bool applies_in_place(const Member& member);
bool applies_to_commuting_operands(const Member& member);
/// Operands that commute, at least one element for each of the power of two of members.
bool applies_to_divisible_operands(const Member& member);
/// A power of two of members with blocks of the same size.
bool applies_to_regular_power_of_two(const Member& member);

}  // namespace morgana::collectives
