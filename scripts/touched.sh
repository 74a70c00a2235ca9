#!/usr/bin/env bash
# touched.sh BASE: the .cpp files that differ from the commit BASE or read a header that does, one a line. All others
# compile as they did. Fails where nobody can tell: no such commit, or the way in which files are compiled has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(git rev-parse --verify --quiet "$1^{commit}")
git diff --quiet "$base" -- cmake || exit 1
{
  git diff --name-only --no-renames "$base" -- '*.h' '*.cpp'
  git ls-files --others --exclude-standard -- '*.h' '*.cpp'
  echo =
  git grep --untracked -oE '^#include "[^"]+"' -- '*.h' '*.cpp'
} | awk '
  $0 == "=" { edges = 1; next }
  !edges { touched[$0] = 1; next }
  {
    colon = index($0, ":"); from[++count] = substr($0, 1, colon - 1)
    split($0, part, "\""); to[count] = part[2]
    folder = from[count]; sub(/[^\/]*$/, "", folder); beside[count] = folder part[2]
  }
  END {
    do {
      grown = 0
      for (i = 1; i <= count; ++i)
        if (!(from[i] in touched) && (to[i] in touched || beside[i] in touched)) grown = touched[from[i]] = 1
    } while (grown)
    for (file in touched) if (file ~ /\.cpp$/) print file
  }' | sort | while read -r file; do [[ ! -f $file ]] || echo "$file"; done
