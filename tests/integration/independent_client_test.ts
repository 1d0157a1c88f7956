/**
 * A client that shares no code with src/: snarkjs, npm poseidon-bls12381, @noble/curves and @ton/ton, written from the
 * protocol's documents alone. It deposits and withdraws through a running localnet and relayer, so that an error which
 * product and tests have in common cannot hide.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { Address, beginCell, type Cell, internal, SendMode, toNano } from "@ton/core";
import { keyPairFromSeed, mnemonicToPrivateKey } from "@ton/crypto";
import { TonClient, WalletContractV4, WalletContractV5R1 } from "@ton/ton";
import { poseidon1, poseidon2 } from "poseidon-bls12381";
import { closeSnarkjs, openSnarkjs } from "../../testkit/toolchain/snarkjs.ts";
import { sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";

const HEIGHT = 20;
const FEE = toNano("0.05");
const { Fr, Fp, Fp2 } = bls12_381.fields;

const integer = (bytes: Uint8Array) =>
  BigInt(`0x${Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")}`);
const hash = (left: bigint, right: bigint): bigint => poseidon2([left, right]);
const zeros = [integer(keccak_256(new TextEncoder().encode("tornado"))) % Fr.ORDER];
while (zeros.length <= HEIGHT) zeros.push(hash(zeros[zeros.length - 1], zeros[zeros.length - 1]));

/** Root and path of leaf `index`, level by level, nothing clever. */
function pathOf(leaves: readonly bigint[], index: number) {
  let level = [...leaves];
  const pathElements: bigint[] = [];
  const pathIndices: number[] = [];
  for (let height = 0; height < HEIGHT; height++, index >>= 1) {
    pathElements.push(level[index ^ 1] ?? zeros[height]);
    pathIndices.push(index & 1);
    const parents = [];
    for (let i = 0; i < level.length; i += 2) parents.push(hash(level[i], level[i + 1] ?? zeros[height]));
    level = parents;
  }
  return { root: level[0] ?? zeros[HEIGHT], pathElements, pathIndices };
}

function fieldOf({ workChain, hash: account }: Address): bigint {
  return integer(sha256(Uint8Array.from([workChain & 0xff, ...account]))) >> 2n;
}

interface SnarkProof {
  pi_a: string[];
  pi_b: string[][];
  pi_c: string[];
}

function proofCell({ pi_a, pi_b, pi_c }: SnarkProof): Cell {
  const g1 = ([x, y]: string[]) =>
    integer(
      bls12_381.G1.Point.fromAffine({ x: Fp.create(BigInt(x)), y: Fp.create(BigInt(y)) }).toBytes(true),
    );
  const pair = ([c0, c1]: string[]) => Fp2.create({ c0: BigInt(c0), c1: BigInt(c1) });
  const b = integer(bls12_381.G2.Point.fromAffine({ x: pair(pi_b[0]), y: pair(pi_b[1]) }).toBytes(true));
  return beginCell().storeUint(g1(pi_a), 384).storeUint(g1(pi_c), 384)
    .storeRef(beginCell().storeUint(b, 768)).endCell();
}

const artifact = (name: string) => Deno.readFile(new URL(`../../artifacts/${name}`, import.meta.url));

Deno.test("an independent client deposits, and withdraws through the relayer to a fresh address", async () => {
  const localnet = startProgram(sourceCommand, [
    "localnet",
    "--port",
    "0",
    "--relayer-port",
    "0",
    "--block-time",
    "250",
    "--json",
  ]);
  const snarkjs = await openSnarkjs();
  const prove = async (circuit: string, inputs: Record<string, bigint | bigint[] | number[]>) => {
    const [program, key] = await Promise.all([artifact(`${circuit}.wasm`), artifact(`${circuit}.zkey`)]);
    const asText = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (_, x) => typeof x === "bigint" ? String(x) : x));
    return await snarkjs.groth16.fullProve(asText(inputs), { type: "mem", data: program }, {
      type: "mem",
      data: key,
    });
  };
  try {
    const { indexer, relayer, pools, wallets } = JSON.parse(await localnet.nextLine());
    assert.ok(indexer.endsWith("/api/v2/jsonRPC"));
    assert.deepEqual(Object.keys(pools).sort(), [
      "jet-10",
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

    // deposit
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
      .storeUint(newRoot, 256).storeUint(0, 32).storeRef(proofCell(deposit.proof as unknown as SnarkProof))
      .endCell();
    const { mnemonic, version } = wallets[0];
    const { publicKey, secretKey } = await mnemonicToPrivateKey(mnemonic.split(" "));
    const contract = version === "v4R2"
      ? WalletContractV4.create({ workchain: 0, publicKey })
      : WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId: -3 } });
    assert.ok(contract.address.equals(Address.parse(wallets[0].address)));
    const wallet = client.open(contract as WalletContractV4);
    const messages = [internal({ to: pool, value: toNano(1), bounce: true, body })];
    await wallet.sendTransfer({
      seqno: await wallet.getSeqno(),
      secretKey,
      messages,
      sendMode: SendMode.PAY_GAS_SEPARATELY,
    });
    await waitUntil(
      "the pool has the deposit",
      async () => (await getter("getNextIndex")).readNumber() === 1,
    );
    assert.equal((await getter("getCurrentRoot")).readBigNumber(), newRoot);

    // withdraw, the tree rebuilt from the relayer's pages
    const ask = async (path: string, json?: unknown) => {
      const response = await fetch(
        `${relayer}${path}`,
        json === undefined ? {} : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(json),
        },
      );
      return { status: response.status, json: await response.json() };
    };
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
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    assert.equal(answer.json.fee, String(FEE));
    assert.ok(Number.isInteger(answer.json.seqno));

    const id = { pool: String(pool), nullifierHash: `0x${nullifierHash.toString(16)}` };
    await waitUntil(
      "the withdrawal is confirmed",
      async () => (await ask("/withdraw/status", id)).json.state === "confirmed",
    );
    await waitUntil(
      "the recipient is paid",
      async () => await client.getBalance(recipient) === toNano(1) - FEE,
    );
    const spent = (await client.runMethod(pool, "getIsSpent", [{ type: "int", value: nullifierHash }])).stack;
    assert.ok(spent.readBoolean());

    const again = await ask("/withdraw", request);
    assert.deepEqual([again.status, again.json.code], [409, "nullifier_already_used"]);
  } finally {
    await closeSnarkjs();
    assert.equal((await localnet.stop()).code, 0);
  }
});
