#!/bin/sh
# Installs what `deno task wasm` needs on Debian, as root: the compiler that made the committed modules, wasm-pack, and
# wasm-bindgen in the version that the crates pin. Takes about three minutes.
# Where rustup can add targets, `rustup target add wasm32-unknown-unknown` replaces the compiler's packages.
set -eu
if ! command -v /usr/bin/rustc >/dev/null || [ ! -d /usr/lib/rustlib/src ] || ! command -v lld-22 >/dev/null; then
  apt-get update -q
  apt-get install -y -q rustc-web rust-web-src lld-22
fi
# wasm-pack asks for this folder before it calls cargo, which builds the standard library itself (-Zbuild-std).
mkdir -p /usr/lib/rustlib/wasm32-unknown-unknown/lib
command -v wasm-bindgen >/dev/null || cargo install --debug --locked wasm-bindgen-cli --version 0.2.121
command -v wasm-pack >/dev/null || cargo install --debug --locked wasm-pack --version 0.15.1
