#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {

/// A process between this one and the launcher that it starts (mpiexec): everything that the launcher starts
/// is below it, whatever ends in between, and it ends all of that as soon as it is asked to or this process
/// ends, in whatever way. If it is killed itself, the launcher ends with it and the rest falls to this
/// process.
class Guardian {
 public:
  /// What becomes of this process's standard input.
  struct Input {
    /// It is the launcher's, too.
    static Input of_launcher() { return {true, -1}; }
    /// The launcher reads /dev/null. What it starts inherits the input as this descriptor; -1: not at all.
    static Input inherited_as(int descriptor) { return {false, descriptor}; }

    bool is_the_launchers;
    int descriptor;
  };

  /// @param arguments  the launcher's, its name (looked up in PATH) first
  /// @param environment  the launcher's, "NAME=VALUE"
  /// @param until_all_ended  a descriptor that it holds open until all that is below it has ended
  /// @throws Error if the launcher can't be started
  Guardian(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
           int until_all_ended, Input input = Input::of_launcher());
  /// Ends everything.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  pid_t process() const { return process_; }
  pid_t launcher() const { return launcher_; }
  /// Readable once the launcher or the guardian has ended.
  int news() const { return news_; }
  /// How the launcher ended, as wait(2) gives it, once it has; the guardian's own end counts as the
  /// launcher's.
  std::optional<int> launcher_status();
  /// Ends all that is below the guardian, politely, then by force, and the guardian; waits for it.
  void end_all();

 private:
  pid_t process_ = 0;
  std::optional<HelperProcess> helper_;
  pid_t launcher_ = 0;
  int news_ = -1;
  int lifeline_ = -1;
  std::optional<int> status_;
};

}  // namespace morgana
