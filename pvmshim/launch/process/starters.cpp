#include "pvmshim/launch/process/starters.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace morgana {
namespace {

/// coreutils, util-linux and schedutils; then tools that watch programs, and those that change what they see.
constexpr std::array starters{
    "env",         "nice",       "nohup",       "stdbuf",         "timeout",
    "time",        "xargs",      "chroot",      "taskset",        "chrt",
    "ionice",      "prlimit",    "setsid",      "setarch",        "setpriv",
    "linux32",     "linux64",    "x86_64",      "i386",           "unshare",
    "nsenter",     "uclampset",  "choom",       "flock",          "script",
    "numactl",     "hwloc-bind", "cpulimit",    "strace",         "ltrace",
    "valgrind",    "perf",       "gdb",         "cgdb",           "lldb",
    "rr",          "heaptrack",  "uftrace",     "catchsegv",      "ld-linux-x86-64.so.2",
    "faketime",    "eatmydata",  "fakeroot",    "firejail",       "bwrap",
    "systemd-run", "apptainer",  "singularity", "likwid-perfctr", "likwid-pin",
    "callgrind",   "sudo",       "doas"};

constexpr std::array launchers{
    "mpiexec",      "mpirun",          "orterun",        "prterun",       "prun",
    "srun",         "aprun",           "jsrun",          "lrun",          "ibrun",
    "yhrun",        "mpirun_rsh",      "palsrun",        "mpiexec.mpich", "mpiexec.hydra",
    "mpirun.mpich", "mpiexec.openmpi", "mpirun.openmpi", "mpiexec.mpd",   "mpiexec.slurm",
    "oshrun",       "shmemrun",        "oshrun.openmpi"};

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& names, const std::string& program) {
  return std::ranges::find(names, std::filesystem::path(program).filename().string()) != names.end();
}

}  // namespace

bool starts_another(const std::string& program) {
  return is_one_of(starters, program);
}

bool is_rank_launcher(const std::string& program) {
  return is_one_of(launchers, program);
}

}  // namespace morgana
