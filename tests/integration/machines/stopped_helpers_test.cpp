// Processes that a run needs beside its ranks, stopped as by Ctrl-Z.

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StoppedHelpers : public MorganaTest {
 protected:
  StoppedHelpers() {
    write("late-ring",
          "#!/bin/bash\ntouch begun.$PMI_RANK\nuntil [[ -e go ]]; do sleep 0.05; done\nexec ring\n");
    in_shell("chmod +x late-ring");
  }
  /// Stops the helper when both ranks have begun, lets them go on and, when the run has said so, does `then`.
  FinishedProcess stop(const std::string& helper, const std::string& then) {
    return in_shell(
        "rm -f begun.* go out err\n"
        "morgana run -n 2 --map spread --compute none --quiet -- ./late-ring >out 2>err & run=$!\n"
        "below() { for child in $(pgrep -P $1); do echo $child; below $child; done; }\n"
        "until [[ -e begun.0 && -e begun.1 || ! -d /proc/$run ]]; do sleep 0.05; done\n"
        "all=$(below $run)\n"
        "helper=$(for one in $all; do [[ $(cat /proc/$one/comm) == " +
        helper +
        " ]] && echo $one; done | head -1)\n"
        "kill -STOP $helper; touch go\n"
        "until grep -q stopped err || [[ ! -d /proc/$run ]]; do sleep 0.05; done\n" +
        then +
        "\nwait $run; echo code $?; cat out err\n"
        "runs() { [[ -d /proc/$1 && $(cut -d' ' -f3 /proc/$1/stat) != Z ]]; }\n"
        "for one in $all; do for try in {1..100}; do runs $one && sleep 0.1; done; runs $one && echo left "
        "$one; "
        "done; true");
  }
  void expect_note(const std::string& helper, const std::string& name) {
    const std::string note =
        ") is stopped by a signal, as SIGSTOP or Ctrl-Z does: the run waits until it goes on\n";
    const std::string ring = in_shell("morgana run -n 2 --map spread --compute none --quiet -- ring").out;
    EXPECT_THAT(stop(helper, "kill -CONT $helper").out,
                AllOf(HasSubstr("code 0\n" + ring), HasSubstr("morgana: note: " + name), HasSubstr(note),
                      Not(HasSubstr("left"))));
    EXPECT_THAT(stop(helper, "kill -INT $run").out,
                AllOf(HasSubstr("code 130\n"), HasSubstr(note), Not(HasSubstr("left"))));
  }
};

TEST_F(StoppedHelpers, TheOneThatPassesOnOutputIsNamed) {
  expect_note("morgana-output", "morgana-output, which passes on what the ranks print, (process ");
}

TEST_F(StoppedHelpers, TheGuardIsNamed) {
  expect_note("morgana-guard", "morgana-guard, which ends what the run has started, (process ");
}

TEST_F(StoppedHelpers, MpiexecsProxyIsNamed) {
  expect_note("hydra_pmi_proxy", "mpiexec's hydra_pmi_proxy (process ");
}

}  // namespace
}  // namespace morgana::test
