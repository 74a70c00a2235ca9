#pragma once

namespace morgana {

/// Whether the code at this address belongs to what runs underneath the program (the MPI library, its network
/// libraries, the shim, the dynamic linker), which must see real time, rather than to the program and the
/// libraries that work for it. Some nanoseconds; looks again at the loaded libraries for an unknown address.
/// Safe in any thread.
bool called_from_below(const void* return_address);

}  // namespace morgana
