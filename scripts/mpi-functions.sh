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

has() { grep -qxF "$2" <<<"$1"; }

reason() {
  case $1 in
    MPI_Comm_spawn* | MPI_Comm_accept | MPI_Comm_connect | MPI_Comm_join | MPI_*_port | MPI_*_name)
      echo "the ranks of a run are those that it starts with" ;;
    MPIX_*) echo "failures of ranks are not survived" ;;
    *) echo "one-sided communication is not emulated yet" ;;
  esac
}

while_passing() {
  case $1 in
    MPI_File_*) echo "MPICH; one rank alone, takes no simulated time" ;;
    *) echo "MPICH; nothing moves between ranks" ;;
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
  if has "$modelled" "$name"; then
    echo "| \`$name\` | modelled | Morgana |"
  elif has "$together" "$name"; then
    echo "| \`$name\` | passed through, together | MPICH; costs what agreeing on a communicator costs |"
  elif has "$refused" "$name"; then
    echo "| \`$name\` | refused | $(reason "$name") |"
  else
    echo "| \`$name\` | passed through | $(while_passing "$name") |"
  fi
done
for name in $tools; do
  echo "| \`$name\` | left alone | MPICH |"
done
