#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace morgana::mpi::emulated {

// The tables through which a loaded library calls the functions of others. `library` is how its file's name
// begins.

/// Which functions of others, whose names begin with `prefix`, the library calls; none if it is not loaded.
std::vector<std::string> functions_called_by(std::string_view library, std::string_view prefix);

/// Lets the library call these functions in place of those of the given names: all of them, or none where it
/// calls one of them not at all, or the system does not let its entries be written to.
/// @return whether it does now
bool replace_calls_of(std::string_view library,
                      const std::vector<std::pair<std::string_view, void*>>& replacements);

}  // namespace morgana::mpi::emulated
