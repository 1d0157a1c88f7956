#!/usr/bin/env bash
# Runs the README's two commands, `task demo` and `task test`, as an ordinary user in a minimal Debian with nothing but
# Node.js: no git, no zsh or fish, no databases, no browser. Both must succeed.
#
# The root is made once by debootstrap and kept: FOLDER, by default ~/.cache/tonado-bare-root. Each run gets a fresh
# copy of the sources (without git metadata) and a home without any cache. The root has a network of its own
# (slirp4netns): it reaches package registries, and none of this machine's servers. The registries are those of
# this machine's settings: apt's sources and proxy (otherwise debootstrap's default mirror), and npm's registry,
# settings of the user and proxies.
#
# Needs root, debootstrap, bubblewrap and slirp4netns. Where one is missing it says so and ends with 0; with
# TONADO_REQUIRE_ALL=1 that is a failure.
#
# Usage: tools/check/bare_root.sh [FOLDER]
set -euo pipefail
SUITE=bookworm
DENO=deno@2.9.6 # the README's
USER_ID=1000
sources=$(realpath "$(dirname "$0")/../..")
root=${1:-$HOME/.cache/tonado-bare-root}

skip() {
  echo "skipped: the README's commands on a bare machine need $1"
  if [ "${TONADO_REQUIRE_ALL:-}" = 1 ]; then exit 1; fi
  exit 0
}

# The first mirror of Debian in apt's sources; nothing on machines with another distribution.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sed -n 1p
}
apt_proxy() {
  local apt_proxy=${http_proxy:-}
  eval "$(apt-config shell apt_proxy Acquire::http::Proxy 2>/dev/null)"
  echo "$apt_proxy"
}

[ "$(id -u)" = 0 ] || skip "root"
for program in debootstrap bwrap slirp4netns node npm tar; do
  command -v "$program" >/dev/null || skip "$program"
done

unshare --net --fork --pid true 2>/dev/null || skip "a kernel that makes network namespaces"
[ -e /dev/net/tun ] || skip "/dev/net/tun"

# An unfinished root is made again; any other folder is left alone.
if [ ! -e "$root/.tonado-bare-root" ]; then
  if [ -e "$root" ] && [ -n "$(ls -A "$root")" ]; then
    echo "$root exists and is not a bare root: name another folder." >&2
    exit 2
  fi
  mkdir -p "$root"
  touch "$root/.tonado-bare-root"
fi
if [ "$(cat "$root/.complete" 2>/dev/null)" != "$SUITE" ]; then
  find "$root" -mindepth 1 -maxdepth 1 ! -name .tonado-bare-root -exec rm -rf {} +
  mirror=$(debian_mirror)
  http_proxy=$(apt_proxy) debootstrap --variant=minbase "$SUITE" "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
    { tail "$root.log" >&2; skip "a Debian mirror that can be reached"; }
  echo "$SUITE" >"$root/.complete"
fi

# Node.js as its archive lays it out, with what this machine needs to reach the registry.
install -D "$(realpath "$(command -v node)")" "$root/usr/local/bin/node"
modules=$(npm root --global)
rm -rf "$root/usr/local/lib/node_modules"
mkdir -p "$root/usr/local/lib/node_modules"
cp -r "$modules/npm" "$root/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$root/etc/ca.crt"; fi
echo "nameserver 10.0.2.3" >"$root/etc/resolv.conf"

for program in git zsh fish psql postgres redis-server chromium deno; do
  if chroot "$root" sh -c "command -v $program" >/dev/null; then
    echo "The bare root has $program: remove $root" >&2
    exit 1
  fi
done

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/tonado"
(cd "$sources" && tar --create --exclude-vcs --exclude=./dist --exclude=target --exclude=node_modules .) |
  tar --extract --directory "$home/tonado"
npmrc=$(npm config get userconfig)
if [ -f "$npmrc" ]; then cp "$npmrc" "$home/.npmrc"; fi
chown -R "$USER_ID:$USER_ID" "$home"
# npm and Deno read both the registry and the proxies from these.
settings=(--setenv NPM_CONFIG_REGISTRY "$(npm config get registry)")
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  if [ -n "${!name:-}" ]; then settings+=(--setenv "$name" "${!name}"); fi
done

# Runs a command in the root: its own processes and network, and an environment of its own.
inside() {
  local pipes status=0 child namespaced tap
  pipes=$(mktemp -d)
  mkfifo "$pipes/connected" "$pipes/start"
  # The command waits until its network is connected.
  unshare --net --fork --pid --kill-child -- bash -c 'read -r _ <"$1"; shift; exec "$@"' _ "$pipes/start" \
    bwrap --bind "$root" / --bind "$home" /home/newcomer --proc /proc --dev /dev --perms 1777 --tmpfs /tmp \
    --chdir /home/newcomer/tonado --clearenv --setenv HOME /home/newcomer --setenv LANG C.UTF-8 \
    --setenv PATH /usr/local/bin:/usr/bin:/bin "${settings[@]}" ${NODE_EXTRA_CA_CERTS:+--setenv NODE_EXTRA_CA_CERTS /etc/ca.crt} \
    -- setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups --no-new-privs "$@" &
  child=$!
  until namespaced=$(cat "/proc/$child/task/$child/children" 2>/dev/null) && [ -n "$namespaced" ]; do
    kill -0 "$child" || return 1
    sleep 0.1
  done
  slirp4netns --configure --disable-host-loopback --mtu=1500 --ready-fd=5 "${namespaced% }" tap0 \
    5>"$pipes/connected" >"$pipes/log" 2>&1 &
  tap=$!
  if ! read -r -n 1 _ <"$pipes/connected"; then
    echo "slirp4netns failed:" >&2
    cat "$pipes/log" >&2
    kill "$child"
    return 1
  fi
  echo >"$pipes/start"
  wait "$child" || status=$?
  kill "$tap" 2>/dev/null || true
  rm -r "$pipes"
  return "$status"
}

timed() { # label, command: how long it took inside
  local began=$SECONDS
  inside "${@:2}" || { echo "On a bare machine \`$1\` ended with $?." >&2; exit 1; }
  echo "$1: $((SECONDS - began)) s on a bare machine"
}
timed "task demo, downloads included" npx -y "$DENO" task demo
timed "download of the packages that only tests use" npx -y "$DENO" install --quiet --frozen
timed "task test" npx -y "$DENO" task test
