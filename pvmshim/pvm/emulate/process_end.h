#pragma once

namespace morgana::pvm {

/// The process has become a rank: from now on the rank ends with it, however the process does that (return
/// from main, exit, _exit, execve). A process that is killed is seen by its launcher.
void end_rank_with_process();

/// The rank's last operations. Nothing if it has none, has ended, or can't speak now.
void end_rank();

/// What another program that this process executes has to do with the rank.
enum class Successor {
  first,  ///< the process is no task yet, the other program may become it
  next,   ///< the task leaves the machine; the other program may come back to it, as the same rank
  none,   ///< it was forked by a task, and is none
};
Successor pass_rank_on();
/// The program could not be executed.
void keep_rank(Successor successor);

}  // namespace morgana::pvm
