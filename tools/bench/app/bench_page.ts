/** A page with the app's prover and tree, without its screens. The study of the app calls it. */
import { Address } from "@ton/core";
import { downloadPoolTree } from "../../../src/client/pages/pool_pages.ts";
import { RelayerClient } from "../../../src/client/relayer/relayer_client.ts";
import { createProver, type Prover, type WithdrawInput } from "../../../src/prover/prover.ts";
import type { AnyPool } from "../../../src/ton/pool/any_pool.ts";
import { boot } from "../../../src/app/boot.ts";

boot();
let prover: Promise<Prover> | undefined;

const bench = {
  /** Returns the milliseconds of a withdrawal's proof. The first call also downloads and parses the keys. */
  async prove(input: Record<string, string | (string | number)[]>, maxWorkers: number): Promise<number> {
    prover ??= createProver({ maxWorkers });
    const { proveWithdraw } = await prover;
    const parsed = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map((each) => typeof each === "string" ? BigInt(each) : each)
          : BigInt(value),
      ]),
    ) as unknown as WithdrawInput;
    const started = performance.now();
    await proveWithdraw(parsed);
    return performance.now() - started;
  },
  /** Returns the milliseconds in which a pool's whole tree is downloaded and built. */
  async buildTree(relayer: string, leaves: number): Promise<number> {
    const address = Address.parse(`0:${"11".repeat(32)}`);
    const anyRoot = { includes: () => true } as unknown as bigint[];
    const pool = {
      address,
      getTreeSize: () => Promise.resolve(leaves),
      getRootHistory: () => Promise.resolve(anyRoot),
    } as unknown as AnyPool;
    const started = performance.now();
    const tree = await downloadPoolTree(new RelayerClient(relayer), pool);
    if (tree.size !== leaves) throw new Error(`the tree has ${tree.size} leaves`);
    if (tree.root === 0n) throw new Error("the tree has no root");
    return performance.now() - started;
  },
};

export type AppBench = typeof bench;
Object.assign(globalThis, { appBench: bench });
