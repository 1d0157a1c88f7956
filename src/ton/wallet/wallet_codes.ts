/** Code hashes of wallet contracts with one key, from @ton/ton. Their owners can spend what they receive. */
import type { Cell } from "@ton/core";

export const walletCodeHashes = {
  v1R1: "a0cfc2c48aee16a271f2cfc0b7382d81756cecb1017d077faaab3bb602f6868c",
  v1R2: "d4902fcc9fad74698fa8e353220a68da0dcf72e32bcb2eb9ee04217c17d3062c",
  v1R3: "587cc789eff1c84f46ec3797e45fc809a14ff5ae24f1e0c7a6a99cc9dc9061ff",
  v2R1: "5c9a5e68c108e18721a07c42f9956bfb39ad77ec6d624b60c576ec88eee65329",
  v2R2: "fe9530d3243853083ef2ef0b4c2908c0abf6fa1c31ea243aacaa5bf8c7d753f1",
  v3R1: "b61041a58a7980b946e8fb9e198e3c904d24799ffa36574ea4251c41a566f581",
  v3R2: "84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599",
  v4R2: "feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0",
  v5Beta: "f3d7ca53493deedac28b381986a849403cbac3d2c584779af081065af0ac4b93",
  v5R1: "20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f",
} as const;

const knownHashes: ReadonlySet<string> = new Set(Object.values(walletCodeHashes));

export function isKnownWalletCode(code: Cell): boolean {
  return knownHashes.has(code.hash().toString("hex"));
}
