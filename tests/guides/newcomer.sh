#!/usr/bin/env bash
# Runs the commands of the guides as a new user would, one after another, in an empty folder with an empty HOME and
# without this machine's environment: the blocks marked `sh play` in README.md and docs/, with the programs marked
# `js run NAME` under their names. A guide that continues another one runs in the same folder. The folder of the
# ceremony contains a small phase 1 file and small constraint systems. The folder of the integrator's guide contains
# the packed library, Node and npm. If these or npm's registry are missing, the guide is skipped by name, or fails with
# TONADO_REQUIRE_ALL=1. Usage:
#   tests/guides/newcomer.sh BINARY [TRANSCRIPT]     default transcript: dist/newcomer.log
# TONADO_TEST_TARBALL names a packed library. By default the script packs it.
set -euo pipefail
binary=$(realpath "$1")
transcript=$(realpath -m "${2:-dist/newcomer.log}")
root=$(realpath "$(dirname "$0")/../..")
deno=${DENO:-deno}
mkdir -p "$(dirname "$transcript")"

# Prints the first missing requirement of the integrator's guide, or nothing if the guide can run.
lacking() {
  for tool in node npm; do
    command -v "$tool" > /dev/null || { echo "$tool"; return; }
  done
  timeout 60 npm view --fetch-retries=0 @ton/core version > /dev/null 2>&1 || echo "npm's registry"
}

# Adds the tarball, Node, npm and this machine's access to the registry to the integrator's folder.
prepare_integrating() { # home
  local tool name tarball=${TONADO_TEST_TARBALL:-}
  for tool in node npm; do ln -s "$(realpath "$(command -v "$tool")")" "$1/bin/$tool"; done
  if [ -n "$tarball" ]; then
    cp "$tarball" "$1/work/"
  else
    (cd "$root" && "$deno" task --quiet npm --no-docs --output "$1/work")
  fi
  environment+=("npm_config_registry=$(npm config get registry)" "npm_config_cache=$(npm config get cache)")
  for name in HTTPS_PROXY NODE_EXTRA_CA_CERTS; do
    if [ -n "${!name:-}" ]; then environment+=("$name=${!name}"); fi
  done
}

# Runs the guides of one folder, and writes their output to the part of the transcript with this number.
play() { # number pages
  local part="$parts/$1" pages=$2 page program commands script='' status=0 began=$SECONDS home
  home=$(mktemp -d)
  environment=()
  mkdir "$home/bin" "$home/work"
  ln -s "$binary" "$home/bin/tonado"
  printf '\n== %s\n' "$pages" > "$part"
  for page in $pages; do
    commands=$(sed -n '/^```sh play$/,/^```$/{/^```/!p}' "$root/$page")
    if [ -z "$commands" ]; then
      echo "$page has nothing to play" >&2
      return 1
    fi
    script+=$commands$'\n'
    for program in $(sed -n 's/^```js run \([a-z]*\.mjs\)$/\1/p' "$root/$page"); do
      sed -n "/^\`\`\`js run $program\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$root/$page" > "$home/work/$program"
    done
  done
  case $pages in
    docs/ceremony.md) "$deno" run -A "$root/tests/support/ceremony/write_tiny_ceremony.ts" "$home/work" ;;
    docs/integrating.md*) prepare_integrating "$home" >> "$part" ;;
  esac
  # The guide has a process group of its own, so that its remaining processes end with it.
  (cd "$home/work" && exec setsid env -i HOME="$home" PATH="$home/bin:/usr/bin:/bin" "${environment[@]}" timeout 1200 \
    bash -e -u -o pipefail -v -c "trap 'kill \$(jobs -p) 2>/dev/null || true; wait' EXIT
$script") >> "$part" 2>&1 || status=$?
  rm -rf "$home"
  if [ "$status" -ne 0 ]; then
    echo "$pages: a command ended with $status" >&2
    tail -n 30 "$part" >&2
    return 1
  fi
  echo "$pages: $(grep -c . <<< "$script") lines played in $((SECONDS - began)) s"
}

parts=$(mktemp -d)
# In every case, waits for running guides and writes the transcript.
trap 'wait; cat "$parts"/* > "$transcript"; rm -rf "$parts"' EXIT
# The other guides use the same ports for their local networks, so they run in turn. The ceremony has no network.
play 4 docs/ceremony.md &
ceremony=$!
play 1 README.md
play 2 "docs/using.md docs/compliance.md"
play 3 docs/operating.md
missing=$(lacking)
if [ -z "$missing" ]; then
  play 5 "docs/integrating.md docs/migration.md"
else
  echo "skipped: docs/integrating.md and docs/migration.md need $missing" | tee "$parts/5"
  if [ "${TONADO_REQUIRE_ALL:-}" = 1 ]; then exit 1; fi
fi
wait "$ceremony"
