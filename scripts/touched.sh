#!/usr/bin/env bash
# touched.sh BASE: the .cpp files that differ from the commit BASE, or whose own header does, one a line. What else a
# change reaches is compiled in batches. Fails where nobody can tell: no such commit.
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(git rev-parse --verify --quiet "$1^{commit}")
{
  git diff --name-only --no-renames "$base" -- '*.h' '*.cpp'
  git ls-files --others --exclude-standard -- '*.h' '*.cpp'
} | sed 's/\.h$/.cpp/' | sort -u | while read -r file; do [[ ! -f $file ]] || echo "$file"; done
