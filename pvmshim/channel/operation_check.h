#pragma once

#include "emulator/operations/operation.h"

namespace morgana {

/// What an operation that a rank has said must hold, beyond what a record can hold (codec.h), lest the rank
/// spoil the run of others: its ranks exist, its sizes are ones that a machine can hold (what it sends: its
/// arena), and it starts and ends no processes.
/// @param ranks  of the run
/// @param payload_room  of each rank, in bytes
/// @throws MalformedRecord
void check_said(const Operation& operation, std::size_t ranks, Bytes payload_room);

}  // namespace morgana
