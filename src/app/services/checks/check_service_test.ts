import { deepEqual, equal, ok } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import fc from "fast-check";
import { openTestSession } from "../../../../tests/support/vaults/test_vaults.ts";
import { propertyParameters } from "../../../../testkit/random/property_runs.ts";
import { RECOVERY_GAP } from "../../../client/notes/derived_notes.ts";
import { createNoteRecord, type NoteRecord } from "../../../client/notes/note_store.ts";
import { writeFieldBytes } from "../../../core/crypto/field.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { createNote, formatNote, type Note } from "../../../core/protocol/note.ts";
import { createNoteSeed, deriveNote, type NoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../../core/tree/merkle_tree.ts";
import type { Chain } from "../../../ton/chain.ts";
import { checkServices } from "./check_service.ts";
import type { AppContext } from "../context.ts";
import { PoolTrees } from "../pages/pool_trees.ts";

type Leaves = readonly (readonly bigint[])[];

const RELAYER = "https://relayer.example";
const amounts = ["1", "10"];
const addresses = amounts.map((_, i) => new Address(0, Buffer.alloc(32, i + 1)));
const notes = amounts.map((amount) => createNote({ asset: "native", amount, network: "testnet" }));
const knownLeaves: Leaves = notes.map(({ commitment }) => [5n, commitment, 6n]);
const spent = [[7n, 8n], [7n, notes[1].nullifierHash]];
const deployments = amounts.map((amount, i) =>
  ({ asset: "native", amount, address: addresses[i], denomination: 1n }) as Deployment
);

function bytesOf(values: readonly bigint[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 32);
  for (const [i, value] of values.entries()) writeFieldBytes(value, bytes, i * 32);
  return bytes;
}

function chainOf(log: string[], leaves: Leaves): Chain {
  return {
    account(address: Address) {
      log.push(`${address.toRawString()} account`);
      return Promise.resolve({ syncUtime: 1_700_000_050 });
    },
    runGetMethod(address: Address, method: string, stack: TupleItem[] = []) {
      log.push(`${address.toRawString()} ${method} ${stack.length}`);
      const inPool = leaves[addresses.findIndex((each) => each.equals(address))];
      if (method !== "get_root_history") {
        return Promise.resolve(new TupleReader([{ type: "int", value: BigInt(inPool.length) }]));
      }
      const tree = new MerkleTree();
      tree.appendMany(inPool.slice(0, 1));
      const firstRoot = tree.root;
      tree.appendMany(inPool.slice(1));
      const items = Array.from(
        { length: ROOT_HISTORY_SIZE },
        (_, i): TupleItem => ({ type: "int", value: i === 0 ? tree.root : i === 1 ? firstRoot : 0n }),
      );
      return Promise.resolve(new TupleReader([{ type: "tuple", items }]));
    },
  } as unknown as Chain;
}

const recordOf = (note: Note, more: Partial<NoteRecord> = {}): NoteRecord => ({
  ...createNoteRecord(formatNote(note), 1_700_000_000_000),
  state: "deposited",
  deposit: { leafIndex: 1, timestamp: 1_700_000_000, from: "0:00" },
  ...more,
});

const pageOf = (leaves: Leaves) => (url: URL): Response => {
  const pool = addresses.findIndex((each) => each.toString() === url.searchParams.get("pool"));
  const all = (url.pathname === "/spent" ? spent : leaves)[pool];
  const headers = { "content-type": "application/octet-stream" };
  return new Response(bytesOf(all.slice(Number(url.searchParams.get("from")))), { headers });
};

interface VisitOptions {
  readonly unreadPools?: readonly string[];
  readonly leaves?: Leaves;
  readonly respond?: (url: URL) => Response;
  readonly seed?: NoteSeed;
}

/** Checks the notes of one visitor. Returns all requests, and the facts by record. The chain has no logs to read. */
async function visit(
  records: readonly NoteRecord[],
  { unreadPools = [], leaves = knownLeaves, respond = pageOf(leaves), seed = createNoteSeed() }:
    VisitOptions = {},
) {
  const log: string[] = [];
  let now = 1_700_000_100_000;
  const context = {
    clock: {
      now: () => now,
      sleep(ms: number) {
        now += ms;
        return Promise.resolve();
      },
    },
    pages: { read: async () => {}, write: async () => {} },
    trees: new PoolTrees(),
    fees: { refresh: async () => {} },
    registry: { network: "testnet", pools: poolMap() },
    connections: () => ({ relayers: [RELAYER], withdrawalEndpoint: "https://chain.example" }),
    connect: () => chainOf(log, leaves),
  } as unknown as AppContext;
  const session = await openTestSession({ seed, records });
  const { fetch } = globalThis;
  globalThis.fetch = (input) => {
    const url = new URL(String(input));
    log.push(url.href);
    return Promise.resolve(respond(url));
  };
  try {
    const { facts, unread, recovered, chainTime } = await checkServices(context, session).check({
      signal: new AbortController().signal,
      isAsked: false,
      onProgress: () => {},
    });
    deepEqual(unread.map(({ pool }) => pool), unreadPools);
    equal(chainTime, 1_700_000_050, "not the device's time");
    return { log, states: [...facts.values()].map(({ state }) => state), store: session.store, recovered };
  } finally {
    globalThis.fetch = fetch;
  }
}

const poolMap = () => new Map(deployments.map((deployment, i) => [`native-${amounts[i]}`, deployment]));

Deno.test("visitors with different notes send the same requests, which name no note", async () => {
  const one = await visit([recordOf(notes[0])]);
  const other = await visit([recordOf(notes[1], { state: "withdrawn" })]);
  const none = await visit([]);
  deepEqual(one.states, ["deposited"]);
  deepEqual(other.states, ["withdrawn"]);
  deepEqual(other.log, one.log);
  deepEqual(none.log, one.log);
  equal(one.log.length, 2 * 4 + 1, "size, roots, leaves and spent notes of each pool, and the chain's time");
  for (const { commitment, nullifierHash } of notes) {
    for (const value of [commitment, nullifierHash]) {
      ok(one.log.every((line) => !line.includes(value.toString(16)) && !line.includes(String(value))));
    }
  }
});

Deno.test("no note changes if a relayer leaves out deposits", async () => {
  const respond = pageOf(knownLeaves.map(([first]) => [first]));
  const pools = amounts.map((amount) => `native-${amount}`);
  const { log, states, store } = await visit([recordOf(notes[0])], { respond, unreadPools: pools });
  deepEqual(states, []);
  deepEqual((await store.list()).map(({ state }) => state), ["deposited"]);
  deepEqual(
    (await visit([], { respond, unreadPools: pools })).log,
    log,
    "the requests tell nothing of the notes",
  );
});

Deno.test("pages keep the depositor and time that the store has of a note", async () => {
  const { store } = await visit([recordOf(notes[0], { state: "depositing" })]);
  const [{ state, deposit }] = await store.list();
  deepEqual([state, deposit], ["deposited", { leafIndex: 1, timestamp: 1_700_000_000, from: "0:00" }]);
});

Deno.test("stored data of another deposit of the note is dropped, and the logs are read", async () => {
  const deposit = { leafIndex: 0, timestamp: 1_600_000_000, from: "0:00" };
  const { store } = await visit([recordOf(notes[0], { deposit })], { unreadPools: [...poolMap().keys()] });
  const [record] = await store.list();
  deepEqual(record.deposit, { leafIndex: 1 });
});

Deno.test("a relayer that cannot serve one pool is not asked for the others", async () => {
  const failing = () => new Response(null, { status: 500 });
  const { log } = await visit([recordOf(notes[0])], {
    unreadPools: [...poolMap().keys()],
    respond: failing,
  });
  equal(log.filter((line) => line.startsWith(RELAYER)).length, 1);
});

Deno.test("the seed alone finds every note that was deposited, however many and with any gaps", async () => {
  const seed = createNoteSeed();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(RECOVERY_GAP - 1), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (gaps, isReversed) => {
        let next = 0;
        const commitments = gaps.map((gap) => {
          const index = next + gap;
          next = index + 1;
          return deriveNote(seed, "testnet", deployments[0], index).commitment;
        });
        const deposited = isReversed ? commitments.toReversed() : commitments;
        const { store, recovered } = await visit([], {
          seed,
          leaves: [deposited, knownLeaves[1]],
          unreadPools: [...poolMap().keys()],
        });
        equal(recovered, gaps.length);
        const found = (await store.list()).map(({ note }) => note.commitment);
        deepEqual(found, commitments);
      },
    ),
    { ...propertyParameters(10), examples: [[[99, 99, 99, 99], false], [[0, 0, 99, 50], true]] },
  );
});
