/** Checks of a version 2 pool with its log, some with a relayer that hides payments. */
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import { openTestSession } from "../../../../tests/support/vaults/test_vaults.ts";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
} from "../../../../testkit/simulation/forged_history.ts";
import { settlementLog } from "../../../../testkit/simulation/transactions.ts";
import { createNoteRecord, type NoteRecord } from "../../../client/notes/note_store.ts";
import { writeFieldBytes } from "../../../core/crypto/field.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { createNote, formatNote, type Note, placeNote } from "../../../core/protocol/note.ts";
import { createNoteSeed, deriveNote } from "../../../core/protocol/seed/note_seed.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../../core/tree/merkle_tree.ts";
import type { Chain, ChainTransaction } from "../../../ton/chain.ts";
import type { CheckResultView } from "../../flows/check.ts";
import type { AppContext, Session } from "../context.ts";
import { PoolTrees } from "../pages/pool_trees.ts";
import { checkServices } from "./check_service.ts";

const POOL = new Address(0, Buffer.alloc(32, 9));
const deployment = {
  asset: "native",
  amount: "1",
  address: POOL,
  denomination: 1n,
  version: 2,
} as Deployment;
const PAID_AT = 1_700_000_000;
const NOW_MS = 1_700_100_000_000;
const newNote = () => createNote({ asset: "native", amount: "1", network: "testnet", version: 2 });
const recordOf = (note: Note, more: Partial<NoteRecord> = {}): NoteRecord => ({
  ...createNoteRecord(formatNote(note), NOW_MS - 1_000),
  state: "depositing",
  ...more,
});

/** A pool that changes between checks, and what the relayer says about it. */
class Scene {
  readonly deposits: bigint[] = [];
  settled = 0;
  readonly paid: bigint[] = []; // nullifier hashes
  /** What the relayer says about spent notes. */
  claimedSpent: readonly bigint[] | undefined;
  readonly requests: string[] = [];
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
    this.add(settlementLog(1, this.tree().root, this.settled, PAID_AT));
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
  check(isAsked?: boolean): Promise<
    Pick<CheckResultView, "facts" | "recovered"> & { readonly requests: readonly string[] }
  >;
  waitForNext(): Promise<void>;
}

async function visit(
  scene: Scene,
  content: Parameters<typeof openTestSession>[0],
  isRestored = false,
): Promise<Visit> {
  const session = await openTestSession(content);
  session.isRestored = isRestored;
  const services = checkServices(scene.context(), session);
  const { signal } = new AbortController();
  return {
    session,
    store: session.store,
    waitForNext: () => services.waitForNext(signal),
    async check(isAsked = false) {
      const { fetch } = globalThis;
      globalThis.fetch = (input) => Promise.resolve(scene.respond(new URL(String(input))));
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

const statesOf = async ({ store }: Visit) => (await store.list()).map(({ state }) => state);
const readsLog = ({ requests }: { readonly requests: readonly string[] }) =>
  requests.includes("transactions");

Deno.test("check: no later check of a visit reads the log because of a note that was paid meanwhile", async () => {
  const [known, note] = [newNote(), newNote()];
  const scene = new Scene();
  scene.deposit(known.commitment);
  scene.settle();
  const deposit = { leafIndex: 0, timestamp: PAID_AT, from: "0:00" };
  const records = [recordOf(known, { state: "deposited", deposit }), recordOf(note, { state: "created" })];
  const open = await visit(scene, { records });
  equal(readsLog(await open.check()), false);
  await open.store.update((await open.store.list())[1].id, { state: "depositing" });
  scene.deposit(note.commitment);
  equal(readsLog(await open.check()), false, "it waits");
  scene.settle();
  equal(readsLog(await open.check()), false, "it is settled");
  deepEqual(await statesOf(open), ["deposited", "deposited"]);
  equal(readsLog(await open.check(true)), true, "the user asked");
  deepEqual((await open.store.list())[1].deposit?.timestamp, PAID_AT + 10);
  equal(readsLog(await open.check()), false, "nothing is new");
  scene.deposit(6n);
  equal(readsLog(await open.check()), true, "once the log was read, every check reads what is new");
});

Deno.test("check: the first one after a restoration finds a note that waits for its settlement", async () => {
  const seed = createNoteSeed();
  const scene = new Scene();
  scene.deposit(5n);
  scene.settle();
  scene.deposit(deriveNote(seed, "testnet", deployment, 0).commitment);
  const open = await visit(scene, { seed, records: [] }, true);
  equal((await open.check()).recovered, 1);
  const [{ state, deposit }] = await open.store.list();
  deepEqual([state, deposit?.leafIndex, deposit?.timestamp], ["deposited", 1, PAID_AT + 10]);
});

Deno.test("check: if the log lacks a recorded payment for ten minutes, the note can be withdrawn again", async () => {
  const note = newNote();
  const attempt = {
    recipient: POOL.toRawString(),
    fee: "0",
    refund: "0",
    request: {
      proof: { pi_a: [], pi_b: [], pi_c: [], protocol: "groth16", curve: "bls12381" },
      publicSignals: [],
    },
  };
  const cases = [
    { attempt: undefined, isAsked: true, state: "deposited" },
    { attempt: { ...attempt, at: NOW_MS - 600_001 }, isAsked: true, state: "withdrawing" },
    { attempt: { ...attempt, at: NOW_MS - 599_999 }, isAsked: true, state: "withdrawn" },
    { attempt: undefined, isAsked: false, state: "withdrawn" }, // a relayer may hide the payment
  ];
  for (const { attempt: withdrawal, isAsked, state } of cases) {
    const scene = new Scene();
    scene.deposit(note.commitment);
    scene.settle();
    const deposit = { leafIndex: 0, timestamp: PAID_AT, from: "0:00" };
    const made = { state: "withdrawn", deposit, ...withdrawal && { withdrawal } } as Partial<NoteRecord>;
    const open = await visit(scene, { records: [recordOf(note, made)] });
    await open.check(isAsked);
    deepEqual(await statesOf(open), [state]);
  }
});

Deno.test("check: a payment that only the log shows is recorded, whatever the relayer lists", async () => {
  const note = newNote();
  const scene = new Scene();
  scene.deposit(note.commitment);
  scene.settle();
  scene.pay(placeNote(note, 0).nullifierHash);
  scene.claimedSpent = [8n];
  const deposit = { leafIndex: 0, timestamp: PAID_AT, from: "0:00" };
  const open = await visit(scene, { records: [recordOf(note, { state: "deposited", deposit })] });
  await open.check();
  deepEqual(await statesOf(open), ["deposited"]);
  equal(open.session.logged, undefined, "pages have no times");
  await open.check(true);
  deepEqual(await statesOf(open), ["withdrawn"]);
  deepEqual([...open.session.logged!.values()].map(({ timestamp }) => timestamp), [PAID_AT]);
});

Deno.test("check: of the deposits after a note, those of others are counted", async () => {
  const [first, second] = [newNote(), newNote()];
  const scene = new Scene();
  for (const commitment of [5n, first.commitment, second.commitment, 6n]) scene.deposit(commitment);
  scene.settle();
  const open = await visit(scene, { records: [recordOf(first), recordOf(second), recordOf(newNote())] });
  const { facts } = await open.check();
  deepEqual([...facts.values()].map(({ later }) => later), [1, 1, undefined]);
});

Deno.test("check: the time of the next check does not depend on how long this one took", async () => {
  const scene = new Scene();
  scene.deposit(5n);
  scene.settle();
  const open = await visit(scene, { records: [] });
  for (const took of [0, 1_000, 59_000, 61_000]) {
    await open.check();
    scene.now += took;
    await open.waitForNext();
  }
  deepEqual(scene.slept, [60_000, 59_000, 1_000, 59_000]);
  await open.check();
  scene.now -= 3_600_000; // the clock was set back
  await open.waitForNext();
  equal(scene.slept.at(-1), 60_000);
});
