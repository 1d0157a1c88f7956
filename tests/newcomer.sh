#!/usr/bin/env bash
# Plays the commands of the guides as somebody new would, one after another, in an empty folder with an empty HOME and
# nothing of this machine's environment: what is marked `sh play` in README.md and docs/. Guides that go on where another
# ends are played in one folder; the ceremony's has a phase 1 file and constraint systems in it, which are small. Usage:
#   tests/newcomer.sh BINARY [TRANSCRIPT]     default transcript: dist/newcomer.log
set -euo pipefail
binary=$(realpath "$1")
transcript=$(realpath -m "${2:-dist/newcomer.log}")
root=$(realpath "$(dirname "$0")/..")
mkdir -p "$(dirname "$transcript")"
: > "$transcript"

for pages in README.md "docs/using.md docs/compliance.md" docs/operating.md docs/ceremony.md; do
  script=
  for page in $pages; do
    commands=$(sed -n '/^```sh play$/,/^```$/{/^```/!p}' "$root/$page")
    if [ -z "$commands" ]; then
      echo "$page has nothing to play" >&2
      exit 1
    fi
    script+=$commands$'\n'
  done
  home=$(mktemp -d)
  mkdir "$home/bin" "$home/work"
  ln -s "$binary" "$home/bin/tonado"
  if [ "$pages" = docs/ceremony.md ]; then
    "${DENO:-deno}" run -A "$root/tests/support/write_tiny_ceremony.ts" "$home/work"
  fi
  printf '\n== %s\n' "$pages" >> "$transcript"
  # A process group of its own: what the guide leaves running ends with it.
  status=0
  (cd "$home/work" && exec setsid env -i HOME="$home" PATH="$home/bin:/usr/bin:/bin" timeout 300 \
    bash -e -u -o pipefail -v -c "trap 'kill \$(jobs -p) 2>/dev/null || true; wait' EXIT
$script") >> "$transcript" 2>&1 || status=$?
  rm -rf "$home"
  if [ "$status" -ne 0 ]; then
    echo "$pages: a command ended with $status" >&2
    tail -n 30 "$transcript" >&2
    exit 1
  fi
  echo "$pages: $(grep -c . <<< "$script") lines played"
done
