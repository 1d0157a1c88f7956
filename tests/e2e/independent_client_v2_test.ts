/**
 * A client of version 2 pools that shares no code with src/ (tests/support/independent/), written from
 * contracts/v2/SPEC.md, contracts/v2/types.tlb and circuits/README.md. It deposits by message and by comment,
 * settles with a proof by snarkjs, and withdraws both through the relayer and by itself, with a path of the
 * spent set that it builds.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { Address, beginCell, type Cell, toNano } from "@ton/core";
import { keyPairFromSeed } from "@ton/crypto";
import { TonClient, WalletContractV4 } from "@ton/ton";
import { closeSnarkjs } from "../../testkit/toolchain/snarkjs.ts";
import { sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import {
  askRelayer,
  fieldOf,
  hash,
  HEIGHT,
  integer,
  openIndependentProver,
  openIndependentWallet,
  pathOf,
  zeros,
} from "../support/independent/independent_client.ts";

const ENQUEUE = 0x32e7d1ec;
const SETTLE = 0x7dab05e3;
const WITHDRAW2 = 0x5c3c464b;
const WITHDRAWAL_LOG = 0x230a8cd5;
const CHUNK_HEIGHT = 4;
const CHUNK = 2 ** CHUNK_HEIGHT;
const SLOT_BITS = 12n;
const TAG_BITS = 96n;
const TAGS_BEFORE_CHILDREN = 4;
const D = toNano(10);
const FEE = toNano("0.05");
const SETTLE_VALUE = toNano("0.5");

interface IndependentNote {
  readonly nullifier: bigint;
  readonly secret: bigint;
  readonly commitment: bigint;
}

function createNote(): IndependentNote {
  const [nullifier, secret] = [integer(randomBytes(31)), integer(randomBytes(31))];
  return { nullifier, secret, commitment: hash(nullifier, secret) };
}

const slotOf = (nullifierHash: bigint) => nullifierHash % (1n << SLOT_BITS);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytesOf = (field: bigint) => Buffer.from(field.toString(16).padStart(64, "0"), "hex");

/** Returns a note whose nullifier hash at `leafIndex` lies in the same slot of the spent set as `other`. */
function noteInSlotOf(other: bigint, leafIndex: bigint): IndependentNote {
  for (let nullifier = integer(randomBytes(30));; nullifier++) {
    if (slotOf(hash(nullifier, leafIndex)) !== slotOf(other)) continue;
    const secret = integer(randomBytes(31));
    return { nullifier, secret, commitment: hash(nullifier, secret) };
  }
}

const enqueueBody = (commitment: bigint) =>
  beginCell().storeUint(ENQUEUE, 32).storeUint(0, 64).storeUint(commitment, 256).endCell();

function commentBody(commitment: bigint): Cell {
  const bytes = bytesOf(commitment);
  const text = `tonado:${hex(bytes)}${hex(sha256(bytes)).slice(0, 8)}`;
  return beginCell().storeUint(0, 32).storeStringTail(text).endCell();
}

/** Returns the path of a slot with so few keys that it is one node: their tags, in the order of the logs. */
function carriedOf(spent: readonly bigint[], nullifierHash: bigint): Cell {
  const tags = spent.filter((hash) => slotOf(hash) === slotOf(nullifierHash))
    .map((hash) => (hash >> SLOT_BITS) % (1n << TAG_BITS));
  assert.ok(tags.length > 0 && tags.length <= TAGS_BEFORE_CHILDREN);
  return tags.reduce((node, tag) => node.storeUint(tag, Number(TAG_BITS)), beginCell()).endCell();
}

/** Returns the signals of the settlement of the first commitments of an empty pool. */
function firstSettlement(commitments: readonly bigint[], settler: Address) {
  const pad = (list: readonly bigint[], empty: bigint) => [
    ...list,
    ...Array<bigint>(CHUNK - list.length).fill(empty),
  ];
  return {
    oldRoot: zeros[HEIGHT],
    newRoot: pathOf(commitments, 0).root,
    span: BigInt(commitments.length),
    settler: integer(settler.hash) >> 2n,
    fresh: pad(commitments, 0n),
    leaves: pad(commitments, zeros[0]),
    pathElements: zeros.slice(CHUNK_HEIGHT, HEIGHT),
  };
}

/** Starts a localnet, and creates two notes whose nullifier hashes share a slot. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const ports = ["--port", "0", "--relayer-port", "0", "--block-time", "250", "--json"];
  const localnet = startProgram(sourceCommand(), ["localnet", ...ports]);
  const prove = await openIndependentProver();
  stack.defer(async () => {
    await closeSnarkjs();
    assert.equal((await localnet.stop()).code, 0);
  });
  const { indexer, relayer, pools, wallets } = JSON.parse(await localnet.nextLine());
  const ask = (path: string, json?: unknown) => askRelayer(relayer, path, json);
  const client = new TonClient({ endpoint: indexer });
  const pool = Address.parse(pools["native-10-v2"].address);
  const getter = async (name: string) => (await client.runMethod(pool, name)).stack;
  const wallet = await openIndependentWallet(client, wallets[0]);
  const recipient = () =>
    WalletContractV4.create({ workchain: 0, publicKey: keyPairFromSeed(randomBytes(32)).publicKey })
      .address;

  const first = createNote();
  const firstHash = hash(first.nullifier, 0n);
  const second = noteInSlotOf(firstHash, 1n);
  const commitments = [first.commitment, second.commitment];
  const signals = firstSettlement(commitments, wallet.address);
  const proveWithdrawal = async (
    note: IndependentNote,
    leafIndex: number,
    payees: { recipient: Address; relayer?: Address; fee: bigint },
  ) => {
    const { root, ...path } = pathOf(commitments, leafIndex);
    return await prove("withdraw2", {
      root,
      nullifierHash: hash(note.nullifier, BigInt(leafIndex)),
      recipient: fieldOf(payees.recipient),
      relayer: payees.relayer === undefined ? 0n : fieldOf(payees.relayer),
      fee: payees.fee,
      refund: 0n,
      nullifier: note.nullifier,
      secret: note.secret,
      ...path,
    });
  };
  const open = stack.move();
  return {
    prove,
    signals,
    commitments,
    wallet,
    pool,
    first,
    second,
    getter,
    ask,
    recipient,
    proveWithdrawal,
    client,
    firstHash,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("an independent client of version 2 deposits, settles, and withdraws through the relayer and by itself", async (t) => {
  await using scene = await openScene();
  await t.step(
    "two deposits, one of them by comment, are settled in the same transfer",
    () => depositsAndSettles(scene),
  );
  await t.step("the relayer lists both leaves, and pays the first note", () => paysFirstNote(scene));
  await t.step(
    "the client withdraws the second note by itself, with the path of its slot from the pool's logs",
    () => withdrawsAlone(scene),
  );
});

async function depositsAndSettles(
  { prove, signals, commitments, wallet, pool, first, second, getter }: Scene,
): Promise<void> {
  // These are proved before the deposits are paid. Otherwise the relayer, which settles eagerly, could be
  // first.
  const { cell } = await prove("settle16", signals);
  const settle = beginCell().storeUint(SETTLE, 32).storeUint(0, 64).storeUint(signals.newRoot, 256)
    .storeUint(commitments.length, 32).storeRef(cell).endCell();
  await wallet.send(pool, [
    { value: D, body: enqueueBody(first.commitment) },
    { value: D, body: commentBody(second.commitment) },
    { value: SETTLE_VALUE, body: settle },
  ]);
  await waitUntil("both are settled", async () => (await getter("getSettled")).readNumber() === 2);
  assert.equal((await getter("getNextIndex")).readNumber(), 2);
  assert.equal((await getter("getCurrentRoot")).readBigNumber(), signals.newRoot);
}

async function paysFirstNote(
  { ask, pool, commitments, recipient, proveWithdrawal, first, client }: Scene,
): Promise<void> {
  await waitUntil("the relayer has both leaves", async () => {
    const { status, json } = await ask(`/tree/commitments?pool=${pool}`);
    return status === 200 && json.count === 2 && json.pending.length === 0;
  });
  const { json } = await ask(`/tree/commitments?pool=${pool}`);
  const listed = json.commitments.map((row: { commitment: string }) => BigInt(row.commitment));
  assert.deepEqual(listed, commitments);
  const relayerAddress = Address.parse((await ask("/status")).json.relayerAddress);
  const to = recipient();
  const { proof, publicSignals } = await proveWithdrawal(first, 0, {
    recipient: to,
    relayer: relayerAddress,
    fee: FEE,
  });
  const request = {
    pool: String(pool),
    proof,
    publicSignals,
    recipient: String(to),
    fee: String(FEE),
    refund: "0",
  };
  const answer = await ask("/withdraw", request);
  assert.ok([200, 202].includes(answer.status), JSON.stringify(answer.json)); // 202: not sent yet
  await waitUntil("the recipient is paid", async () => await client.getBalance(to) === D - FEE);
  const again = await ask("/withdraw", request);
  assert.deepEqual([again.status, again.json.code], [409, "nullifier_already_used"]);
}

async function withdrawsAlone(
  { client, pool, firstHash, ask, second, recipient, proveWithdrawal, signals, wallet }: Scene,
): Promise<void> {
  const spent: bigint[] = [];
  for (const { outMessages } of (await client.getTransactions(pool, { limit: 50 })).reverse()) {
    for (const { info, body } of outMessages.values()) {
      const slice = body.beginParse();
      if (info.type !== "external-out" || slice.remainingBits < 32) continue;
      if (slice.loadUint(32) === WITHDRAWAL_LOG) spent.push(slice.loadUintBig(256));
    }
  }
  assert.deepEqual(spent, [firstHash]);
  await waitUntil("the relayer lists the payment", async () => {
    const { nullifierHashes } = (await ask(`/spent?pool=${pool}`)).json;
    return nullifierHashes.length === 1 && BigInt(nullifierHashes[0]) === spent[0];
  });

  const nullifierHash = hash(second.nullifier, 1n);
  const carried = carriedOf(spent, nullifierHash);
  const isSpentBy = async (key: bigint, path: Cell) =>
    (await client.runMethod(pool, "getIsSpentBy", [
      { type: "int", value: key },
      { type: "cell", cell: path },
    ])).stack.readBoolean();
  assert.deepEqual([await isSpentBy(firstHash, carried), await isSpentBy(nullifierHash, carried)], [
    true,
    false,
  ]);

  const to = recipient();
  const { cell } = await proveWithdrawal(second, 1, { recipient: to, fee: 0n });
  const parties = beginCell().storeAddress(to).storeAddress(null).endCell();
  const body = beginCell().storeUint(WITHDRAW2, 32).storeUint(0, 64).storeUint(signals.newRoot, 256)
    .storeUint(0, 32).storeUint(nullifierHash, 256).storeCoins(0).storeCoins(0)
    .storeRef(parties).storeRef(cell).storeMaybeRef(carried).endCell();
  const value = (await client.runMethod(pool, "get_withdraw_value", [{ type: "int", value: 0n }])).stack
    .readBigNumber();
  await wallet.send(pool, [{ value, body }]);
  await waitUntil("the recipient is paid", async () => await client.getBalance(to) === D);
  const both = carriedOf([...spent, nullifierHash], nullifierHash);
  assert.equal(await isSpentBy(nullifierHash, both), true);
  await waitUntil(
    "the relayer lists the second payment",
    async () => (await ask(`/spent?pool=${pool}`)).json.count === 2,
  );
}
