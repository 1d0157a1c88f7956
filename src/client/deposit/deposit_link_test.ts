import { deepEqual, rejects } from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import { forgeDepositLog, forgeTransaction } from "../../../testkit/simulation/forged_history.ts";
import { createNote } from "../../core/protocol/note.ts";
import type { Clock } from "../../core/time.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Prover } from "../../prover/prover.ts";
import type { Chain, ChainTransaction } from "../../ton/chain.ts";
import type { Pool } from "../../ton/pool/pool.ts";
import { depositByLink, type LinkDepositStep } from "./deposit_link.ts";

const address = new Address(0, Buffer.alloc(32, 7));
const note = createNote({ asset: "native", amount: "10", network: "localnet" });
const genesis = { id: { lt: 0n, hash: "0".repeat(64) }, now: 1_700_000_000 } as ChainTransaction;

async function linksWith(deposits: readonly (readonly [atMs: number, commitment: bigint])[]) {
  let now = 0;
  const clock: Clock = { now: () => now, sleep: (ms) => (now += ms, Promise.resolve()) };
  const arrived = () => deposits.filter(([atMs]) => atMs <= now).map(([, commitment]) => commitment);
  const history = () => {
    const made = [{ ...forgeTransaction(address, genesis, undefined), prev: null } as ChainTransaction];
    for (const [i, commitment] of arrived().entries()) {
      made.push(forgeTransaction(address, made[i], forgeDepositLog(commitment, i, 5)));
    }
    return made.reverse();
  };
  const treeNow = () => {
    const tree = new MerkleTree();
    tree.appendMany(arrived());
    return tree;
  };
  const chain = {
    account: () => Promise.resolve({ last: history()[0].id }),
    transactions: (_address: Address, { from, limit }: { from?: { hash: string }; limit: number }) => {
      const start = history().findIndex(({ id }) => id.hash === from?.hash);
      return Promise.resolve(history().slice(start, start + limit));
    },
  } as unknown as Chain;
  const pool = {
    ...{ address, chain },
    getPoolInfo: () =>
      Promise.resolve({ assetKind: "native", version: 1, jettonMaster: null, jettonWallet: null }),
    getDenomination: () => Promise.resolve(10_000_000_000n),
    getTreeSize: () => Promise.resolve(treeNow().size),
    getRootHistory: () => Promise.resolve([treeNow().root]),
    buildDepositMessage: () => ({ to: address, value: 10_000_000_000n, body: Cell.EMPTY }),
  } as unknown as Pool;
  const steps: string[] = [];
  const onStep = (step: LinkDepositStep) =>
    steps.push(step.step === "link" ? `link ${step.link.leafIndex}` : step.step);
  const result = await depositByLink({
    ...{ chain, pool, note, clock, network: "localnet", timeoutMs: 10_000, pollIntervalMs: 2_000, onStep },
    prover: { proveDeposit: () => Promise.resolve({ proof: {}, publicSignals: [] }) } as unknown as Prover,
    source: {
      async *commitments(from: number) {
        yield arrived().slice(from);
      },
    },
  });
  return {
    now,
    leafIndex: result.leafIndex,
    attempts: result.attempts,
    links: steps.filter((s) => s !== "syncing" && s !== "proving"),
  };
}

Deno.test("a link that is paid in its last moment is a deposit, a poll later it has timed out", async () => {
  deepEqual(await linksWith([[10_000, note.commitment]]), {
    ...{ now: 10_000, leafIndex: 0, attempts: 1, links: ["link 0"] },
  });
  await rejects(linksWith([[14_000, note.commitment]]), {
    code: "payment_timeout",
    message: /a payment that arrives later is not lost/,
  });
});

Deno.test("a link whose leaf another deposit takes is followed by one for the next leaf", async () => {
  deepEqual(await linksWith([[4_000, 99n], [8_000, note.commitment]]), {
    ...{ now: 8_000, leafIndex: 1, attempts: 2, links: ["link 0", "stale", "link 1"] },
  });
});

Deno.test("a note that is deposited already needs no link", async () => {
  deepEqual(await linksWith([[0, note.commitment]]), { now: 0, leafIndex: 0, attempts: 1, links: [] });
});
