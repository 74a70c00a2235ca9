#pragma once

#include <initializer_list>
#include <string>

#include "pvmshim/pvm/emulate/errors.h"
#include "pvmshim/pvm/emulate/open_call.h"

namespace morgana::pvm {

/// Runs the body of a call that makes the process a task and becomes operations: body(OpenCall&) -> PVM's
/// result.
template <typename Body>
int task_call(Call call, const Body& body) {
  return guarded([&]() -> int {
    if (const int error = enrol(); error != PvmOk) return error;
    OpenCall open(call);
    return body(open);
  });
}

/// The same, and prints a negative result (lpvmerr), unless it is one of `expected`.
template <typename Body>
int reported_call(Call call, const Body& body, std::initializer_list<int> expected = {}) {
  const int result = task_call(call, body);
  if (result >= 0) return result;
  for (const int code : expected) {
    if (code != result) continue;
    pvm_errno = result;
    return result;
  }
  return lpvmerr(std::string(name_of(call)).c_str(), result);
}

}  // namespace morgana::pvm
