#pragma once

#include <string_view>

namespace morgana::mpi {

/// A call that is not supported: ends an emulated run with its name; in a capture notes once that it is not
/// recorded.
void refuse_or_note(std::string_view call);

/// Ends the run: `call` was used in a way (`how`, such as "on an intercommunicator") that is not supported.
[[noreturn]] void refuse(std::string_view call, std::string_view how);

}  // namespace morgana::mpi
