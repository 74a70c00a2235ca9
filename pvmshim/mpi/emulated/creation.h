#pragma once

#include "emulator/operations/operation.h"

namespace morgana::mpi::emulated {

/// Begins (as this part of a call) what all members of a context make together through MPICH: a communicator,
/// a window. LiveRank::await() must follow when MPICH has made it; in simulated time no member leaves before
/// all have entered.
///
/// The emulator is told before MPICH is asked: if this rank went into MPICH first, the emulator would take it
/// to be computing, and could let nobody go beyond its clock; who waits there must have said so here.
void enter_creation(Call call, CallPart part, Context context);

}  // namespace morgana::mpi::emulated
