#!/bin/sh
# Records what Open MPI 4.1 sends in its collectives, for schedule_openmpi_test.cpp:
#   tests/collectives/openmpi_sends/record.sh [PREFIX] > tests/collectives/openmpi_sends/openmpi-4.1.4.txt
# PREFIX: where Debian's packages of Open MPI lie unpacked; without it, the installed one is taken. A line is one of
# mpich_sends/record.cpp behind the algorithm that was forced ("-": none) and its segment size.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$prefix/usr/lib/x86_64-linux-gnu
if [ -n "$prefix" ]; then
  export OPAL_PREFIX="$prefix/usr" PATH="$prefix/usr/bin:$PATH" LD_LIBRARY_PATH="$library"
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_osc=^ucx OMPI_MCA_btl_vader_single_copy_mechanism=none
cc -shared -fPIC -O1 -I"$library/openmpi/include" -o "$work/send_log.so" "$here/send_log.c" "$library/libmpi.so.40" -ldl
c++ -std=c++20 -O1 -DOMPI_SKIP_MPICXX -I"$here/../mpich_sends" -I"$library/openmpi/include" -o "$work/record" \
  "$here/../mpich_sends/record.cpp" "$work/send_log.so" "$library/libmpi.so.40" \
  -Wl,-rpath-link,"$library"
run() {
  members=$1
  shift
  mpiexec.openmpi --oversubscribe -n "$members" "$@" env LD_PRELOAD="$work/send_log.so" "$work/record" "$work" >&2
  # Of the forced ones: some members, and no operands that don't commute, which not all of them can reduce.
  cat $(ls "$work"/[0-9]*.[0-9]* | sort -V) |
    awk '$6 < 2 || $6 == $5 - 1 || ($1 == "-" && $6 == 6)' | awk '$1 == "-" || $9 == 1'
  rm -f "$work"/[0-9]*.[0-9]*
}
for members in 2 3 5 8 11; do
  RECORD_AS="- 0 " run "$members"
done
# force KIND PARAMETER NUMBER NAME [SEGMENT]
# Forced chains are 4, the default of Open MPI's parameter, so that "chain" is not "pipeline"; its own choice, which passes
# no number, makes one chain, the default of collectives.chains.
force() {
  for members in ${MEMBERS:-8 11}; do
    RECORD_KIND=$1 RECORD_AS="$4 ${5:-0} " run "$members" --mca coll_tuned_use_dynamic_rules 1 \
      --mca "coll_tuned_$2_algorithm" "$3" --mca "coll_tuned_$2_algorithm_segmentsize" "${5:-0}" \
      --mca "coll_tuned_$2_algorithm_chain_fanout" 4
  done
}
force_all() {
  kind=$1 parameter=$2 number=0
  shift 2
  for name in "$@"; do
    number=$((number + 1))
    [ "$name" = two-proc ] || force "$kind" "$parameter" "$number" "$name"
  done
}
force_all broadcast bcast linear chain pipeline split-binary binary binomial knomial scatter-allgather \
  scatter-allgather-ring
force_all reduce reduce linear chain pipeline binary binomial in-order-binary rabenseifner
force_all allreduce allreduce linear nonoverlapping recursive-doubling ring segmented-ring rabenseifner
force_all allgather allgather linear bruck recursive-doubling ring neighbor-exchange two-proc
force_all allgatherv allgatherv linear bruck ring neighbor-exchange two-proc
force_all alltoall alltoall linear pairwise bruck linear-sync two-proc
force_all alltoallv alltoallv linear pairwise
force_all gather gather linear binomial linear-sync
force_all scatter scatter linear binomial linear-nonblocking
force_all reduce_scatter reduce_scatter nonoverlapping recursive-halving ring butterfly
force_all reduce_scatter_block reduce_scatter_block nonoverlapping recursive-doubling recursive-halving butterfly
force_all scan scan linear recursive-doubling
force_all exscan exscan linear recursive-doubling
force broadcast bcast 3 pipeline 5000
force broadcast bcast 4 split-binary 5000
force broadcast bcast 7 knomial 5000
force reduce reduce 2 chain 5001
force reduce reduce 4 binary 5000
force allreduce allreduce 5 segmented-ring 1000
force gather gather 3 linear-sync 1000
MEMBERS=11
force_all barrier barrier linear double-ring recursive-doubling bruck two-proc tree
MEMBERS=2
force allgather allgather 6 two-proc
force allgatherv allgatherv 5 two-proc
force alltoall alltoall 5 two-proc
# Beyond the limits of 8 and 32 members, and what depends on the form of arguments.
for members in 13 33; do
  RECORD_AS="- 0 " run "$members"
  RECORD_ARGUMENTS=1 RECORD_AS="- 0 " run "$members"
done
MEMBERS=11
export RECORD_ARGUMENTS=1
force broadcast bcast 4 split-binary 5000
force broadcast bcast 5 binary 5001
force broadcast bcast 8 scatter-allgather
force broadcast bcast 9 scatter-allgather-ring
force allgatherv allgatherv 3 ring
