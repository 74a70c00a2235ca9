# Sourced by quickstart, runtests and .ci/run: packages and build, each only as far as something is missing.

say() { printf '\n== %s\n' "$*" >&2; }

# The list of the packages that only this release has under these names, if there is one: scripts/packages-debian-12.txt.
packages_of_release() {
  local list
  list=scripts/packages-$(. /etc/os-release && echo "$ID-${VERSION_ID:-}").txt
  [[ ! -f $list ]] || echo "$list"
}

# packages_wanted [LISTS]: names, of scripts/packages.txt, of the release's list and of other lists.
packages_wanted() {
  local release
  release=$(packages_of_release)
  [[ -n $release ]] || say "no list of packages is known for this release: taking what all have"
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' scripts/packages.txt ${release:+"$release"} "$@"
}

# install_packages [LISTS]: what of packages_wanted is missing.
install_packages() {
  local missing=() package
  while read -r package; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done < <(packages_wanted "$@")
  ((${#missing[@]})) || return 0
  say "installing ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "run as root, or install sudo: packages are missing" >&2; return 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# unpack_packages FOLDER NAMES: these packages and what they need, as far as not installed, unpacked below FOLDER, as
# anyone may. It changes nothing else. The packages themselves stay in FOLDER/packages, so that none is fetched twice.
unpack_packages() {
  local folder=$1 plan listed package
  shift
  plan=$(apt-get install --simulate -qq --no-install-recommends -o Debug::NoLocking=1 "$@") ||
    { echo "apt-get does not know all of these packages: its lists are missing (apt-get update, by root) or are another release's" >&2; return 1; }
  mapfile -t listed < <(sed -nE 's/^Inst ([^ ]+) (\[[^]]*\] )?\(([^ ]+) .*/\1=\3/p' <<<"$plan")
  mkdir -p "$folder/packages"
  ((${#listed[@]} == 0)) ||
    (cd "$folder/packages" && apt-get download -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "${listed[@]}") ||
    return 1
  for package in "$folder"/packages/*.deb; do
    [[ ! -f $package ]] || dpkg-deb --extract "$package" "$folder" || return 1
  done
  echo "unpacked ${#listed[@]} packages below $folder"
}

# openmpi_option DIR: the cmake option that has the tests of programs for Open MPI built and run. Where Open MPI is
# neither installed nor in the prefix that MORGANA_OPENMPI names, it is unpacked below DIR; where that fails, the option
# is empty, these tests skip, and the reason is said.
openmpi_option() {
  local folder=$1/open-mpi libraries names
  libraries=usr/lib/$(cc -print-multiarch)
  if [[ -n ${MORGANA_OPENMPI-} ]]; then
    folder=$MORGANA_OPENMPI
  elif [[ -f /$libraries/libmpi.so.40 && -f /$libraries/openmpi/include/mpi.h ]]; then
    return 0
  else
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    names=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' scripts/packages-open-mpi.txt)
    if [[ "$(cat "$folder/unpacked" 2>/dev/null)" != "$names" ]]; then
      # What the tests expect of Open MPI itself is what 4.1 does.
      if ! apt-cache policy libopenmpi-dev 2>/dev/null | grep -q '^ *Candidate: 4\.1\.'; then
        say "tests of programs for Open MPI skip: apt-get knows of no package libopenmpi-dev 4.1 (its lists may be missing)"
        return 0
      fi
      say "unpacking Open MPI for tests"
      # shellcheck disable=SC2086 # one word a name
      if unpack_packages "$folder" $names >"$folder/log" 2>&1; then
        printf '%s\n' "$names" >"$folder/unpacked"
      else
        say "tests of programs for Open MPI skip: $(tail -n 1 "$folder/log") ($folder/log)"
        return 0
      fi
    fi
  fi
  printf '%s\n' "-DMORGANA_OPENMPI=$folder"
}

# configure DIR [cmake options]: only for a new folder or other options; cmake runs again by itself when one of its
# files changes.
configure() {
  local dir=$1
  shift
  mkdir -p "$dir"
  [[ ! -f $dir/build.ninja || "$(cat "$dir/options" 2>/dev/null)" != "$*" ]] || return 0
  say "configuring $dir"
  cmake -S . -B "$dir" -G Ninja "$@" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log" >&2; return 1; }
  sed -n 's/^-- Left out, /left out, /p' "$dir/configure.log" >&2
  printf '%s\n' "$*" >"$dir/options"
}

# Of ninja's lines: one each 30 seconds with what is left at the pace so far, and whatever a compiler says.
build_progress() {
  local by_line=()
  [[ $(awk -W version </dev/null 2>&1) != mawk* ]] || by_line=(-W interactive)  # else it waits for a whole block
  awk "${by_line[@]}" 'match($0, /^\[[0-9]+ of [0-9]+, [0-9.]+s\] /) {
         split(substr($0, 2), part, " "); done = part[1]; all = part[3] + 0; seconds = part[4] + 0
         if (seconds >= due + 0 && seconds >= 10) {
           printf "%d of %d steps after %d s, about %d s to go\n", done, all, seconds, seconds * (all - done) / done
           fflush(); due = seconds + 30
         }
         next
       }
       { print; fflush() }'
}

# build DIR [targets]: everything by default; ninja does only what is not up to date.
build() {
  local dir=$1 started=$SECONDS
  shift
  say "building $dir${1:+: $*}"
  export NINJA_STATUS='[%f of %t, %es] '
  if [[ -t 2 ]]; then
    ninja -C "$dir" "$@" >&2  # one line that counts
  else
    ninja -C "$dir" "$@" 2>&1 | build_progress >&2
  fi
  say "built $dir in $((SECONDS - started)) s"
}

# What the tests of DIR said that have just failed: the end of each, shorter where there are several, so that all of it
# is among the last lines of a log.
failed_output() {
  local dir=$1/Testing/Temporary failed
  failed=$(wc -l <"$dir/LastTestsFailed.log")
  awk -v most="$((failed > 3 ? 12 : 40 / (failed > 0 ? failed : 1)))" '
    function tell() {
      printf "\n== %s: its last lines\n", name
      for (i = count > most ? count - most + 1 : 1; i <= count; ++i) print line[i]
    }
    FNR == NR { sub(/^[0-9]+:/, ""); has_failed[$0] = 1; next }
    /^[0-9]+\/[0-9]+ Testing: / { sub(/^[0-9]+\/[0-9]+ Testing: /, ""); name = $0; count = inside = 0; next }
    /^<end of output>$/ { if (inside && name in has_failed) tell(); inside = 0 }
    inside { line[++count] = $0 }
    /^Output:$/ { getline; inside = 1; count = 0 }' "$dir/LastTestsFailed.log" "$dir/LastTest.log"
}

# run_tests DIR [ctest options]: where any fails, what it said comes after all others, and once more how many did.
run_tests() {
  local dir=$1 log code=0
  shift
  rm -f "$dir/Testing/Temporary/LastTestsFailed.log"
  log=$(mktemp)
  ctest --test-dir "$dir" --output-on-failure --no-tests=error -j "$(nproc)" "$@" | tee "$log" || code=$?
  if [[ -s $dir/Testing/Temporary/LastTestsFailed.log ]]; then
    failed_output "$dir"
    sed -n '/% tests passed, /,$p' "$log"
  fi
  rm -f "$log"
  return "$code"
}
