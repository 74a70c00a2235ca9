#pragma once

namespace morgana {

/// Whether the code at this address belongs to what runs underneath the program (the MPI library, its network
/// libraries, the shim, the dynamic linker), which must see real time, rather than to the program and the
/// libraries that work for it. Some nanoseconds; looks again at the loaded libraries for an unknown address.
/// Safe in any thread.
bool called_from_below(const void* return_address);

/// Whose the code at an address is.
enum class CodeOf {
  program,      ///< or of any library that works for it
  below,        ///< called_from_below
  interpreter,  ///< Python's own, whose threads take turns by a lock of their own; not that of its modules
  cpp_library   ///< the standard library of C++, as far as it is a library of its own
};
CodeOf code_at(const void* return_address);

}  // namespace morgana
