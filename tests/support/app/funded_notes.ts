/** Deposits notes before a browser opens, each in its own note store. */
import { Buffer } from "node:buffer";
import { checkNotes } from "../../../src/client/notes/note_check.ts";
import { createIdentity, vaultOf } from "../../../src/client/notes/note_encryption.ts";
import {
  createNoteRecord,
  type NoteRecord,
  serializeNoteStore,
} from "../../../src/client/notes/note_store.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import type { Deployment, Deployments } from "../../../src/core/protocol/deployments.ts";
import { formatNote } from "../../../src/core/protocol/note.ts";
import { createNoteSeed, deriveNote, type NoteSeed } from "../../../src/core/protocol/seed/note_seed.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import { openPool } from "../../../src/ton/pool/any_pool.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";

/** The lowest factor that age has, because the passphrase protects nothing here. */
const WORK_FACTOR = 1;
const SETTLEMENT_TIMEOUT_MS = 180_000;

/** The storage that a browser has from an earlier visit. */
export interface StoreContent {
  readonly seed: NoteSeed;
  readonly records: readonly NoteRecord[];
}

export interface Funder {
  readonly indexer: string;
  readonly deployments: Deployments;
  readonly wallet: { readonly mnemonic: string; readonly version: "v4R2" | "v5R1" };
}

export function newContent(): StoreContent {
  return { seed: createNoteSeed(), records: [] };
}

/** Returns the first note of a seed's store. */
export function noteOf(seed: NoteSeed, deployment: Deployment, index = 0): NoteRecord {
  const record = createNoteRecord(formatNote(deriveNote(seed, "localnet", deployment, index)), Date.now());
  return { ...record, pool: deployment.address.toRawString() };
}

/** Returns a store whose notes wait for their payment. */
export function unpaidContent(deployment: Deployment, count: number, { seed } = newContent()): StoreContent {
  const records = Array.from({ length: count }, (_, index) => ({
    ...noteOf(seed, deployment, index),
    state: "depositing" as const,
  }));
  return { seed, records };
}

/** Deposits one note for each of `count` stores, and returns once all of them can be withdrawn. */
export async function fundNotes(
  { indexer, deployments, wallet }: Funder,
  count: number,
  key = "native-10-v2",
): Promise<StoreContent[]> {
  const deployment = deployments.pools.get(key)!;
  const chain = connect({ network: "localnet", endpoint: indexer });
  const payer = await openWallet(new Secret(wallet.mnemonic), {
    version: wallet.version,
    network: "localnet",
    chain,
  });
  const seeds = Array.from({ length: count }, () => createNoteSeed());
  const records = seeds.map((seed) => noteOf(seed, deployment));
  const notes = records.map(({ note }) => note.reveal());
  const pool = openPool(chain, deployment.address, deployment.version) as V2Pool;
  const { denomination: value } = deployment;
  await payer.send(notes.map(({ commitment }) => pool.buildCommentDepositMessage({ commitment, value })));
  let found: Awaited<ReturnType<typeof checkNotes>> = [];
  await waitUntil("the deposits are settled", async () => {
    try {
      found = await checkNotes(chain, deployment.address, notes);
      return found.every(({ state, waits }) => state === "deposited" && !waits);
    } catch (error) { // a settlement happened between reading the log and the roots
      if (error instanceof Problem && error.code === "unknown_root") return false;
      throw error;
    }
  }, SETTLEMENT_TIMEOUT_MS);
  return found.map(({ leafIndex, depositor, depositedAt }, i) => {
    const deposit = { leafIndex, from: depositor, timestamp: depositedAt, settled: true };
    return { seed: seeds[i], records: [{ ...records[i], state: "deposited" as const, deposit }] };
  });
}

/** Encrypts a store as the app does, with a passphrase that opens quickly. */
export async function encryptStore(
  content: StoreContent,
  passphrase: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const vault = await vaultOf(await createIdentity(new Secret(passphrase), WORK_FACTOR));
  return await vault.encrypt(serializeNoteStore(content));
}

export const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
