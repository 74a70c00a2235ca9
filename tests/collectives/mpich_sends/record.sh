#!/bin/sh
# Records what the installed MPICH (ch4:ucx) sends in its collectives, for schedule_mpich_test.cpp and, of
# intercommunicators, for schedule_inter_mpich_test.cpp:
#   tests/collectives/mpich_sends/record.sh > tests/collectives/mpich_sends/mpich-4.0.2.txt
#   tests/collectives/mpich_sends/record.sh between-groups > tests/collectives/mpich_sends/mpich-4.0.2-between-groups.txt
# MPICH is told not to see which ranks share a node: the schedules are those of a flat communicator.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -shared -fPIC -O1 -o "$work/send_log.so" "$here/send_log.c" -ldl
build() {
  mpicxx.mpich -std=c++20 -O1 -I"$here" -o "$work/record" "$here/$1" "$work/send_log.so"
}
run() {
  members=$1
  shift
  mpiexec.mpich -n "$members" -genv LD_PRELOAD "$work/send_log.so" -genv LD_LIBRARY_PATH "$work" \
    -genv MPIR_CVAR_NOLOCAL 1 -genv UCX_TLS sm,self "$work/record" "$work" "$@" >&2
}
if [ "${1:-}" = between-groups ]; then
  build record_between_groups.cpp
  run 8 3
  run 11 8
else
  build record.cpp
  run 8
  run 11
fi
cat $(ls "$work"/[0-9]*.[0-9]* | sort -V)
