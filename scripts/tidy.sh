#!/usr/bin/env bash
# clang-tidy's short list of checks (.clang-tidy) over the tree, in the batches of a unity build, whose headers are read
# once for six files.
#   tidy.sh                  everything: some 270 batches of 2 to 15 s of processor time each
#   tidy.sh --touched BASE   what differs from the commit BASE: each file's batch, and for a header that of one reader
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/build.sh

# For each changed header the file of its own name, or else the first that reads it, tells what is wrong with it.
changed_units() {
  local file name reader
  {
    git diff --name-only --no-renames "$1" -- '*.h' '*.cpp' '*.c'
    git ls-files --others --exclude-standard -- '*.h' '*.cpp' '*.c'
  } | while read -r file; do
    [[ -f $file ]] || continue
    if [[ $file != *.h ]]; then
      echo "$file"
      continue
    fi
    name=${file%.h}.cpp
    if [[ -f $name ]]; then
      echo "$name"
    else
      reader=$(git grep --untracked -lF "#include \"$file\"" -- '*.cpp' || true)
      [[ -z $reader ]] || head -n 1 <<<"$reader"
    fi
  done | sort -u
}

configure build-tidy -DMORGANA_UNITY=ON -DMORGANA_PRECOMPILED=OFF -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang
cmake build-tidy >/dev/null  # files may have come or gone
units=$(sed -nE 's/^ *"file": "([^"]+\.(cpp|cxx|c))",?$/\1/p' build-tidy/compile_commands.json | sort -u)
if [[ ${1-} == --touched ]]; then
  changed=$(changed_units "$2")
  units=$(while read -r unit; do
    if grep -qxF "${unit#"$PWD/"}" <<<"$changed" ||
      { [[ $unit == *_cxx.cxx || $unit == *_c.c ]] &&
        grep -oE '"[^"]+"' "$unit" | tr -d '"' | sed "s|^$PWD/||" | grep -qxFf <(echo "$changed"); }; then
      echo "$unit"
    fi
  done <<<"$units")
fi
if [[ -z $units ]]; then
  say "nothing for clang-tidy"
  exit 0
fi
say "clang-tidy: $(wc -l <<<"$units") batches"
# Its summaries of what it does not show go nowhere; its findings are on stdout.
xargs -r -d '\n' -n 1 -P "${JOBS-$(nproc)}" clang-tidy --quiet -p build-tidy <<<"$units" 2>/dev/null
