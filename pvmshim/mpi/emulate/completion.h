#pragma once

namespace morgana::mpi::emulated {

/// Receives that the program freed while they were active end when their message has come: looks for it.
void look_after_freed();

}  // namespace morgana::mpi::emulated
