/**
 * A client that shares no code with src/ (tests/support/independent/). It deposits and withdraws through a
 * running localnet and relayer, so an error that the product and its tests share cannot stay hidden.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Address, beginCell, toNano, type TupleReader } from "@ton/core";
import { keyPairFromSeed } from "@ton/crypto";
import { TonClient, WalletContractV4 } from "@ton/ton";
import { poseidon1 } from "poseidon-bls12381";
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

const FEE = toNano("0.05");

Deno.test("an independent client deposits, and withdraws through the relayer to a fresh address", async () => {
  const localnet = startProgram(sourceCommand(), [
    "localnet",
    "--port",
    "0",
    "--relayer-port",
    "0",
    "--block-time",
    "250",
    "--json",
  ]);
  const prove = await openIndependentProver();
  try {
    const { indexer, relayer, pools, wallets } = JSON.parse(await localnet.nextLine());
    assert.ok(indexer.endsWith("/api/v2/jsonRPC"));
    assert.deepEqual(Object.keys(pools).sort(), [
      "jet-10",
      "jet-10-v2",
      "native-0.1",
      "native-1",
      "native-10",
      "native-10-v2",
    ]);
    assert.ok(wallets.length >= 4);
    const client = new TonClient({ endpoint: indexer });
    for (const { address } of wallets) {
      assert.equal(await client.getBalance(Address.parse(address)), toNano(10_000));
    }
    const pool = Address.parse(pools["native-1"].address);
    const getter = async (name: string) => (await client.runMethod(pool, name)).stack;
    assert.equal((await getter("getDenomination")).readBigNumber(), toNano(1));

    const scene = { client, pool, prove, getter };
    const note = await depositNote(scene, wallets[0]);
    await withdrawNote(scene, note, relayer);
  } finally {
    await closeSnarkjs();
    assert.equal((await localnet.stop()).code, 0);
  }
});

/** The data that the independent client needs to use a pool of the localnet. */
interface Scene {
  readonly client: TonClient;
  readonly pool: Address;
  readonly prove: Awaited<ReturnType<typeof openIndependentProver>>;
  readonly getter: (name: string) => Promise<TupleReader>;
}

interface DepositedNote {
  readonly nullifier: bigint;
  readonly secret: bigint;
  readonly commitment: bigint;
  /** The root of the tree with the deposit. */
  readonly newRoot: bigint;
}

/** Deposits a new note into the empty pool. */
async function depositNote(
  { client, pool, prove, getter }: Scene,
  payer: Parameters<typeof openIndependentWallet>[1],
): Promise<DepositedNote> {
  const [nullifier, secret] = [integer(randomBytes(31)), integer(randomBytes(31))];
  const commitment = hash(nullifier, secret);
  const { pathElements } = pathOf([], 0);
  const newRoot = pathOf([commitment], 0).root;
  const deposit = await prove("deposit", {
    prevRoot: zeros[HEIGHT],
    newRoot,
    commitment,
    leafIndex: 0n,
    pathElements,
  });
  const body = beginCell().storeUint(0x7c790d27, 32).storeUint(0, 64).storeUint(commitment, 256)
    .storeUint(newRoot, 256).storeUint(0, 32).storeRef(deposit.cell)
    .endCell();
  const wallet = await openIndependentWallet(client, payer);
  await wallet.send(pool, [{ value: toNano(1), body }]);
  await waitUntil(
    "the pool has the deposit",
    async () => (await getter("getNextIndex")).readNumber() === 1,
  );
  assert.equal((await getter("getCurrentRoot")).readBigNumber(), newRoot);
  return { nullifier, secret, commitment, newRoot };
}

/** Withdraws the note through the relayer, with the tree rebuilt from the relayer's pages. */
async function withdrawNote(
  { client, pool, prove }: Scene,
  { nullifier, secret, commitment, newRoot }: DepositedNote,
  relayer: string,
): Promise<void> {
  const ask = (path: string, json?: unknown) => askRelayer(relayer, path, json);
  await waitUntil("the relayer has the deposit", async () => {
    const { status, json } = await ask(`/tree/root?pool=${pool}`);
    return status === 200 && BigInt(json.root) === newRoot;
  });
  const { relayerAddress } = (await ask("/status")).json;
  const page = (await ask(`/tree/commitments?pool=${pool}`)).json;
  assert.equal(page.nextFrom, null);
  const leaves: bigint[] = page.commitments.map((row: { commitment: string }) => BigInt(row.commitment));
  const recipient =
    WalletContractV4.create({ workchain: 0, publicKey: keyPairFromSeed(randomBytes(32)).publicKey })
      .address;
  const { root, ...path } = pathOf(leaves, leaves.indexOf(commitment));
  const nullifierHash: bigint = poseidon1([nullifier]);
  const { proof, publicSignals } = await prove("withdraw", {
    root,
    nullifierHash,
    recipient: fieldOf(recipient),
    relayer: fieldOf(Address.parse(relayerAddress)),
    fee: FEE,
    refund: 0n,
    nullifier,
    secret,
    ...path,
  });
  const request = {
    pool: String(pool),
    proof,
    publicSignals,
    recipient: String(recipient),
    fee: String(FEE),
    refund: "0",
  };
  const answer = await ask("/withdraw", request);
  assert.ok([200, 202].includes(answer.status), JSON.stringify(answer.json)); // 202: not sent yet
  assert.equal(answer.json.fee, String(FEE));

  const id = { pool: String(pool), nullifierHash: `0x${nullifierHash.toString(16)}` };
  await waitUntil("the withdrawal is confirmed", async () => {
    const { state, seqno } = (await ask("/withdraw/status", id)).json;
    return state === "confirmed" && Number.isInteger(seqno);
  });
  await waitUntil(
    "the recipient is paid",
    async () => await client.getBalance(recipient) === toNano(1) - FEE,
  );
  const spent = (await client.runMethod(pool, "getIsSpent", [{ type: "int", value: nullifierHash }])).stack;
  assert.ok(spent.readBoolean());

  const again = await ask("/withdraw", request);
  assert.deepEqual([again.status, again.json.code], [409, "nullifier_already_used"]);
}
