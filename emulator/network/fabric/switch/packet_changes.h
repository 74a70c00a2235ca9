#pragma once

#include "emulator/network/fabric/core.h"

namespace morgana::fabric {

/// A packet that finds no space goes on in the class of trimmed packets, cut to its header if it is longer.
/// @param out  of its output. @return whether it does: otherwise it is as it was
bool trim(const Core& core, Packet& packet, CableChannel out);

/// Whether trim() would cut it.
bool may_be_cut(const TrimParameters& parameters, const Packet& packet);

/// Writes the telemetry of a port into a packet that is about to start there, if it has space for another
/// record. @param queue  what waits for the port in addition to it, gaps included
void record(const Core& core, const Packet& packet, CableChannel out, Bytes queue, SimTime now);

}  // namespace morgana::fabric
