# Sourced by quickstart, runtests and .ci/run: packages and build, each only as far as something is missing.

say() { printf '\n== %s\n' "$*" >&2; }

install_packages() {
  local missing=() package
  while read -r package; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' scripts/packages.txt)
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

# configure_and_build DIR [cmake options]: ninja does only what is not up to date.
configure_and_build() {
  local dir=$1 log
  shift
  mkdir -p "$dir"
  log=$dir/configure.log
  # cmake runs again by itself when its files change; here only for a new folder or other options.
  if [[ ! -f $dir/build.ninja || "$(cat "$dir/options" 2>/dev/null)" != "$*" ]]; then
    say "configuring $dir"
    cmake -S . -B "$dir" -G Ninja "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
    printf '%s\n' "$*" >"$dir/options"
  fi
  say "building $dir"
  ninja -C "$dir" --quiet >&2
}
