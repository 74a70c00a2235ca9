#pragma once

namespace morgana::pvm {

/// The process has become a rank: from now on the rank ends with it, however the process does that (return
/// from main, exit, _exit, execve). A process that is killed is seen by its launcher.
void end_rank_with_process();

/// The rank's last operations. Nothing if it has none, has ended, or can't speak now.
void end_rank();

}  // namespace morgana::pvm
