// What starts agents on machines that people have: Slurm with two nodes, and ssh's own daemon, on loopback.

#include <unistd.h>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"
#include "tests/integration/support/slurm.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MachineEngines : public MorganaTest {
 protected:
  /// With which commands end where this machine does not let them have what they need.
  static constexpr int not_here = 77;

  static bool is_root() { return ::geteuid() == 0; }
  FinishedProcess shell(const std::string& commands) {
    FinishedProcess done = in_shell("set -e\n" + commands);
    if (done.exit_code != not_here) {
      EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    }
    return done;
  }
};

TEST_F(MachineEngines, OfSlurmWithTwoNodes) {
  if (!is_root() || in_shell("command -v slurmctld slurmd srun").exit_code != 0)
    GTEST_SKIP() << "needs root and the package slurm-wlm";
  const FinishedProcess done = shell(start_slurm({"one", "two"}) + R"(
    on_two() { salloc -Q -N 2 "$@" </dev/null; }
    on_two srun -l --ntasks-per-node=1 sh -c 'echo $SLURMD_NODENAME' >nodes
    run='run -q --compute none -n 5 --map spread'
    morgana $run --json alone.json -- ring 1
    on_two morgana $run --json both.json --on slurm -- ring 1
    cmp alone.json both.json
    salloc -Q -N 1 -n 2 morgana doctor --on slurm >one-node </dev/null
    on_two morgana doctor --on slurm >examined
    tune="tune -q -p fast-ethernet-smp --push=0B,80B --second-push=0B,200B )" +
                                     cg_sample + R"("
    morgana $tune --json alone.json
    on_two morgana $tune --json both.json --on slurm
    cmp alone.json both.json)");
  if (done.exit_code == not_here) GTEST_SKIP() << "Slurm's daemons do not start here: " << done.err;
  EXPECT_THAT(read("nodes"), AllOf(HasSubstr(": one"), HasSubstr(": two")));
  EXPECT_THAT(read("examined"), AllOf(HasSubstr("agents                  2 in "), HasSubstr("(agent 1)")));
  EXPECT_THAT(read("one-node"), HasSubstr("agents                  1 in "));
}

TEST_F(MachineEngines, OfSshWithItsDaemon) {
  if (!is_root() ||
      in_shell("command -v /usr/sbin/sshd ssh ssh-keygen && unshare --mount true").exit_code != 0)
    GTEST_SKIP() << "needs root and the packages openssh-server and openssh-client";
  const FinishedProcess done = shell(R"(
    for key in host user; do ssh-keygen -q -t ed25519 -N '' -f $key-key; done
    port=$((20000 + RANDOM % 10000))
    cat >sshd.conf <<END
ListenAddress 127.0.0.1:$port
ListenAddress 127.0.0.2:$port
HostKey $PWD/host-key
AuthorizedKeysFile $PWD/user-key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
END
    cat >ssh.conf <<END
Port $port
IdentityFile $PWD/user-key
IdentitiesOnly yes
UserKnownHostsFile /dev/null
StrictHostKeyChecking no
LogLevel ERROR
END
    cat >remote-shell <<END
#!/bin/bash
echo \$2 >>reached
exec ssh -F $PWD/ssh.conf "\$@"
END
    chmod +x remote-shell
    # The daemon wants a folder of its own, which is in none of this machine's.
    unshare --mount bash -c "mount -t tmpfs none /run && mkdir /run/sshd && exec /usr/sbin/sshd -D -e -f $PWD/sshd.conf" \
      2>sshd.log & daemon=$!
    trap 'kill $daemon; wait' EXIT
    until bash -c "</dev/tcp/127.0.0.1/$port" 2>/dev/null; do
      ((++tries < 300)) && kill -0 $daemon || exit 77
      sleep 0.1
    done
    printf '127.0.0.1\n127.0.0.2\n' >hosts
    ssh="--on ssh --with=-f --with=hosts --with=-launcher-exec --with=$PWD/remote-shell"
    run='run -q --compute none -n 5 --map spread'
    morgana $run --json alone.json -- ring 1
    morgana $run --json both.json $ssh -- ring 1
    cmp alone.json both.json
    morgana doctor $ssh >examined)");
  if (done.exit_code == not_here) GTEST_SKIP() << "sshd does not start here: " << read("sshd.log");
  EXPECT_THAT(read("examined"), HasSubstr("agents                  2 in "));
  EXPECT_THAT(read("reached"), HasSubstr("127.0.0.2"));
  EXPECT_THAT(read("sshd.log"), AllOf(HasSubstr("Accepted publickey"), Not(HasSubstr("error"))));
}

}  // namespace
}  // namespace morgana::test
