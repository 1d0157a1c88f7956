import { type Address, contractAddress } from "@ton/core";
import { jettonPoolInit, nativePoolInit } from "../../src/ton/pool/state_init.ts";

export function nativePoolAddress(options: Parameters<typeof nativePoolInit>[0]): Address {
  return contractAddress(0, nativePoolInit(options));
}

export function jettonPoolAddress(options: Parameters<typeof jettonPoolInit>[0]): Address {
  return contractAddress(0, jettonPoolInit(options));
}
