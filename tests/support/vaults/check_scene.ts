/** A version 2 pool with its log, and a relayer that may hide payments. Visits check their notes there. */
import { deepEqual, notEqual, ok } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
} from "../../../testkit/simulation/forged_history.ts";
import { settlementLog } from "../../../testkit/simulation/transactions.ts";
import type { CheckResultView } from "../../../src/app/flows/check.ts";
import { checkServices } from "../../../src/app/services/checks/check_service.ts";
import type { AppContext, Session } from "../../../src/app/services/context.ts";
import { PoolTrees } from "../../../src/app/services/pages/pool_trees.ts";
import { createNoteRecord, type NoteRecord } from "../../../src/client/notes/note_store.ts";
import { writeFieldBytes } from "../../../src/core/crypto/field.ts";
import type { Deployment } from "../../../src/core/protocol/deployments.ts";
import { createNote, formatNote, type Note } from "../../../src/core/protocol/note.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../../src/core/tree/merkle_tree.ts";
import type { Chain, ChainTransaction } from "../../../src/ton/chain.ts";
import { openTestSession } from "./test_vaults.ts";

export const POOL = new Address(0, Buffer.alloc(32, 9));
export const deployment = {
  asset: "native",
  amount: "1",
  address: POOL,
  denomination: 1n,
  version: 2,
} as Deployment;
export const PAID_AT = 1_700_000_000;
export const NOW_MS = 1_700_100_000_000;
export const newNote = () => createNote({ asset: "native", amount: "1", network: "testnet", version: 2 });
export const recordOf = (note: Note, more: Partial<NoteRecord> = {}): NoteRecord => ({
  ...createNoteRecord(formatNote(note), NOW_MS - 1_000),
  state: "depositing",
  ...more,
});

/** A pool that changes between checks, and what the relayer says about it. */
export class CheckScene {
  readonly deposits: bigint[] = [];
  settled = 0;
  #settlements = 0;
  readonly paid: bigint[] = []; // nullifier hashes
  /** What the relayer says about spent notes. */
  claimedSpent: readonly bigint[] | undefined;
  readonly requests: string[] = [];
  /** Called before each answer of the relayer. */
  beforeAnswer: () => Promise<void> = async () => {};
  now = NOW_MS;
  readonly slept: number[] = [];
  readonly #log: ChainTransaction[] = [];

  add(log: Parameters<typeof forgeTransaction>[2]): void {
    const genesis = { id: { lt: 0n, hash: "0".repeat(64) }, now: PAID_AT - 5 } as ChainTransaction;
    const next = forgeTransaction(POOL, this.#log.at(-1) ?? genesis, log);
    this.#log.push(this.#log.length === 0 ? { ...next, prev: null } : next);
  }

  deposit(commitment: bigint): void {
    this.add(forgeDepositLog(commitment, this.deposits.length, PAID_AT));
    this.deposits.push(commitment);
  }

  settle(): void {
    this.settled = this.deposits.length;
    this.add(settlementLog(this.#settlements++, this.tree().root, this.settled, PAID_AT));
  }

  pay(nullifierHash: bigint): void {
    this.add(forgeWithdrawalLog({ nullifierHash, fee: 0n, refund: 0n }));
    this.paid.push(nullifierHash);
  }

  tree(): MerkleTree {
    const tree = new MerkleTree();
    tree.appendMany(this.deposits.slice(0, this.settled));
    return tree;
  }

  chain(): Chain {
    const int = (value: number | bigint): TupleItem => ({ type: "int", value: BigInt(value) });
    const none: TupleItem = { type: "null" };
    return {
      network: "testnet",
      account: () => {
        this.requests.push("account");
        return Promise.resolve({ syncUtime: this.now / 1000, last: this.#log.at(-1)?.id });
      },
      transactions: (_pool: Address, { from, limit }: { from?: { hash: string }; limit: number }) => {
        this.requests.push("transactions");
        const newestFirst = this.#log.toReversed();
        const start = newestFirst.findIndex(({ id }) => id.hash === from?.hash);
        return Promise.resolve(newestFirst.slice(start, start + limit));
      },
      runGetMethod: (_pool: Address, method: string) => {
        this.requests.push(method);
        const roots = Array.from(
          { length: ROOT_HISTORY_SIZE },
          (_, i) => int(i === 0 ? this.tree().root : 0),
        );
        const info = [2, none, none, none, 0, this.deposits.length, this.paid.length, 1_000, 0, 0];
        const stacks: Record<string, readonly TupleItem[]> = {
          get_root_history: [{ type: "tuple", items: roots }],
          get_pool_info: info.map((item) => typeof item === "number" ? int(item) : item),
          getSettled: [int(this.settled)],
        };
        return Promise.resolve(new TupleReader([...stacks[method]]));
      },
    } as unknown as Chain;
  }

  respond(url: URL): Response {
    this.requests.push(url.pathname);
    notEqual(url.searchParams.get("limit"), "1", "no relayer is asked which deposits wait");
    const all = url.pathname === "/spent"
      ? this.claimedSpent ?? this.paid
      : this.deposits.slice(0, this.settled);
    const values = all.slice(Number(url.searchParams.get("from")));
    const bytes = new Uint8Array(values.length * 32);
    for (const [i, value] of values.entries()) writeFieldBytes(value, bytes, i * 32);
    return new Response(bytes, { headers: { "content-type": "application/octet-stream" } });
  }

  context(): AppContext {
    const clock = {
      now: () => this.now,
      sleep: (ms: number) => {
        this.slept.push(ms);
        this.now += ms;
        return Promise.resolve();
      },
    };
    return {
      clock,
      pages: { read: async () => {}, write: async () => {} },
      trees: new PoolTrees(),
      fees: { refresh: async () => {} },
      registry: { network: "testnet", pools: new Map([["native-1-v2", deployment]]) },
      connections: () => ({
        relayers: ["https://relayer.example"],
        withdrawalEndpoint: "https://chain.example",
      }),
      connect: () => this.chain(),
      checkIntervalMs: 60_000,
    } as unknown as AppContext;
  }
}

interface Visit {
  readonly session: Session;
  readonly store: Session["store"];
  check(isAsked?: boolean, signal?: AbortSignal): Promise<
    Pick<CheckResultView, "facts" | "recovered"> & { readonly requests: readonly string[] }
  >;
  waitForNext(): Promise<void>;
}

export async function visit(
  scene: CheckScene,
  content: Parameters<typeof openTestSession>[0],
  isRestored = false,
): Promise<Visit> {
  const session = await openTestSession(content);
  session.isRestored = isRestored;
  const services = checkServices(scene.context(), session);
  return {
    session,
    store: session.store,
    waitForNext: () => services.waitForNext(new AbortController().signal),
    async check(isAsked = false, signal = new AbortController().signal) {
      const { fetch } = globalThis;
      globalThis.fetch = async (input) => {
        await scene.beforeAnswer();
        return scene.respond(new URL(String(input)));
      };
      scene.requests.length = 0;
      try {
        const { facts, recovered, unread } = await services.check({ signal, isAsked, onProgress: () => {} });
        deepEqual(unread, []);
        ok(scene.requests.includes("/spent"), "the relayer's pages were read");
        return { facts, recovered, requests: [...scene.requests] };
      } finally {
        globalThis.fetch = fetch;
      }
    },
  };
}

export const statesOf = async ({ store }: Visit) => (await store.list()).map(({ state }) => state);
export const readsLog = ({ requests }: { readonly requests: readonly string[] }) =>
  requests.includes("transactions");
