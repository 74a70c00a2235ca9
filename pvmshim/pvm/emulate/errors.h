#pragma once

#include <exception>

#include "pvmshim/pvm/api.h"

namespace morgana::pvm {

/// Our own failure, or a misuse that PVM has no code for: says so and ends the process.
[[noreturn]] void fail(const std::exception& error);

/// Runs the body of a call; nothing that it throws reaches the program.
template <typename Body>
auto guarded(const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    fail(error);
  }
}

/// The same, and prints a negative result as the real library does (lpvmerr).
template <typename Body>
int reported(const char* name, const Body& body) {
  const int result = guarded(body);
  return result < 0 ? lpvmerr(name, result) : result;
}

}  // namespace morgana::pvm
