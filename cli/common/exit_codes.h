#pragma once

namespace morgana::cli {

// What `morgana` returns when the program's own exit code is not the answer. Documented in docs/guide.md.
constexpr int exit_program_failed =
    1;                              ///< a rank failed or did what can't be emulated, in this run or a sweep
constexpr int exit_user_error = 2;  ///< an error that the user can fix
constexpr int exit_deadlock = 3;    ///< every rank of the program waits
constexpr int exit_signal = 128;    ///< plus the number of the signal that ended the run

}  // namespace morgana::cli
