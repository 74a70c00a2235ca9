#!/bin/bash
# Prints docs/mpi-functions.md: every function that MPICH's headers declare, and how Morgana treats it.
# Called with the folder of mpi.h; default is Debian's. After a change of pvmshim/mpi/*.def:
#   scripts/mpi-functions.sh > docs/mpi-functions.md
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
headers=${1:-/usr/include/x86_64-linux-gnu/mpich}

# Names that a file's macros of this kind (a pattern) have as their first argument.
named() { sed -nE "s/^MORGANA_($1)\((MPIX?_\w+).*/\2/p" pvmshim/mpi/*.def | sort -u; }

refused=$(named REFUSED)
together=$(named 'FILE|FILE_REQUEST')
modelled=$(comm -23 <(named '\w+') <(printf '%s\n' "$refused" "$together" "$(named 'LOCAL|COLLECTIVE')" | sort -u))
modelled=$(printf '%s\n' "$modelled" "$(named COVERED)" | sort -u)

declared=$(cat "$headers"/mpi_proto.h "$headers"/mpio.h |
  sed -nE 's/^(int|double|MPI_Aint|MPI_Fint|MPI_\w+) +(MPIX?_\w+) *\(.*/\2/p' | grep -vE '^MPI_T_' | sort -u)
tools=$(sed -nE 's/^int +(MPI_T_\w+) *\(.*/\1/p' "$headers"/mpi_proto.h | sort -u)

# Of each name that is not passed through; bash looks it up itself, as a process for each name takes seconds in all.
declare -A treatment
for name in $together; do treatment[$name]="passed through, together"; done
for name in $refused; do treatment[$name]=refused; done
for name in $modelled; do treatment[$name]=modelled; done

by_whom() { # NAME TREATMENT
  case $2:$1 in
    modelled:*) by="Morgana" ;;
    "passed through, together":*) by="MPICH; costs what agreeing on a communicator costs" ;;
    refused:MPI_Comm_spawn* | refused:MPI_Comm_accept | refused:MPI_Comm_connect | refused:MPI_Comm_join | \
      refused:MPI_*_port | refused:MPI_*_name)
      by="the ranks of a run are those that it starts with" ;;
    refused:MPIX_*) by="failures of ranks are not survived" ;;
    refused:*) by="one-sided communication is not emulated yet" ;;
    *:MPI_File_*) by="MPICH; one rank alone, takes no simulated time" ;;
    *) by="MPICH; nothing moves between ranks" ;;
  esac
}

cat <<'EOF'
# MPI's functions

Every function that the headers of MPICH 4.0 declare (each also as `PMPI_`), and what becomes of it in an
emulated run. `scripts/mpi-functions.sh` makes this page of the headers and of `pvmshim/mpi/*.def`; a test
compares all three.

- **modelled**: Morgana carries it out, in simulated time.
- **passed through, together**: MPICH carries it out, and all ranks concerned meet in simulated time.
- **passed through**: MPICH carries it out and Morgana does not see it, since it concerns this rank alone.
- **refused**: ends the run, naming the call. A capture lets it pass and notes that it is not recorded.
- **left alone**: MPICH's tool interface, which looks at MPICH and not at the run.

| function | treatment | by whom, or why |
| --- | --- | --- |
EOF
for name in $declared; do
  treated=${treatment[$name]-passed through}
  by_whom "$name" "$treated"
  echo "| \`$name\` | $treated | $by |"
done
for name in $tools; do
  echo "| \`$name\` | left alone | MPICH |"
done
