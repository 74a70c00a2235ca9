// Sweeps that several processes make: by mpiexec, here and across a network, by Slurm, and by hand.

#include <unistd.h>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"
#include "tests/integration/support/slurm.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SharedSweepCommand : public MorganaTest {
 protected:
  static constexpr const char* over =
      " --over network.background.load=10..60%:10 --over network.switches=1,2 ";

  SharedSweepCommand() {
    write("sweep", "#!/bin/bash\nexec morgana sweep " + std::string(ep_sample) + " -p atm-oc3-loaded" + over +
                       "\"$@\"\n");
  }
  /// Runs `bash sweep ...` and fails the test unless all commands do.
  FinishedProcess shell(const std::string& commands) {
    FinishedProcess done = in_shell("set -e\n" + commands);
    if (done.exit_code != not_here) {
      EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    }
    return done;
  }
  /// With which commands end where this machine does not let them have what they need.
  static constexpr int not_here = 77;
};

TEST_F(SharedSweepCommand, GivesTheSameFileWithMpiexec) {
  shell(
      "bash sweep --seeds 2 -q --csv whole.csv\n"
      "bash sweep --seeds 2 -q --csv shared.csv --on mpi -j 3\n"
      "cmp whole.csv shared.csv\n"
      "[[ $(echo shared.csv*) == shared.csv ]]");
}

TEST_F(SharedSweepCommand, TakesUpPartsThatWereMadeByHand) {
  shell(
      "bash sweep --seeds 2 -q --csv whole.csv\n"
      "for k in 3 1; do bash sweep --seeds 2 -q --csv parts.csv --part $k/3; done\n"
      "bash sweep --seeds 2 -q --csv parts.csv --part 1/3\n"
      "[[ $(cat parts.csv.part-* | wc -l) == 18 && ! -e parts.csv ]]");
  const FinishedProcess rest = shell(
      "bash sweep --seeds 2 --csv parts.csv\ncmp whole.csv parts.csv\n"
      "[[ $(echo parts.csv*) == parts.csv ]]");
  EXPECT_THAT(rest.err, HasSubstr("16 of 24 runs are in parts.csv already"));
}

// Interrupted when a few rows are there: none of them is made again.
TEST_F(SharedSweepCommand, GoesOnWhereItWasBrokenOff) {
  shell(
      "bash sweep --seeds 20 -q --csv whole.csv\n"
      "bash sweep --seeds 20 -q --csv cut.csv --on mpi -j 2 & broken=$!\n"
      "until [[ $(cat cut.csv.part-* 2>/dev/null | wc -l) -gt 9 || ! -d /proc/$broken ]]; do sleep 0.01; "
      "done\n"
      "kill -INT $broken || true; wait $broken || true\n"
      "bash sweep --seeds 20 --csv cut.csv --on mpi -j 3 2>said >table\n"
      "cmp whole.csv cut.csv");
  EXPECT_THAT(read("said"),
              AllOf(HasSubstr(" of 240 runs are in cut.csv already"), Not(HasSubstr("interrupted"))));
}

TEST_F(SharedSweepCommand, StartsLiveProgramsThatAreNoRanksOfTheEngines) {
  shell(
      "morgana sweep -q --compute none --over ranks=2,3 --over rounds=1,2 --csv live.csv --on mpi -j 2 -- " +
      program("ring") + " {rounds}\n" +
      "morgana sweep -q --compute none --over ranks=2,3 --over rounds=1,2 --csv one.csv -- " +
      program("ring") + " {rounds}\ncmp live.csv one.csv");
}

TEST_F(SharedSweepCommand, SaysWhatIsMissingAndWhy) {
  const FinishedProcess failed =
      in_shell("bash sweep -q --csv none.csv --on mpi -j 2 --with=-launcher --with=nosuch; echo code $?");
  EXPECT_THAT(failed.out, HasSubstr("code 2"));
  EXPECT_THAT(failed.err, HasSubstr("12 of 12 runs were not made: mpiexec.mpich ended with code"));
  const FinishedProcess alone = in_shell(
      "bash sweep --csv - --on mpi; bash sweep --part 1/2 --on mpi --csv a.csv; "
      "bash sweep --part 1/2 --csv a.csv --json b.json; bash sweep --with=-f");
  EXPECT_THAT(alone.err, AllOf(HasSubstr("--on needs --csv FILE"), HasSubstr("leave one out"),
                               HasSubstr("--json, --plot and --report need all runs"),
                               HasSubstr("--with is for mpiexec or sbatch")));
}

// Two machines that have nothing in common but a network and their files: mpiexec reaches the second by a
// stand-in for ssh.
TEST_F(SharedSweepCommand, GivesTheSameFileAcrossTwoNetworkNamespaces) {
  if (in_shell("unshare --net true && command -v ip nsenter").exit_code != 0)
    GTEST_SKIP() << "needs root and the package iproute2";
  const FinishedProcess done = shell(R"(
    unshare --net sleep 300 & one=$!
    unshare --net sleep 300 & two=$!
    trap 'kill $one $two' EXIT
    until [[ $(readlink /proc/$one/ns/net) != $(readlink /proc/$$/ns/net) ]]; do sleep 0.01; done
    until [[ $(readlink /proc/$two/ns/net) != $(readlink /proc/$$/ns/net) ]]; do sleep 0.01; done
    ip link add name hydra1 netns $one type veth peer name hydra2 netns $two || exit 77
    for side in 1:$one 2:$two; do
      nsenter --net -t ${side#*:} ip addr add 10.77.0.${side%:*}/24 dev hydra${side%:*}
      nsenter --net -t ${side#*:} ip link set hydra${side%:*} up
      nsenter --net -t ${side#*:} ip link set lo up
    done
    cat >remote-shell <<END
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
echo \$1 >>reached
process=$two
[[ \$1 == 10.77.0.2 ]] || process=$one
shift
exec nsenter --net -t \$process bash -c "\$*"
END
    chmod +x remote-shell
    printf '10.77.0.1:1\n10.77.0.2:2\n' >hosts
    bash sweep --seeds 2 -q --csv whole.csv
    nsenter --net -t $one bash sweep --seeds 2 -q --csv shared.csv --on mpi -j 3 --with=-f --with=hosts \
      --with=-launcher --with=ssh --with=-launcher-exec --with="$PWD/remote-shell" --with=-localhost --with=10.77.0.1
    cmp whole.csv shared.csv
    grep -qx 10.77.0.2 reached)");
  if (done.exit_code == not_here)
    GTEST_SKIP() << "no interface can be made between two namespaces: " << done.err;
}

// Slurm with one machine of two processors, this one.
TEST_F(SharedSweepCommand, GivesTheSameFileWithSlurm) {
  if (::geteuid() != 0 || in_shell("command -v slurmctld slurmd sbatch").exit_code != 0)
    GTEST_SKIP() << "needs root and the package slurm-wlm";
  const FinishedProcess done = shell(start_slurm({"here"}) + R"(
    # In an allocation ranks run here: MPICH's mpiexec would start srun, which waits for a node that is taken.
    morgana run -q --compute none -n 3 -- ring 1 >plain </dev/null
    salloc -Q -n 2 morgana run -q --compute none -n 3 -- ring 1 >allocated </dev/null
    srun -Q -n 1 morgana run -q --compute none -n 3 -- ring 1 >stepped </dev/null
    cmp plain allocated && cmp plain stepped
    salloc -Q -N 1 morgana run -q --compute none -n 3 --on slurm -- ring 1 >by-agent </dev/null
    cmp plain by-agent
    salloc -Q -n 2 morgana doctor </dev/null | grep -q 'in an allocation of Slurm (SLURM_JOB_ID='
    bash sweep --seeds 20 -q --csv whole.csv
    bash sweep --seeds 20 -q --csv shared.csv --on slurm -j 2 & broken=$!
    until [[ $(cat shared.csv.part-* 2>/dev/null | wc -l) -gt 9 || ! -d /proc/$broken ]]; do sleep 0.01; done
    kill -INT $broken || true; wait $broken || true
    # A task that has left the queue may still be ending: its folder goes last.
    until [[ -z $(squeue -h) && -z $(ls spool-here | grep ^job) ]]; do sleep 0.1; done
    bash sweep --seeds 20 --csv shared.csv --on slurm -j 3 2>said >table || { cat said >&2; false; }
    cmp whole.csv shared.csv
    [[ $(echo shared.csv*) == shared.csv ]] || { echo shared.csv* >&2; false; }
    ! bash sweep -q --csv wrong.csv --on slurm --with=--partition=nosuch 2>refused)");
  if (done.exit_code == not_here) GTEST_SKIP() << "Slurm's daemons do not start here: " << done.err;
  EXPECT_THAT(read("said"), HasSubstr(" of 240 runs are in shared.csv already"));
  EXPECT_THAT(read("refused"),
              AllOf(HasSubstr("invalid partition"), HasSubstr("12 of 12 runs were not made")));
}

}  // namespace
}  // namespace morgana::test
