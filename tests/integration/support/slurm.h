#pragma once

#include <string>
#include <vector>

namespace morgana::test {

/// Commands of bash that start Slurm's daemons in the folder, with nodes of two processors that are all this
/// machine, and end them when the shell ends. The shell's exit code is 77 where they do not start.
inline std::string start_slurm(const std::vector<std::string>& nodes) {
  std::string lines, daemons, all;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string& node = nodes[i];
    lines += "NodeName=" + node + " NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + " +
             std::to_string(i + 1) + ")) CPUs=2\n";
    daemons += "slurmd -D -N " + node + " >slurmd-" + node + ".log 2>&1 & daemons+=($!)\n";
    all += (all.empty() ? "" : ",") + node;
  }
  return R"(
    mkdir state
    host=$(hostname -s)
    port=$((20000 + RANDOM % 10000))
    cat >slurm.conf <<END
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool-%n
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd-%n.pid
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
)" + lines +
         "PartitionName=all Nodes=" + all + R"( Default=YES MaxTime=10 State=UP
END
    export SLURM_CONF=$PWD/slurm.conf
    daemons=()
    slurmctld -D >slurmctld.log 2>&1 & daemons+=($!)
)" + daemons +
         R"(
    trap 'kill "${daemons[@]}"; wait' EXIT
    until [[ $(sinfo -h -t idle -o %D 2>/dev/null) == )" +
         std::to_string(nodes.size()) + R"( ]]; do
      ((++tries < 300)) && kill -0 "${daemons[@]}" || exit 77
      sleep 0.1
    done
)";
}

}  // namespace morgana::test
