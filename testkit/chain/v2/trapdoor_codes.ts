/** The code of version 2 pools with test keys, see ../trapdoor_keys.ts. */
import type { Cell } from "@ton/core";
import { settle16KeySource, withdraw2KeySource } from "../../../src/ops/keys/key_source.ts";
import { compileCached } from "../compiled_contracts.ts";
import { trapdoorKey } from "../trapdoor_keys.ts";

/** Verification keys with known secrets, by path of the source that they replace. */
export const v2TrapdoorKeys: Readonly<Record<string, string>> = {
  "contracts/v2/generated/key_withdraw2.tolk": withdraw2KeySource(trapdoorKey("withdraw2")),
  "contracts/v2/generated/key_settle16.tolk": settle16KeySource(trapdoorKey("settle16")),
};

/** Compiles the native pool with the test keys. */
export function v2TrapdoorCode(): Promise<Cell> {
  return compileCached("contracts/v2/pool_native.tolk", v2TrapdoorKeys);
}

/** Compiles the jetton pool with the test keys. */
export function v2TrapdoorJettonCode(): Promise<Cell> {
  return compileCached("contracts/v2/jetton/pool_jetton.tolk", v2TrapdoorKeys);
}
