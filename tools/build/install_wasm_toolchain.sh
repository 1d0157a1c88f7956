#!/bin/sh
# Installs what `deno task wasm` needs on Debian, as root: the compiler that made the committed modules.
# Where rustup can add targets, `rustup target add wasm32-unknown-unknown` replaces the compiler's packages.
set -eu
if ! command -v /usr/bin/rustc >/dev/null || [ ! -d /usr/lib/rustlib/src ] || ! command -v lld-22 >/dev/null; then
  apt-get update -q
  apt-get install -y -q rustc-web rust-web-src lld-22
fi
