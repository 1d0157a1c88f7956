/** Stored notes that are to be paid: their pool is verified, and a proven backup must bring them back. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { type Address, contractAddress, Dictionary, type TupleItem, TupleReader } from "@ton/core";
import { createNoteRecord, type NoteRecord } from "../../client/notes/note_store.ts";
import type { Deployment, Deployments } from "../../core/protocol/deployments.ts";
import { createNote, formatNote } from "../../core/protocol/note.ts";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import { MAX_QUEUED } from "../../core/protocol/v2/pool_constants.ts";
import { createNoteSeed, deriveNote } from "../../core/protocol/seed/note_seed.ts";
import { loadPoolCode, v2NativePoolInit } from "../../ton/pool/state_init.ts";
import { openTestSession } from "../../../tests/support/vaults/test_vaults.ts";
import { proofOf } from "../vault/backup_proof.ts";
import { toBackupProof } from "./backups/backup_coverage.ts";
import { QUESTION_SECONDS } from "../flows/deposit/deposit.ts";
import type { Payer } from "../ports.ts";
import type { AppContext } from "./context.ts";
import { vaultPools } from "./note_book.ts";
import { depositServices } from "./deposit_service.ts";

const parameters = { denomination: 1_000_000_000n, owner: null, version: 2 } as const;
const init = v2NativePoolInit(parameters);
const genuine: Deployment = {
  ...loadPoolCode("native2"),
  ...parameters,
  asset: "native",
  amount: "1",
  deployedSeqno: 1,
  address: contractAddress(0, init),
};
const seed = createNoteSeed();
const derived = createNoteRecord(formatNote(deriveNote(seed, "testnet", genuine, 0)), 1);
const restored = createNoteRecord(
  formatNote(createNote({ asset: "native", amount: "1", network: "testnet", version: 2 })),
  1,
);

interface PoolFigures {
  readonly paused: boolean;
  readonly deposits: number;
  readonly settled: number;
}
const openPool: PoolFigures = { paused: false, deposits: 5, settled: 5 };
const CAPACITY = 2 ** 20;
const YEAR = 31_557_600; // seconds
const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());

/** The results of the pool's get methods. */
function getterOf({ paused, deposits, settled }: PoolFigures, method: string): TupleReader {
  const number = (value: number): TupleItem => ({ type: "int", value: BigInt(value) });
  if (method !== "get_pool_info") return new TupleReader([number(settled)]);
  const kind = 2; // native, version 2
  const none: TupleItem = { type: "null" };
  const figures = [paused ? -1 : 0, deposits, 0, CAPACITY, 0, 0].map(number);
  return new TupleReader([number(kind), none, none, none, ...figures]);
}

interface Visit {
  readonly figures?: PoolFigures;
  readonly deployment?: Deployment;
  readonly code?: typeof init.code;
  /** Seconds for which the pool has paid no storage. */
  readonly idle?: number;
  /** The notes in the backup that was proven last; undefined after the passphrase was changed. */
  readonly backup?: readonly NoteRecord[] | undefined;
}

/** Continues with a stored note. Returns the result, and the note's state afterwards. */
async function openNote(
  id: string,
  { deployment = genuine, code = init.code, backup, figures = openPool, idle = 0 }: Visit,
) {
  const session = await openTestSession({ seed, records: [derived, restored] });
  const registry = {
    network: "testnet",
    pools: new Map([["native-1-v2", deployment]]),
  } as unknown as Deployments;
  const context = {
    registry,
    connections: () => ({ depositEndpoint: "https://chain.example" }),
    connect: () => ({
      account: () =>
        Promise.resolve({ code, data: init.data, balance: 1n, last: { lt: 1n }, syncUtime: idle }),
      transactions: () => Promise.resolve([{ now: 0, raw: { description: {} } }]),
      configParam: (id: number) => Promise.resolve(config.get(id)!),
      runGetMethod: (_pool: Address, method: string) => Promise.resolve(getterOf(figures, method)),
    }),
  } as unknown as AppContext;
  const proof = backup && toBackupProof(proofOf({ seed, records: backup }, vaultPools(registry)));
  const services = depositServices(context, session, () => ({ ...proof }));
  const stateOf = async () => (await session.store.list()).find((record) => record.id === id)?.state;
  return { opened: services.open(id, new AbortController().signal), stateOf };
}

Deno.test("a stored note is not paid into a pool that takes no deposits, or that is not one of this build", async () => {
  const { code: otherCode } = loadPoolCode("native");
  const cases = [
    ["pool_retired", { deployment: { ...genuine, retired: true } }],
    ["wrong_pool", { deployment: { ...genuine, denomination: 2n } }],
    ["wrong_pool", { code: otherCode }],
    ["pool_closed", { figures: { ...openPool, paused: true } }],
    ["pool_closed", { figures: { ...openPool, deposits: 5 + MAX_QUEUED } }],
    ["pool_closed", { idle: 40 * YEAR }],
    ["tree_full", { figures: { ...openPool, deposits: CAPACITY, settled: CAPACITY } }],
  ] as const;
  for (const [code, visit] of cases) {
    const { opened, stateOf } = await openNote(derived.id, { ...visit, backup: [] });
    await rejects(opened, { code });
    equal(await stateOf(), "created");
  }
});

Deno.test("a stored note is ready to be paid only if a proven backup has its seed, or the note itself", async () => {
  const cases = [
    [derived, undefined, "missing"],
    [derived, [], "proven"],
    [restored, undefined, "missing"],
    [restored, [], "file_missing"],
    [restored, [restored], "proven"],
  ] as const;
  for (const [{ id }, backup, expected] of cases) {
    const { opened, stateOf } = await openNote(id, { backup });
    const { ticket, ...found } = await opened;
    deepEqual(found, { backup: expected, wasRequested: false });
    equal(ticket.payment?.message.to.equals(genuine.address), true);
    equal(await stateOf(), expected === "proven" ? "depositing" : "created");
  }
});

Deno.test("no payment is requested that is valid until a time which an endpoint invented", async () => {
  const session = await openTestSession({ seed, records: [derived] });
  const registry = {
    network: "testnet",
    pools: new Map([["native-1-v2", genuine]]),
  } as unknown as Deployments;
  let now = 1_700_000_000;
  let ahead = 0;
  const account = () => Promise.resolve({ code: init.code, balance: 10n ** 12n, syncUtime: now + ahead });
  const context = {
    registry,
    clock: { now: () => (now + 3_600) * 1000 }, // an hour ahead
    connections: () => ({ depositEndpoint: "https://chain.example" }),
    connect: () => ({
      account,
      runGetMethod: (_pool: Address, method: string) => Promise.resolve(getterOf(openPool, method)),
    }),
  } as unknown as AppContext;
  const proof = toBackupProof(proofOf({ seed, records: [] }, vaultPools(registry)));
  const services = depositServices(context, session, () => ({ ...proof }));
  const { signal } = new AbortController();
  const { ticket } = await services.open(derived.id, signal);
  const payer = { address: genuine.address } as Payer;
  const build = () => services.build(ticket, payer, { signal, onProgress: () => {} });
  const YEARS = 20 * 365 * 86_400;
  for (const offset of [YEARS, 0, YEARS, 0]) {
    ahead = offset;
    now += 3;
    if (ahead !== 0) await rejects(build(), { code: "chain_inconsistent" });
    else equal((await build()).question.validUntil, now + QUESTION_SECONDS, "the endpoint is honest");
  }
});
